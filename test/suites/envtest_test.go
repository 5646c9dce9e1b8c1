package main

import (
	"slices"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		why, out        string
		passed, skipped int
		failed          []string
	}{
		{"tests alone", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/part (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.10s)\n", 1, 1, []string{"TestC"}},
		{"specs, whose test is not counted", "Ran 4 of 5 Specs in 1.234 seconds\nSUCCESS! -- 4 Passed | 0 Failed | 1 Pending | 2 Skipped\n--- PASS: TestAPIs (1.24s)\n", 4, 3, nil},
		{"colored specs, of which one fails and is listed twice, beside a test", "Summarizing 2 Failures:\n\x1b[38;5;9m\x1b[1m[FAIL]\x1b[0m Job \x1b[1m[It] starts\x1b[0m\n  [FAIL] Job [It] starts\n" +
			"\x1b[38;5;9mFAIL!\x1b[0m -- \x1b[38;5;10m7 Passed\x1b[0m | \x1b[38;5;9m1 Failed\x1b[0m | 0 Pending | 0 Skipped\n--- FAIL: TestAPIs (1.24s)\n--- PASS: TestOther (0.00s)\n",
			8, 0, []string{"Job [It] starts"}},
		{"specs that panic, or that are stopped with the suite", "  [TIMEDOUT] A suite timeout occurred\nSummarizing 3 Failures:\n  [PANICKED!] Job [It] panics\n  /a_test.go:1\n  [TIMEDOUT] Job [It] waits\n  [FAIL] Job [It] fails\n" +
			"FAIL! - Suite Timeout Elapsed -- 7 Passed | 3 Failed | 0 Pending | 5 Skipped\n--- FAIL: TestAPIs (1.24s)\n", 7, 5, []string{"Job [It] panics", "Job [It] waits", "Job [It] fails"}},
		{"a package that ends early", "panic: no binaries\n", 0, 0, nil},
	} {
		r := count(c.out)
		if r.passed != c.passed || r.skipped != c.skipped || !slices.Equal(r.failed, c.failed) {
			t.Errorf("%s: %+v, want %d passed, %d skipped, failed %q", c.why, r, c.passed, c.skipped, c.failed)
		}
	}
}
