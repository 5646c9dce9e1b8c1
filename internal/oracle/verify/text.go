package verify

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/schema"
)

// Text describes the failure: the case, the relevant types, the input, and the results of
// both engines.
func (f *Failure) Text() string {
	c := f.Least
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", c.Title(), f.Difference.What)
	fmt.Fprintf(&b, "shrunk from %d to %d bytes in %d tries\n\n%s", f.SizeBefore, f.SizeAfter, f.Tries, spelled(c.Input))
	if types := c.types(); types != "" {
		b.WriteString("\nTypes of these fields:\n" + types)
	}
	fmt.Fprintf(&b, "\nours:\n%s\nreference:\n%s\n", indented(f.Difference.Ours), indented(f.Difference.Theirs))
	return b.String()
}

// spelled formats a value as YAML, or as JSON if a number has a spelling that YAML would
// not show.
func spelled(v document.Value) []byte {
	if text := generate.Text(v); !bytes.Equal(text, v.JSON()) {
		return append(text, '\n')
	}
	return v.YAML()
}

// Title returns the name of a case: its work and kind.
func (c *Case) Title() string {
	k := c.Kinds[0]
	origin := ""
	if c.drawn {
		origin = " (a drawn custom resource)"
	}
	return fmt.Sprintf("%s, %s %s%s", c.Work, k.APIVersion(), k.Kind, origin)
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// types describes the types of the fields in the input that are not self-evident: lists and
// maps with several merge behaviors.
func (c *Case) types() string {
	lines := map[string]bool{}
	for _, k := range c.Kinds {
		w := typeWriter{lines, ""}
		if len(c.Kinds) > 1 {
			w.prefix = k.Version + " "
		}
		for name, v := range c.Input.Members() {
			if name == "steps" {
				for _, step := range v.Items() {
					w.write("", k.Type(), step.Get("body"))
				}
				continue
			}
			w.write("", k.Type(), v)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "")
}

type typeWriter struct {
	lines  map[string]bool
	prefix string
}

func (w typeWriter) write(path string, t *schema.Type, v document.Value) {
	if t == nil {
		return
	}
	if text := sort(t); text != "" && path != "" {
		w.lines[fmt.Sprintf("  %s%s: %s\n", w.prefix, path, text)] = true
	}
	for key, val := range v.Members() {
		w.write(strings.TrimPrefix(path+"."+key, "."), t.Map.Member(key), val)
	}
	if t.List != nil {
		for _, item := range v.Items() {
			w.write(path+"[]", t.List.Elem, item)
		}
	}
}

// sort describes the merge behavior of a type.
func sort(t *schema.Type) string {
	switch {
	case t == schema.Deduced():
		return "without a schema"
	case t.List != nil && t.List.Kind == schema.SetList:
		return "a set"
	case t.List != nil && t.List.Kind == schema.KeyedList:
		keys := make([]string, len(t.List.Keys))
		for i, k := range t.List.Keys {
			keys[i] = k.Name
			if k.Default != "" {
				keys[i] += " (default " + k.Default + ")"
			}
		}
		return "a list keyed by " + strings.Join(keys, " and ")
	case t.List != nil:
		return "an atomic list"
	case t.Map != nil && t.Map.Atomic:
		return "an atomic map"
	case t.Map != nil && t.Map.PreserveUnknown:
		return "a map that keeps unknown fields"
	}
	return ""
}
