package program

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchlab-dev/patchlab/document"
)

// FlagsOf returns the flags that the user has given to a command, for a shell, except those
// named in without. Input in place of standard input, which cannot be read again, is called CONFIG.
func FlagsOf(c *cobra.Command, without ...string) string {
	var b strings.Builder
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(without, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			b.WriteString(" --" + f.Name)
			switch {
			case f.Value.Type() == "bool" && v == "true":
			case f.Name == "filename" && v == "-":
				b.WriteString("=CONFIG")
			default:
				b.WriteString("=" + ShellQuote(v))
			}
		}
	})
	return b.String()
}

// ParsePath parses the path of a field in a flag or argument.
func ParsePath(text string) (document.Path, error) {
	if strings.HasPrefix(text, "/") {
		return nil, errors.New(text + " is a JSON pointer; write the path as " + strings.ReplaceAll(strings.TrimRight(text, "/"), "/", "."))
	}
	return document.ParsePath(text)
}

// ShellQuote quotes a word for a POSIX shell if necessary.
func ShellQuote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@,+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
