package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// outputFlags select the output format.
type outputFlags struct {
	format            string
	asked             bool // the format was set
	showManagedFields bool
	showServerFields  bool
	showSecrets       bool
	color             colorFlag
	summary           summaryFlag
}

func (f *outputFlags) add(c *cobra.Command) {
	flags := c.Flags()
	oneOf(c, &f.format, "output", "o", "yaml", "output format: yaml, json, name, diff (of the changed objects) or patch (a patch with the same effect)", "yaml", "json", "name", "diff", "patch")
	flags.BoolVar(&f.showManagedFields, "show-managed-fields", false, "include managedFields in the output")
	flags.BoolVar(&f.showServerFields, "show-server-fields", false, "include generation, resourceVersion, the last-applied annotation, and the uid and creationTimestamp of new objects in diffs")
	flags.BoolVar(&f.showSecrets, "show-secrets", false, "show the values of Secrets in diffs and conflicts, which are masked by default as in 'kubectl diff'")
	f.color.add(c, "diffs")
	f.summary.add(c, "objects")
}

// shown returns an object as it is printed.
func (f *outputFlags) shown(v document.Value) document.Value {
	if f.showManagedFields {
		return v
	}
	return v.Remove("metadata", "managedFields")
}

// compared returns an object before and after a change as a diff shows them. before is absent
// for a new object.
func (f *outputFlags) compared(before, after document.Value) (document.Value, document.Value) {
	before, after = f.shown(before), f.shown(after)
	if !f.showServerFields {
		if !before.Exists() { // every run gives a new object another uid and another time
			after = after.Remove("metadata", "uid").Remove("metadata", "creationTimestamp")
		}
		before, after = withoutCounters(before), withoutCounters(after)
	}
	if !f.showSecrets {
		before, after = maskSecrets(before, after)
	}
	return before, after
}

// withoutCounters removes fields that change with every write and are of no interest in a
// diff.
func withoutCounters(v document.Value) document.Value {
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

// diff returns the unified diff of an object before and after a change, "" if they are equal.
func (f *outputFlags) diff(name string, before, after document.Value) string {
	before, after = f.compared(before, after)
	return unified("live/"+name, "after/"+name, yamlText(before), yamlText(after))
}

// targetOf returns the target with what an object states itself.
func targetOf(v document.Value) patchlab.Target {
	text := func(path ...string) string { return v.Lookup(path...).StringOr("") }
	return patchlab.Target{APIVersion: text("apiVersion"), Kind: text("kind"), Namespace: text("metadata", "namespace"), Name: text("metadata", "name")}
}

// targetIn returns the target of an object, in a namespace if it is namespaced and states none.
func targetIn(lab *patchlab.Lab, v document.Value, namespace string) patchlab.Target {
	t := targetOf(v)
	if kind, _, err := lab.Kind(v); t.Namespace == "" && err == nil && kind.Namespaced {
		t.Namespace = namespace
	}
	return t
}

// fileName returns the file name for an object in the header of a diff:
// Deployment.apps/shop/web.
func fileName(t patchlab.Target) string {
	kind := t.Kind
	if group := t.Group(); group != "" {
		kind += "." + group
	}
	return strings.Join(slices.DeleteFunc([]string{kind, t.Namespace, t.Name}, func(s string) bool { return s == "" }), "/")
}

// yamlText returns an object as YAML, "" if it is absent.
func yamlText(v document.Value) string {
	if !v.Exists() {
		return ""
	}
	return string(v.YAML())
}

// indent indents JSON as kubectl does.
func indent(v document.Value) []byte { return append(indentBelow("", v), '\n') }

// indentBelow indents JSON whose lines, except for the first one, begin with a prefix.
func indentBelow(prefix string, v document.Value) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, v.JSON(), prefix, "    ") // the JSON is valid
	return b.Bytes()
}

// encode formats objects as YAML or JSON; several objects in JSON become a List.
func encode(format string, objects []document.Value) []byte {
	var out []byte
	p := objectPrinter{format: format, print: func(text string) { out = append(out, text...) }}
	for _, v := range objects {
		p.add(v)
	}
	p.end()
	return out
}

// objectPrinter prints objects in the format of encode as they are added, because the output for all objects of a dump may
// need much memory.
type objectPrinter struct {
	format string // json or yaml
	print  func(string)
	first  document.Value // which is not an item of a List if no other follows
	count  int
}

func (p *objectPrinter) add(v document.Value) {
	switch p.count++; {
	case p.format != "json":
		if p.count > 1 {
			p.print("---\n")
		}
		p.print(string(v.YAML()))
	case p.count == 1:
		p.first = v
	default:
		if p.count == 2 {
			p.print("{\n    \"apiVersion\": \"v1\",\n    \"items\": [")
			p.item("", p.first)
			p.first = document.Value{}
		}
		p.item(",", v)
	}
}

func (p *objectPrinter) item(separator string, v document.Value) {
	const below = "        "
	p.print(separator + "\n" + below + string(indentBelow(below, v)))
}

// end prints what follows the last object.
func (p *objectPrinter) end() {
	switch {
	case p.format != "json" || p.count == 0:
	case p.count == 1:
		p.print(string(indent(p.first)))
	default:
		p.print("\n    ],\n    \"kind\": \"List\"\n}\n")
	}
}

// shownDiff returns a diff for a terminal or a pipe, with colors if colored is set.
func shownDiff(text string, colored bool) string {
	if text = readable(text); colored {
		return colorDiff(text)
	}
	return text
}

func colorDiff(text string) string {
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

// madePatch returns a patch, and its type, that has the effect of the change on the live
// object: a JSON patch if one was given, otherwise a strategic merge patch for a built-in kind
// and a merge patch for a custom resource. For a created object it is the object.
func madePatch(r *patchlab.Result, f *outputFlags) (document.Value, patch.Type, error) {
	after := f.shown(r.Object())
	if r.Created() {
		return after, patch.TypeAuto, nil
	}
	live := f.shown(r.Before.Join())
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

// resourceLine formats an object like kubectl's -o name: deployment.apps/web.
func resourceLine(kind *schema.Kind, name string) string {
	text := strings.ToLower(kind.Kind)
	if kind.Group != "" {
		text += "." + kind.Group
	}
	return text + "/" + name
}
