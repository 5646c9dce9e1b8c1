package cli

import (
	"io"
	"sync"
	"time"
)

// waitingAfter is the time after which a command shows that it is still working.
const waitingAfter = time.Second

// clearLine clears the line of the cursor.
const clearLine = "\r\x1b[K"

// statusLine replaces the line of the cursor by a text, of which a narrow terminal shows the beginning:
// the next one could not replace a text that has been wrapped.
func statusLine(text string) string { return clearLine + "\x1b[?7l" + text + "\x1b[?7h" }

// waiting shows a text on standard error, if it is a terminal and the work takes longer than a second,
// until the returned function is called, which may be called again. Nothing else may be printed
// meanwhile.
func (a *App) waiting(text string) (done func()) {
	if !canRedraw(a.Err) {
		return func() {}
	}
	return waitingOn(a.Err, text, waitingAfter)
}

// waitingOn is waiting on a terminal, after a delay.
func waitingOn(terminal io.Writer, text string, delay time.Duration) (done func()) {
	var mu sync.Mutex
	var shown, ended bool
	timer := time.AfterFunc(delay, func() {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			shown = true
			_, _ = io.WriteString(terminal, statusLine(text))
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if shown && !ended {
			_, _ = io.WriteString(terminal, clearLine)
		}
		ended = true
	}
}
