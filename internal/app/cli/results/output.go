// Package results prints what commands have computed: objects, diffs, values side by side, summaries,
// and the notes about many objects. Values of Secrets are masked.
package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Flags select the output format.
type Flags struct {
	Format            string
	Asked             bool // the format was set
	ShowManagedFields bool
	showServerFields  bool
	ShowSecrets       bool
	Color             program.ColorFlag
	Summary           SummaryFlag
}

// Add adds the flags to a command.
func (f *Flags) Add(c *cobra.Command) {
	flags := c.Flags()
	program.OneOf(c, &f.Format, "output", "o", "yaml", "output format: yaml, json, name, diff (of the changed objects) or patch (a patch with the same effect)", "yaml", "json", "name", "diff", "patch")
	flags.BoolVar(&f.ShowManagedFields, "show-managed-fields", false, "include managedFields in the output")
	flags.BoolVar(&f.showServerFields, "show-server-fields", false, "include generation, resourceVersion, the last-applied annotation, and the uid and creationTimestamp of new objects in diffs")
	flags.BoolVar(&f.ShowSecrets, "show-secrets", false, "show the values of Secrets in diffs and conflicts, which are masked by default as in 'kubectl diff'")
	f.Color.Add(c, "diffs")
	f.Summary.Add(c, "objects")
}

// Shown returns an object as it is printed.
func (f *Flags) Shown(v document.Value) document.Value {
	if f.ShowManagedFields {
		return v
	}
	return v.Remove("metadata", "managedFields")
}

// Compared returns an object before and after a change as a diff shows them. before is absent
// for a new object.
func (f *Flags) Compared(before, after document.Value) (document.Value, document.Value) {
	before, after = f.Shown(before), f.Shown(after)
	if !f.showServerFields {
		if !before.Exists() { // every run gives a new object another uid and another time
			after = after.Remove("metadata", "uid").Remove("metadata", "creationTimestamp")
		}
		before, after = WithoutCounters(before), WithoutCounters(after)
	}
	if !f.ShowSecrets {
		before, after = MaskSecrets(before, after)
	}
	return before, after
}

// WithoutCounters removes fields that change with every write and are of no interest in a
// diff.
func WithoutCounters(v document.Value) document.Value {
	for _, name := range [...]string{"generation", "resourceVersion"} {
		v = v.Remove("metadata", name)
	}
	if v.Lookup("metadata", "annotations", patch.LastApplied).Exists() {
		v = v.Remove("metadata", "annotations", patch.LastApplied)
		if v.Lookup("metadata", "annotations").Len() == 0 {
			v = v.Remove("metadata", "annotations")
		}
	}
	return v
}

// Diff returns the unified diff of an object before and after a change, "" if they are equal.
func (f *Flags) Diff(name string, before, after document.Value) string {
	before, after = f.Compared(before, after)
	return terminal.Unified("live/"+name, "after/"+name, YAMLText(before), YAMLText(after))
}

// TargetOf returns the target with what an object states itself.
func TargetOf(v document.Value) patchlab.Target {
	text := func(path ...string) string { return v.Lookup(path...).StringOr("") }
	return patchlab.Target{APIVersion: text("apiVersion"), Kind: text("kind"), Namespace: text("metadata", "namespace"), Name: text("metadata", "name")}
}

// TargetIn returns the target of an object, in a namespace if it is namespaced and states none.
func TargetIn(lab *patchlab.Lab, v document.Value, namespace string) patchlab.Target {
	t := TargetOf(v)
	if kind, _, err := lab.Kind(v); t.Namespace == "" && err == nil && kind.Namespaced {
		t.Namespace = namespace
	}
	return t
}

// FileName returns the file name for an object in the header of a diff:
// Deployment.apps/shop/web.
func FileName(t patchlab.Target) string {
	kind := t.Kind
	if group := t.Group(); group != "" {
		kind += "." + group
	}
	return strings.Join(slices.DeleteFunc([]string{kind, t.Namespace, t.Name}, func(s string) bool { return s == "" }), "/")
}

// YAMLText returns an object as YAML, "" if it is absent.
func YAMLText(v document.Value) string {
	if !v.Exists() {
		return ""
	}
	return string(v.YAML())
}

