package program

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// OneOf adds a flag whose value must be one of the choices, which are also completed, or the default. The error for
// another value is that of wrongFlag.
func OneOf(c *cobra.Command, value *string, name, shorthand, byDefault, help string, choices ...string) {
	*value = byDefault
	c.Flags().VarP(&oneOfValue{value, byDefault, choices}, name, shorthand, help)
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// oneOfValue is the value of a flag of OneOf.
type oneOfValue struct {
	value     *string
	byDefault string
	choices   []string
}

// ChoiceError is the error for a value that is none of the choices.
type ChoiceError struct{ choices []string }

// Error lists the choices.
func (e *ChoiceError) Error() string { return "expected " + terminal.OrList(e.choices) }

// Set implements pflag.Value.
func (v *oneOfValue) Set(text string) error {
	if text != v.byDefault && !slices.Contains(v.choices, text) {
		return &ChoiceError{v.choices}
	}
	*v.value = text
	return nil
}

// String implements pflag.Value.
func (v *oneOfValue) String() string { return *v.value }

// Type returns the name of the value's type in the help, as of other flags with a text.
func (v *oneOfValue) Type() string { return "string" }
