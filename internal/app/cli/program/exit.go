package program

import (
	"errors"
	"fmt"
)

// The exit codes of all commands. An argument that no input could fit, such as a path with wrong syntax, is wrong
// usage; one that the given input does not have, such as a field or a manager, is refused.
const (
	ExitDone     = 0
	ExitRefused  = 1
	ExitUsage    = 2
	ExitConflict = 3
	ExitChanged  = 4
)

// ExitHelp describes the exit codes of a command that computes changes.
const ExitHelp = `Exit codes:
  0  done
  1  the change could not be applied, or an input could not be read
  2  wrong usage
  3  the change conflicts with other field managers`

// An Exit ends a command with an exit code. Err is nil if the message has been printed
// already.
type Exit struct {
	Code int
	Err  error
}

// Error returns the message that is still to be printed, "" if there is none.
func (e *Exit) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the error.
func (e *Exit) Unwrap() error { return e.Err }

// Usage returns an error in the use of a command.
func Usage(text string) error { return &Exit{ExitUsage, errors.New(text)} }

// ExitHelpOf returns ExitHelp with additional or different codes of a command.
func ExitHelpOf(codes map[int]string) string {
	text := "Exit codes:\n  0  done"
	for _, code := range [...]int{ExitRefused, ExitUsage, ExitConflict, ExitChanged} {
		if code == ExitUsage {
			codes[code] = "wrong usage"
		}
		if what := codes[code]; what != "" {
			text += fmt.Sprintf("\n  %d  %s", code, what)
		}
	}
	return text
}
