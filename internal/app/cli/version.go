package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/schema"
)

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of patchlab and the Kubernetes versions it knows",
		Args:  arguments(),
		RunE:  func(*cobra.Command, []string) error { return a.version() },
	}
}

// version is the command version, and the flag --version.
func (a *App) version() error {
	version := "development"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	known := strings.ReplaceAll(strings.Join(schema.Versions(), ", "), schema.DefaultVersion, schema.DefaultVersion+" (default)")
	_, err := fmt.Fprintf(a.Out, "patchlab %s\nKubernetes %s\n", version, known)
	return err
}
