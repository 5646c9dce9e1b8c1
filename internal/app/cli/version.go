package cli

import (
	"fmt"
	"io"
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
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.Out, versionText())
			return err
		},
	}
}

// versionText is the output of version, and of --version.
func versionText() string {
	version := "development"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	known := strings.ReplaceAll(strings.Join(schema.Versions(), ", "), schema.DefaultVersion, schema.DefaultVersion+" (default)")
	return fmt.Sprintf("patchlab %s\nKubernetes %s\n", version, known)
}
