package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// A fieldSelector is a list of terms that must all match, in the syntax of the API's
// fieldSelector parameter: a=b, a==b or a!=b, separated by commas.
type fieldSelector []fieldTerm

type fieldTerm struct {
	label, value string
	not          bool
	// path, instead and missing are the label's path in the kind's objects, that of the field
	// used if it is empty, and its value if the field is absent. find sets them.
	path, instead []string
	missing       string
}

// matches reports whether the object matches all terms.
func (s fieldSelector) matches(object document.Value) bool {
	for i := range s {
		if s[i].matches(object) == s[i].not {
			return false
		}
	}
	return true
}

// metadataOnly reports whether all terms refer to metadata fields.
func (s fieldSelector) metadataOnly() bool {
	for i := range s {
		if s[i].path[0] != "metadata" {
			return false
		}
	}
	return true
}

// wanted returns the only value of a label that can match, "" if several can.
func (s fieldSelector) wanted(label string) string {
	for i := range s {
		if !s[i].not && strings.Join(s[i].path, ".") == label {
			return s[i].value
		}
	}
	return ""
}

// SelectedName returns the name that the field selector of a request requires, "" for none. The selector counts as a name
// in authorization.
func (r *Request) SelectedName() string {
	fields, err := parseFields(r.FieldSelector)
	if err != nil {
		return ""
	}
	for _, t := range fields {
		if !t.not && t.label == "metadata.name" {
			return t.value
		}
	}
	return ""
}

func (t *fieldTerm) matches(object document.Value) bool {
	v := object.Lookup(t.path...)
	if t.instead != nil && v.StringOr("") == "" {
		v = object.Lookup(t.instead...)
	}
	if !v.Exists() || v.IsNull() {
		return t.value == t.missing
	}
	if text, ok := v.Text(); ok {
		return t.value == text
	}
	return t.value == v.String()
}

// parseFields parses a fieldSelector parameter. The messages of errors are apimachinery's
// (fields.ParseSelector), which sorts the terms.
func parseFields(text string) (fieldSelector, error) {
	var s fieldSelector
	terms := splitFieldTerms(text)
	slices.Sort(terms)
	for _, term := range terms {
		if term == "" {
			continue
		}
		i := strings.IndexByte(term, '=')
		if i < 0 {
			return nil, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", text, term)
		}
		t := fieldTerm{label: term[:i]}
		value := term[i+1:]
		if strings.HasSuffix(t.label, "!") {
			t.label, t.not = t.label[:i-1], true
		} else {
			value = strings.TrimPrefix(value, "=")
		}
		var err error
		if t.value, err = unescapeFieldValue(value); err != nil {
			return nil, fmt.Errorf("invalid field selector: %w", err)
		}
		if t.value == "" && t.label == "" {
			continue // empty terms are ignored, as on the API server
		}
		s = append(s, t)
	}
	return s, nil
}

// find looks up the labels among the selectable fields of the kind. metadata.namespace is
// selectable for cluster-scoped kinds, too, unless the kind defines its own labels.
func (s fieldSelector) find(k *schema.Kind, strategy *kinds.Strategy) error {
	for i := range s {
		t := &s[i]
		known, ok := selectable(strategy, t.label)
		if t.label == "metadata.name" || t.label == "metadata.namespace" && (k.Namespaced || k.Builtin && len(strategy.Selectable) == 0) {
			known, ok = kinds.SelectableField{}, true
		}
		if !ok {
			return notSelectable(k, strategy, t.label)
		}
		path := known.Path
		if path == "" {
			path = t.label
		}
		t.path, t.missing = strings.Split(path, "."), known.Missing
		if known.Instead != "" {
			t.instead = strings.Split(known.Instead, ".")
		}
	}
	return nil
}

// selectable looks up a selectable field of the kind by its label.
func selectable(s *kinds.Strategy, label string) (kinds.SelectableField, bool) {
	for _, field := range s.Selectable {
		if field.Label == label {
			return field, true
		}
	}
	return kinds.SelectableField{}, false
}

// notSelectable returns the error for a label that the kind does not know, in the words
// of kube-apiserver, which differ for kinds that convert labels themselves.
func notSelectable(k *schema.Kind, strategy *kinds.Strategy, label string) error {
	switch {
	case k.Builtin && len(strategy.Selectable) == 0:
		return fmt.Errorf(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, label)
	case k.Group == "batch" && k.Builtin:
		return fmt.Errorf("field label %q not supported for %s", label, k.Kind)
	case k.Group == "resource.k8s.io" && k.Builtin:
		return fmt.Errorf("field label not supported for %s: %s", k.GroupVersionKind, label)
	}
	return fmt.Errorf("field label not supported: %s", label)
}

// splitFieldTerms splits at commas that have no backslash before them.
func splitFieldTerms(text string) []string {
	var terms []string
	begin, escaped := 0, false
	for i := range len(text) {
		switch {
		case escaped:
			escaped = false
		case text[i] == '\\':
			escaped = true
		case text[i] == ',':
			terms, begin = append(terms, text[begin:i]), i+1
		}
	}
	return append(terms, text[begin:])
}

// unescapeFieldValue removes the backslashes before '\', ',' and '='. None of the
// three may occur without one.
func unescapeFieldValue(text string) (string, error) {
	if !strings.ContainsAny(text, `\,=`) {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '\\':
			i++
			if next, size := utf8.DecodeRuneInString(text[i:]); size == 0 || !strings.ContainsRune(`\,=`, next) {
				return "", errors.New(`invalid escape sequence: \` + strings.ToValidUTF8(text[i:i+size], "\uFFFD"))
			}
			c = text[i]
		case ',', '=':
			return "", fmt.Errorf("unescaped character in value: %d", c)
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}
