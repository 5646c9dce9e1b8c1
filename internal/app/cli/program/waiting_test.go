package program

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaiting: a line is shown only while nothing has been printed for some time, and is removed before what is
// printed and at the end.
func TestWaiting(t *testing.T) {
	const line = "\r\x1b[K\x1b[?7lcomparing…\x1b[?7h"
	for _, c := range []struct {
		why  string
		work []time.Duration // each but the last is followed by a note
		want string
	}{
		{"short work", []time.Duration{waitingAfter / 2}, ""},
		{"long work", []time.Duration{2 * waitingAfter}, line + ClearLine},
		{"a note during long work, which continues", []time.Duration{2 * waitingAfter, 2 * waitingAfter}, line + ClearLine + "note\n" + line + ClearLine},
		{"notes in short intervals", []time.Duration{waitingAfter * 2 / 3, waitingAfter * 2 / 3, waitingAfter / 2}, "note\nnote\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var terminal bytes.Buffer
			a := &App{Err: &terminal, line: newWaitingLine(&terminal, "comparing…")}
			for i, d := range c.work {
				if i > 0 {
					a.Note("note")
				}
				time.Sleep(d)
				synctest.Wait()
			}
			a.line.end()
			a.line.end()
			time.Sleep(2 * waitingAfter)
			if terminal.String() != c.want {
				t.Errorf("%s: %q, want %q", c.why, terminal.String(), c.want)
			}
			a.Note("after")
			time.Sleep(2 * waitingAfter)
			if want := c.want + "after\n"; terminal.String() != want {
				t.Errorf("%s, after the end: %q, want %q", c.why, terminal.String(), want)
			}
		})
	}
}
