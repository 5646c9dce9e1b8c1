package program

import (
	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// Arguments returns a validator for the number of arguments.
func Arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return Usage("'" + c.CommandPath() + "' " + list(names) + "\nUsage: " + c.UseLine())
	}
}

// ObjectAndSelection validates the arguments OBJECT [KIND/NAME...].
func ObjectAndSelection(c *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] == "" {
		return Usage("OBJECT is empty" + UnsetVariable)
	}
	if len(args) > 0 {
		return nil
	}
	return Usage("'" + c.CommandPath() + "' requires an argument, OBJECT\nUsage: " + c.UseLine())
}

// AtLeastOneFile validates the arguments FILE…, which may also be those of -f.
func AtLeastOneFile(c *cobra.Command, args, files []string) error {
	if len(args)+len(files) > 0 {
		return nil
	}
	return Usage("'" + c.CommandPath() + "' requires at least one FILE\nUsage: " + c.UseLine())
}

// AddQuiet adds the flag that suppresses notes.
func AddQuiet(c *cobra.Command, quiet *bool) {
	c.Flags().BoolVarP(quiet, "quiet", "q", false, "do not print notes")
}

// AtMostOne validates an optional argument.
func AtMostOne(c *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return Usage("'" + c.CommandPath() + "' accepts at most one argument\nUsage: " + c.UseLine())
}

func list(names []string) string {
	switch len(names) {
	case 0:
		return "accepts no arguments"
	case 1:
		return "requires one argument, " + names[0]
	}
	return "requires the arguments " + terminal.AndList(names)
}
