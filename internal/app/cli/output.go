package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

// outputFlags say in which form a command prints objects.
type outputFlags struct {
	format            string
	showManagedFields bool
}

func (f *outputFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.format, "output", "o", "yaml", "output format: yaml, json, diff (against the live object) or patch (a patch that makes the same change)")
	c.Flags().BoolVar(&f.showManagedFields, "show-managed-fields", false, "keep the managedFields when printing")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"yaml", "json", "diff", "patch"}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *outputFlags) check() error {
	if !slices.Contains([]string{"yaml", "json", "diff", "patch"}, f.format) {
		return usage("--output " + f.format + ": expected yaml, json, diff or patch")
	}
	return nil
}

// shown is an object as it is printed.
func (f *outputFlags) shown(v document.Value) document.Value {
	if f.showManagedFields {
		return v
	}
	return v.Remove("metadata", "managedFields")
}

func (f *outputFlags) print(a *App, changes []change) error {
	var out []byte
	switch f.format {
	case "yaml":
		for i, c := range changes {
			if i > 0 {
				out = append(out, "---\n"...)
			}
			out = append(out, f.shown(c.after).YAML()...)
		}
	case "json":
		v := f.shown(changes[0].after)
		if len(changes) > 1 {
			v = f.list(changes)
		}
		out = indent(v)
	case "diff":
		for _, c := range changes {
			out = append(out, f.diff(c, isTerminal(a.Out))...)
		}
	case "patch":
		for _, c := range changes {
			p, err := madePatch(c, f)
			if err != nil {
				return err
			}
			out = append(append(out, p.JSON()...), '\n')
		}
	}
	_, err := a.Out.Write(out)
	return err
}

func (f *outputFlags) list(changes []change) document.Value {
	var items document.ListBuilder
	for _, c := range changes {
		items.Append(f.shown(c.after))
	}
	var b document.ObjectBuilder
	b.Set("apiVersion", document.NewString("v1"))
	b.Set("items", items.List())
	b.Set("kind", document.NewString("List"))
	return b.Object()
}

// indent prints JSON as kubectl does.
func indent(v document.Value) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, v.JSON(), "", "    ") // what we print is valid
	b.WriteByte('\n')
	return b.Bytes()
}

// diff is the unified diff between a live object and what became of it, "" for none.
func (f *outputFlags) diff(c change, colour bool) string {
	before := ""
	if c.live.Exists() {
		before = string(f.shown(c.live).YAML())
	}
	name := identity(c.kind, c.after)
	text := udiff.Unified("live/"+name.fileName(), "after/"+name.fileName(), before, string(f.shown(c.after).YAML()))
	if !colour {
		return text
	}
	return colourDiff(text)
}

func (n objectName) fileName() string {
	parts := []string{n.kind, n.namespace, n.name}
	if n.group != "" {
		parts[0] += "." + n.group
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

func colourDiff(text string) string {
	const bold, red, green, cyan, off = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[0m"
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++"):
			colour = bold
		case strings.HasPrefix(line, "@@"):
			colour = cyan
		case strings.HasPrefix(line, "-"):
			colour = red
		case strings.HasPrefix(line, "+"):
			colour = green
		}
		if colour == "" {
			b.WriteString(line)
		} else {
			b.WriteString(colour + line + off)
		}
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// madePatch is a patch that makes of the live object what became of it: a JSON
// patch where one was given, else a strategic merge patch for a built-in kind
// and a merge patch for a custom resource.
func madePatch(c change, f *outputFlags) (document.Value, error) {
	live, after := f.shown(c.live), f.shown(c.after)
	if !c.live.Exists() {
		return after, nil
	}
	for _, counted := range [...]string{"generation", "resourceVersion"} { // the API server counts these itself
		live, after = live.Remove("metadata", counted), after.Remove("metadata", counted)
	}
	switch {
	case c.patchType == "json":
		return patch.CreateJSON(live, after), nil
	case c.patchType == "merge" || !c.kind.Builtin:
		return patch.CreateMerge(live, after, patch.Options{})
	}
	p, err := patch.CreateStrategic(live, after, c.kind.Type(), patch.Options{})
	if err != nil {
		return p, fmt.Errorf("no strategic merge patch can make this change: %w", err)
	}
	return p, nil
}
