package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// source reads the files that a command names.
func (a *App) source() *manifest.Source { return &manifest.Source{Stdin: a.In} }

// crds reads CustomResourceDefinitions and says what else the files hold.
func (a *App) crds(names []string) ([]manifest.Object, error) {
	crds, skipped, err := a.source().CRDs(names...)
	if err != nil {
		return nil, err
	}
	if skipped > 0 {
		a.note(fmt.Sprintf("--crd: %s skipped", count(skipped, "document that is no CustomResourceDefinition", "documents that are no CustomResourceDefinitions")))
	}
	return crds, nil
}

// count writes a number with the noun that goes with it.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// addCRDs adds the kinds of CustomResourceDefinitions to a registry.
func (a *App) addCRDs(r *schema.Registry, names []string) error {
	crds, err := a.crds(names)
	if err != nil {
		return err
	}
	for _, o := range crds {
		crd, err := manifest.CRD(o)
		if err != nil {
			return err
		}
		r.AddCRD(crd)
	}
	return nil
}

// isTerminal reports whether w is a terminal, for colour.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
