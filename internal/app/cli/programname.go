package cli

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// called converts the arguments of a program that was called by another name to those of the
// command with that name: cobra's completion command for kubectl_complete-patchlab,
// which kubectl executes to complete the arguments of a plugin, and the programs that envtest
// executes.
func called(file string, args []string) []string {
	switch name := strings.TrimSuffix(filepath.Base(file), ".exe"); name {
	case "kubectl_complete-patchlab":
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	case kubeAPIServer, etcdStandIn:
		return append([]string{name}, args...)
	}
	return args
}

// programName returns the command with which the user calls a program: kubectl executes
// kubectl-patchlab for 'kubectl patchlab'.
func programName(file string) string {
	if strings.TrimSuffix(filepath.Base(file), ".exe") == "kubectl-patchlab" {
		return "kubectl patchlab"
	}
	return "patchlab"
}

// program returns the command with which the user calls patchlab.
func (a *App) program() string { return cmp.Or(a.Program, "patchlab") }

// callInHelp makes the commands of patchlab in all help texts those with which the user calls it.
func (a *App) callInHelp(root *cobra.Command) {
	if a.program() == root.Name() {
		return
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	command := regexp.MustCompile(`\b` + root.Name() + ` (` + strings.Join(names, "|") + `)\b`)
	for _, c := range root.Commands() {
		c.Long = command.ReplaceAllString(c.Long, a.program()+" $1")
		c.Example = command.ReplaceAllString(c.Example, a.program()+" $1")
	}
}
