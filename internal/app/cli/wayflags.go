package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// wayFlags are the flags that select a resolution.
type wayFlags struct {
	paths   [3][]string // as given, by index of wayNames
	choices []choice
}

// choice is the resolution for the conflicts at a path.
type choice struct {
	way  string
	path document.Path // empty for all
	flag string        // as given, for a shell
	used bool
}

// wayNames are the resolutions, and wayFlagNames the flags that select them.
var (
	wayNames     = [...]string{explain.Force, explain.DropField, explain.AdoptValue}
	wayFlagNames = [...]string{"take", "drop", "adopt"}
)

func (f *wayFlags) add(c *cobra.Command, paths func(*cobra.Command, []string) []string) {
	help := [...]string{"force the fields at PATH, or all", "remove the fields at PATH, or all, from the manifest", "set the fields at PATH, or all, to their live values"}
	for i, name := range wayFlagNames {
		c.Flags().StringArrayVar(&f.paths[i], name, nil, strings.Replace(help[i], "PATH", "`PATH`", 1)+" (repeatable)")
		_ = c.RegisterFlagCompletionFunc(name, func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return append(paths(c, args), "all"), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// complete parses the paths.
func (f *wayFlags) complete() error {
	for i, paths := range f.paths {
		for _, text := range paths {
			c := choice{way: wayNames[i], flag: "--" + wayFlagNames[i] + " " + program.ShellQuote(text)}
			if text != "all" {
				var err error
				if c.path, err = program.ParsePath(text); err != nil {
					return program.Usage(c.flag + ": " + err.Error())
				}
			}
			for _, other := range f.choices {
				if slices.Equal(other.path, c.path) {
					return program.Usage(other.flag + " and " + c.flag + " select two resolutions for one field")
				}
			}
			f.choices = append(f.choices, c)
		}
	}
	return nil
}

// among returns a function that selects the resolution for each conflict of a configuration.
// Paths may select list items by their index in the configuration.
func (f *wayFlags) among(m *fieldmanager.Manager, config document.Value) func(patchlab.Conflict) string {
	if len(f.choices) == 0 {
		return nil
	}
	paths := make([]document.Path, len(f.choices))
	for i, c := range f.choices {
		paths[i] = c.path
		if p, err := m.FieldPath(config, c.path); err == nil {
			paths[i] = p
		}
	}
	return func(c patchlab.Conflict) string {
		best := -1
		for i, p := range paths {
			if (c.Path.HasPrefix(p) || c.Path.HasPrefix(f.choices[i].path)) && (best < 0 || len(p) > len(paths[best])) {
				best = i
			}
		}
		if best < 0 {
			return ""
		}
		chosen := &f.choices[best]
		chosen.used = true
		if chosen.way == explain.AdoptValue && len(chosen.path) == 0 && !c.Live.Exists() {
			return explain.DropField
		}
		return chosen.way
	}
}

// unused returns the error for a path at which there is no conflict. found are the paths of the
// conflicts.
func (f *wayFlags) unused(found []string) error {
	for _, c := range f.choices {
		if c.used || len(c.path) == 0 {
			continue
		}
		text := c.flag + ": no conflict at " + c.path.String()
		for i, path := range found {
			if i == 0 {
				text += "; there are conflicts at"
			}
			if i == 10 {
				text += fmt.Sprintf("\n  … and %d more", len(found)-i)
				break
			}
			text += "\n  " + path
		}
		return errors.New(text)
	}
	return nil
}
