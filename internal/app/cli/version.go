package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/schema"
)

func versionCommand(a *program.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of patchlab and the Kubernetes versions it knows",
		Args:  program.Arguments(),
		RunE:  func(*cobra.Command, []string) error { return writeVersion(a) },
	}
}

// writeVersion is the command version, and the flag --version.
func writeVersion(a *program.App) error {
	version := "development"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	known := strings.ReplaceAll(strings.Join(schema.Versions(), ", "), schema.DefaultVersion, schema.DefaultVersion+" (default)")
	_, err := fmt.Fprintf(a.Out, "patchlab %s\nKubernetes %s\n", version, known)
	return err
}
