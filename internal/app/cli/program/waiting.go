package program

import (
	"io"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// waitingAfter is the time without output after which a command shows that it is still working.
const waitingAfter = time.Second

// ClearLine clears the line of the cursor.
const ClearLine = "\r\x1b[K"

// StatusLine replaces the line of the cursor by a text, of which a narrow terminal shows the beginning:
// the next one could not replace a text that has been wrapped.
func StatusLine(text string) string { return ClearLine + "\x1b[?7l" + text + "\x1b[?7h" }

// Waiting shows a text on standard error, if it is a terminal, whenever nothing has been printed for a second,
// until the returned function is called, which may be called again. What App prints meanwhile takes the place of
// the text; nothing else may be printed.
func (a *App) Waiting(text string) (done func()) {
	if !terminal.CanRedraw(a.Err) {
		return func() {}
	}
	a.line = newWaitingLine(a.Err, text)
	return a.line.end
}

// write prints a text. A line that shows that the command is working is removed before.
func (a *App) write(w io.Writer, text string) {
	a.line.pause()
	_, _ = io.WriteString(w, text)
	a.line.resume()
}

// waitingLine is a line of a terminal that shows that a command is working. A nil one is never shown.
type waitingLine struct {
	terminal io.Writer
	text     string

	mu     sync.Mutex
	timer  *time.Timer
	shown  bool
	paused bool // also at the end
	ended  bool
}

func newWaitingLine(terminal io.Writer, text string) *waitingLine {
	l := &waitingLine{terminal: terminal, text: text}
	l.timer = time.AfterFunc(waitingAfter, l.show)
	return l
}

func (l *waitingLine) show() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.paused {
		l.shown = true
		_, _ = io.WriteString(l.terminal, StatusLine(l.text))
	}
}

// pause removes the line.
func (l *waitingLine) pause() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer.Stop()
	l.paused = true
	if l.shown {
		l.shown = false
		_, _ = io.WriteString(l.terminal, ClearLine)
	}
}

// resume shows the line again after a while, unless it has ended.
func (l *waitingLine) resume() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.paused = false
		l.timer.Reset(waitingAfter)
	}
}

// end removes the line for good.
func (l *waitingLine) end() {
	l.pause()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}
