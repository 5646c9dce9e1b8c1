package cli

import (
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
)

// colorFlag selects whether output has colors.
type colorFlag struct{ value string }

var colorValues = []string{"auto", "always", "never"}

func (f *colorFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.value, "color", "auto", "color the output: auto (on a terminal), always or never")
	_ = c.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colorValues, cobra.ShellCompDirectiveNoFileComp))
}

func (f *colorFlag) check() error {
	if !slices.Contains(colorValues, f.value) {
		return usage("--color " + f.value + ": expected auto, always or never")
	}
	return nil
}

func (f *colorFlag) on(w io.Writer) bool {
	return f.value == "always" || f.value == "auto" && isTerminal(w)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