// Indent indents JSON as kubectl does.
func Indent(v document.Value) []byte { return append(indentBelow("", v), '\n') }

// indentBelow indents JSON whose lines, except for the first one, begin with a prefix.
func indentBelow(prefix string, v document.Value) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, v.JSON(), prefix, "    ") // the JSON is valid
	return b.Bytes()
}

// Encode formats objects as YAML or JSON; several objects in JSON become a List.
func Encode(format string, objects []document.Value) []byte {
	var out []byte
	p := ObjectPrinter{Format: format, Print: func(text string) { out = append(out, text...) }}
	for _, v := range objects {
		p.Add(v)
	}
	p.End()
	return out
}

// ObjectPrinter prints objects in the format of encode as they are added, because the output for all objects of a dump may
// need much memory.
type ObjectPrinter struct {
	Format string // json or yaml
	Print  func(string)
	first  document.Value // which is not an item of a List if no other follows
	count  int
}

// Add prints an object, or keeps it until it is known whether others follow.
func (p *ObjectPrinter) Add(v document.Value) {
	switch p.count++; {
	case p.Format != "json":
		if p.count > 1 {
			p.Print("---\n")
		}
		p.Print(string(v.YAML()))
	case p.count == 1:
		p.first = v
	default:
		if p.count == 2 {
			p.Print("{\n    \"apiVersion\": \"v1\",\n    \"items\": [")
			p.item("", p.first)
			p.first = document.Value{}
		}
		p.item(",", v)
	}
}

func (p *ObjectPrinter) item(separator string, v document.Value) {
	const below = "        "
	p.Print(separator + "\n" + below + string(indentBelow(below, v)))
}

// End prints what follows the last object.
func (p *ObjectPrinter) End() {
	switch {
	case p.Format != "json" || p.count == 0:
	case p.count == 1:
		p.Print(string(Indent(p.first)))
	default:
		p.Print("\n    ],\n    \"kind\": \"List\"\n}\n")
	}
}

// ShownDiff returns a diff for a terminal or a pipe, with colors if colored is set.
func ShownDiff(text string, colored bool) string {
	if text = terminal.Readable(text); colored {
		return ColorDiff(text)
	}
	return text
}

// ColorDiff colors the lines of a unified diff.
func ColorDiff(text string) string {
	const bold, red, green, cyan, off = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[0m"
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		color := ""
		switch {
		case strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++"):
			color = bold
		case strings.HasPrefix(line, "@@"):
			color = cyan
		case strings.HasPrefix(line, "-"):
			color = red
		case strings.HasPrefix(line, "+"):
			color = green
		}
		if color == "" {
			b.WriteString(line)
		} else {
			b.WriteString(color + line + off)
		}
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// MadePatch returns a patch, and its type, that has the effect of the change on the live
// object: a JSON patch if one was given, otherwise a strategic merge patch for a built-in kind
// and a merge patch for a custom resource. For a created object it is the object.
func MadePatch(r *patchlab.Result, f *Flags) (document.Value, patch.Type, error) {
	after := f.Shown(r.Object())
	if r.Created() {
		return after, patch.TypeAuto, nil
	}
	live := f.Shown(r.Before.Join())
	for _, counted := range [...]string{"generation", "resourceVersion"} { // the API server sets these itself
		live, after = live.Remove("metadata", counted), after.Remove("metadata", counted)
	}
	kind := r.After.Kind
	switch {
	case r.Action == patchlab.ActionJSONPatch:
		return patch.CreateJSON(live, after), patch.TypeJSON, nil
	case r.Action == patchlab.ActionMergePatch || !kind.Builtin:
		p, err := patch.CreateMerge(live, after, patch.Options{})
		return p, patch.TypeMerge, err
	}
	p, err := patch.CreateStrategic(live, after, kind.Type(), patch.Options{})
	if err != nil {
		return p, patch.TypeStrategic, fmt.Errorf("the change cannot be expressed as a strategic merge patch: %w", err)
	}
	return p, patch.TypeStrategic, nil
}

// ResourceLine formats an object like kubectl's -o name: deployment.apps/web.
func ResourceLine(kind *schema.Kind, name string) string {
	text := strings.ToLower(kind.Kind)
	if kind.Group != "" {
		text += "." + kind.Group
	}
	return text + "/" + name
}
