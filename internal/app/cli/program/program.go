// Package program holds what all commands of patchlab have: their streams, notes and errors, exit codes,
// flags that several share, and the other programs of patchlab, which do the work that this one is too
// small for. It knows no command, and nothing of objects.
package program

import (
	"context"
	"io"
	"net/http"
	"time"
)

// App is the environment of a command.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	// Now returns the time for managedFields.
	Now func() time.Time
	// UID returns the uid of a new object; nil generates random ones.
	UID func() string
	Linked

	// Program is the command with which the user calls patchlab, such as "kubectl patchlab";
	// "" is "patchlab".
	Program string

	// Page returns the playground; nil is that of package web.
	Page func() (http.Handler, error)
	// Browser opens an address; nil uses the user's browser.
	Browser func(context.Context, string) error
	// Args are the arguments without the program's name.
	Args []string
	// Stopped is closed when the program is told to stop; nil if it cannot be.
	Stopped <-chan struct{}
	// Collection is the garbage collection of this run.
	Collection *Collection
	// Quiet suppresses notes.
	Quiet bool
	// Notes are those that are kept for the summary.
	Notes []string
	// Unread are the errors of the inputs that cannot be read and are skipped.
	Unread []string

	kept    map[string][]byte // inputs that can be read only once, by name
	noted   map[string]bool   // notes that were printed by NoteOnce
	advised map[string]bool   // advice that was printed with an error
	keeping bool              // notes are kept for the summary
	line    *waitingLine      // that shows that the command is working; nil if there is none
}
