package program

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// ColorFlag selects whether output has colors.
type ColorFlag struct{ value string }

// Add adds the flag; what has the colors.
func (f *ColorFlag) Add(c *cobra.Command, what string) {
	OneOf(c, &f.value, "color", "", "auto", "color "+what+": auto (on a terminal), always or never", "auto", "always", "never")
}

// On reports whether the output to w has colors.
func (f *ColorFlag) On(w io.Writer) bool {
	return f.value == "always" || f.value == "auto" && terminal.HasColors(w)
}
