package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaiting: a line is shown only for work that takes a while, and removed once at its end.
func TestWaiting(t *testing.T) {
	for _, c := range []struct {
		why  string
		work time.Duration
		want string
	}{
		{"short work", waitingAfter / 2, ""},
		{"long work", 2 * waitingAfter, "\r\x1b[K\x1b[?7lcomparing…\x1b[?7h\r\x1b[K"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var terminal bytes.Buffer
			done := waitingOn(&terminal, "comparing…", waitingAfter)
			time.Sleep(c.work)
			synctest.Wait()
			done()
			done()
			time.Sleep(2 * waitingAfter)
			if terminal.String() != c.want {
				t.Errorf("%s: %q, want %q", c.why, terminal.String(), c.want)
			}
		})
	}
}
