package program

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// LeaveOut reports a file with changes that cannot be parsed. The command processes the other
// files and then fails.
func (a *App) LeaveOut(err error) {
	a.Unread = append(a.Unread, err.Error())
	a.Fail(err.Error())
}

// LeaveOutFile is LeaveOut for the reader of files.
func (a *App) LeaveOutFile(_ string, err error) { a.LeaveOut(err) }

// Fail prints an error in the format of all of patchlab's errors. Advice on its last line, such as that about the hooks of
// a chart, is printed with the first error that has it.
func (a *App) Fail(text string) {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 && !strings.HasPrefix(text[i+1:], " ") {
		advice := text[i+1:]
		if a.advised[advice] {
			text = text[:i]
		}
		if a.advised == nil {
			a.advised = map[string]bool{}
		}
		a.advised[advice] = true
	}
	a.write(a.Err, "error: "+terminal.Readable(text)+"\n")
}

// Note prints a note on standard error, or keeps it for a summary that contains the notes.
func (a *App) Note(text string) {
	switch {
	case a.Quiet:
	case a.keeping:
		a.Notes = append(a.Notes, text)
	default:
		a.write(a.Err, terminal.Readable(text)+"\n")
	}
}

// KeepNotes keeps the notes of a command for its summary. The function that it returns prints those that
// no summary contains, because the command has failed before.
func (a *App) KeepNotes() (release func()) {
	a.keeping = true
	return func() {
		a.keeping = false
		for _, text := range a.Notes {
			a.Note(text)
		}
		a.Notes = nil
	}
}

// NoteOnce prints a note that may apply to several objects, unless it has been printed before.
func (a *App) NoteOnce(text string) {
	if a.noted[text] {
		return
	}
	if a.noted == nil {
		a.noted = map[string]bool{}
	}
	a.noted[text] = true
	a.Note(text)
}

// Print prints a result on standard output, as it is.
func (a *App) Print(text string) { a.write(a.Out, text) }

// Show prints a text for people on standard output.
func (a *App) Show(text string) { a.Print(terminal.Readable(text)) }
