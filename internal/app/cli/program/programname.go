package program

import (
	"cmp"
	"path/filepath"
	"strings"
)

// NameOf returns the command with which the user calls a program: kubectl executes
// kubectl-patchlab for 'kubectl patchlab'.
func NameOf(file string) string {
	if strings.TrimSuffix(filepath.Base(file), ".exe") == "kubectl-patchlab" {
		return "kubectl patchlab"
	}
	return "patchlab"
}

// CalledAs returns the command with which the user calls patchlab.
func (a *App) CalledAs() string { return cmp.Or(a.Program, "patchlab") }
