package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// oneOf adds a flag whose value must be one of the choices, which are also completed, or the default. The error for
// another value is that of wrongFlag.
func oneOf(c *cobra.Command, value *string, name, shorthand, byDefault, help string, choices ...string) {
	*value = byDefault
	c.Flags().VarP(&oneOfValue{value, byDefault, choices}, name, shorthand, help)
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// oneOfValue is the value of a flag of oneOf.
type oneOfValue struct {
	value     *string
	byDefault string
	choices   []string
}

// choiceError is the error for a value that is none of the choices.
type choiceError struct{ choices []string }

func (e *choiceError) Error() string { return "expected " + orList(e.choices) }

// Set implements pflag.Value.
func (v *oneOfValue) Set(text string) error {
	if text != v.byDefault && !slices.Contains(v.choices, text) {
		return &choiceError{v.choices}
	}
	*v.value = text
	return nil
}

// String implements pflag.Value.
func (v *oneOfValue) String() string { return *v.value }

// Type returns the name of the value's type in the help, as of other flags with a text.
func (v *oneOfValue) Type() string { return "string" }
