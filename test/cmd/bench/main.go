// Command bench measures patchlab and writes doc/performance.md. The page compares the
// command, the server and a Lab with the engines alone, and the engines with the
// libraries of Kubernetes. It runs the benchmarks of ./requests, ../patch and
// ./managedfields in rounds, alternates between the sides of each row, and uses
// medians.
//
//	go run ./cmd/bench -rounds 5 -out ../doc/performance.md
//
// To measure only some rows and print them:
//
//	go run ./cmd/bench -only 'ThreeWay|Strategic/deployment|items'
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often everything is measured")
	benchtime := flag.String("benchtime", "200ms", "how long one measurement takes at least")
	starts := flag.Int("starts", 40, "how often each command is started")
	out := flag.String("out", "../doc/performance.md", "page to write")
	only := flag.String("only", "", "measure only the benchmarks that match, as go test -bench does (benchmark/object), print their rows and write no page")
	flag.Parse()
	var err error
	if *only != "" {
		err = runOnly(*only, *rounds, *benchtime)
	} else {
		err = run(*rounds, *starts, *benchtime, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds, starts int, benchtime, out string) error {
	dir, err := os.MkdirTemp("", "patchlab-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results := samples{}
	if err := measureEngines(dir, "", rounds, benchtime, results); err != nil {
		return err
	}
	commands, err := measureCommands(dir, starts)
	if err != nil {
		return err
	}
	page, err := page(results, commands, rounds)
	if err != nil {
		return err
	}
	return os.WriteFile(out, page, 0o644)
}

// runOnly measures the selected benchmarks and prints their rows.
func runOnly(only string, rounds int, benchtime string) error {
	dir, err := os.MkdirTemp("", "patchlab-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results := samples{}
	if err := measureEngines(dir, only, rounds, benchtime, results); err != nil {
		return err
	}
	fmt.Print(rowsText(results))
	return nil
}

// suites are the packages and their benchmarks to run.
var suites = []struct{ dir, benchmarks string }{
	{"../patch", "^Benchmark(Strategic|Merge|JSON|ThreeWay)$"},
	{"managedfields", "^Benchmark(Apply|Update|Floor)$"},
	{"requests", "^BenchmarkRequest$"},
}

// measureEngines runs all benchmarks, or those selected by only. It repeats them in
// rounds so that a temporary load on the machine affects both sides of each row.
func measureEngines(dir, only string, rounds int, benchtime string, results samples) error {
	for i, s := range suites {
		c := exec.Command("go", "test", "-c", "-o", filepath.Join(dir, fmt.Sprintf("suite%d", i)), ".")
		c.Dir, c.Stderr = s.dir, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("building the benchmarks of %s: %w", s.dir, err)
		}
	}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for i, s := range suites {
			benchmarks := s.benchmarks
			if only != "" {
				benchmarks = only
			}
			if err := bench(dir, i, s.dir, benchmarks, benchtime, "", results); err != nil {
				return err
			}
		}
		if only != "" {
			continue
		}
		for _, cpus := range []string{"1", "2"} {
			if err := bench(dir, 1, suites[1].dir, "^BenchmarkShared$", benchtime, cpus, results); err != nil {
				return err
			}
		}
	}
	return nil
}

func bench(dir string, suite int, in, benchmarks, benchtime, cpus string, results samples) error {
	args := []string{"-test.run", "^$", "-test.bench", benchmarks, "-test.benchtime", benchtime}
	if cpus != "" {
		args = append(args, "-test.cpu", cpus)
	}
	c := exec.Command(filepath.Join(dir, fmt.Sprintf("suite%d", suite)), args...)
	c.Dir, c.Stderr = in, os.Stderr
	text, err := c.Output()
	if err != nil {
		return fmt.Errorf("the benchmarks of %s: %w", in, err)
	}
	for line := range strings.Lines(string(text)) {
		results.add(line, cpus)
	}
	return nil
}
