package manifest

import (
	"fmt"
	"strconv"
	"strings"
)

// The note about CEL rules that were not evaluated consists of their number and kind, and of what evaluates them.
const (
	oneRule, manyRules = " CEL rule of ", " CEL rules of "
	oneNotRun          = " was not evaluated; the program patchlab-admission evaluates it"
	manyNotRun         = " were not evaluated; the program patchlab-admission evaluates them"
)

// RulesNotRun returns the note about n CEL rules of a kind that were not evaluated. The kind must be a text for one line.
func RulesNotRun(n int, kind string) string {
	if n == 1 {
		return "1" + oneRule + kind + oneNotRun
	}
	return strconv.Itoa(n) + manyRules + kind + manyNotRun
}

// CutRulesNotRun returns the number and the kind in a note of RulesNotRun. Another note is not ok.
func CutRulesNotRun(note string) (n int, kind string, ok bool) {
	for _, form := range [...][2]string{{oneRule, oneNotRun}, {manyRules, manyNotRun}} {
		number, rest, is := strings.Cut(note, form[0])
		kind, ends := strings.CutSuffix(rest, form[1])
		if n, err := strconv.Atoi(number); is && ends && err == nil {
			return n, kind, true
		}
	}
	return 0, "", false
}

// RulesOfKindsNotRun returns one note in place of several of RulesNotRun, about n rules. Each of the kinds has a line.
func RulesOfKindsNotRun(n int, kinds []string) string {
	return fmt.Sprintf("%d%s%d kinds%s:\n  %s", n, manyRules, len(kinds), manyNotRun, strings.Join(kinds, "\n  "))
}
