package cli

import (
	"io"
	"sync"
	"time"
)

// waitingAfter is the time after which a command shows that it is still working.
const waitingAfter = time.Second

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
			_, _ = io.WriteString(terminal, text)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if shown && !ended {
			_, _ = io.WriteString(terminal, "\r\x1b[K")
		}
		ended = true
	}
}
