package cli

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
)

// called converts the arguments of a program that was called by another name to those of the
// command with that name: cobra's completion command for kubectl_complete-patchlab,
// which kubectl executes to complete the arguments of a plugin, and the programs that envtest
// executes.
func called(file string, args []string) []string {
	switch name := strings.TrimSuffix(filepath.Base(file), ".exe"); name {
	case "kubectl_complete-patchlab":
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	case serving.KubeAPIServer, serving.EtcdStandIn:
		return append([]string{name}, args...)
	}
	return args
}

// callInHelp makes the commands of patchlab in all help texts those with which the user calls it.
func callInHelp(a *program.App, root *cobra.Command) {
	if a.CalledAs() == root.Name() {
		return
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	command := regexp.MustCompile(`\b` + root.Name() + ` (` + strings.Join(names, "|") + `)\b`)
	for _, c := range root.Commands() {
		c.Long = command.ReplaceAllString(c.Long, a.CalledAs()+" $1")
		c.Example = command.ReplaceAllString(c.Example, a.CalledAs()+" $1")
	}
}
