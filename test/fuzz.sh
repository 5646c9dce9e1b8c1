#!/bin/sh
# Runs every fuzz target of the repository for a while, one after the other, and
# prints for each the number of executions and of new interesting inputs.
#   sh test/fuzz.sh TIME [PACKAGE]...
# TIME is what go test's -fuzztime takes; packages are folders, all without any.
# FUZZWORKERS is how many inputs are tried at a time. A crasher is kept in the
# package's testdata/fuzz, shown in full, and makes the script fail in the end.
set -u
time=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
printf '%-28s %-18s %12s %8s\n' package target executions new
for file in $(git ls-files '*_test.go' | sort); do
	dir=$(dirname "$file")
	case " $* " in
	"  " | *" $dir "* | *" ./$dir "*) ;;
	*) continue ;;
	esac
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		${GO:-go} test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x -parallel "${FUZZWORKERS:-2}" >"$log" 2>&1
		status=$?
		executions=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -1)
		new=$(sed -n 's/.*new interesting: \([0-9]*\).*/\1/p' "$log" | tail -1)
		# Until the inputs of earlier runs have been tried again, go test reports no counts.
		printf '%-28s %-18s %12s %8s\n' "$dir" "$target" "${executions:--}" "${new:--}"
		if [ $status -ne 0 ]; then
			failed=1
			cat "$log"
		fi
	done
done
exit $failed
