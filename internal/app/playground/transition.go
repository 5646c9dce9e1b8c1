package playground

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// transitionRule returns the CEL rule in the schema of a custom resource that refuses
// every change of the field at a path, nil for none. It knows the two forms in which such
// rules are written, "self == oldSelf" for a value and "self.a == oldSelf.a" for a field
// of an object; other rules are not interpreted.
func transitionRule(t *schema.Type, p document.Path) *schema.Rule {
	for n := 0; n <= len(p); n++ {
		within := t.At(p[:n])
		if within == nil {
			return nil
		}
		if within.Validation == nil {
			continue
		}
		for i := range within.Validation.Rules {
			rule := &within.Validation.Rules[i]
			if field, ok := unchanged(rule.Rule); ok && begins(p[n:], field) {
				return rule
			}
		}
	}
	return nil
}

// unchanged reads a rule that compares a value, or a field of it, with the old one. The
// names are those of the fields that lead to it.
func unchanged(rule string) (names []string, ok bool) {
	left, right, ok := strings.Cut(strings.Join(strings.Fields(rule), ""), "==")
	if strings.HasPrefix(left, "oldSelf") {
		left, right = right, left
	}
	if !ok || right != "oldSelf"+strings.TrimPrefix(left, "self") || !strings.HasPrefix(left, "self") {
		return nil, false
	}
	path := strings.TrimPrefix(left, "self")
	if path == "" {
		return nil, true
	}
	if path[0] != '.' || strings.ContainsAny(path, "()[]!&|?+-*/'\"") {
		return nil, false
	}
	return strings.Split(path[1:], "."), true
}

// begins reports whether a path begins with fields of these names.
func begins(p document.Path, names []string) bool {
	if len(p) < len(names) {
		return false
	}
	for i, want := range names {
		if name, ok := p[i].Name(); !ok || name != want {
			return false
		}
	}
	return true
}

// transitionText describes the consequence of a transition rule.
func transitionText(rule *schema.Rule) string {
	text := "A CEL rule of the custom resource definition, \"" + strings.TrimSpace(rule.Rule) + "\", makes it immutable: an update with another value is refused"
	if rule.Message != "" {
		text += " with the message \"" + rule.Message + "\""
	}
	return text + "."
}
