package fieldset

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// The keys of a trie are canonical path elements (see document.CanonicalElement), the
// document.Step.Element of a step.

// Field returns the path element of an object's member.
func Field(name string) string { return "f:" + name }

// Name returns the name of the member that a path element refers to.
func Name(element string) (string, bool) { return strings.CutPrefix(element, "f:") }

// Step returns the step of a canonical path element.
func Step(element string) document.Step {
	s, _, _ := document.ParseElement(element)
	return s
}

// Message formats a path as in the API server's conflict messages and causes: names are not
// quoted, and numbers are printed like Go's float64, because managedFields are decoded that
// way:
//
//	.metadata.labels.a/b
//	.spec.parts[id=1e+06]
func Message(p document.Path) string { return message(p, false) }

// ObjectMessage formats a path like Message, but integers as such, because the API server reads
// those of an object as int64:
//
//	.spec.parts[id=1000000]
func ObjectMessage(p document.Path) string { return message(p, true) }

func message(p document.Path, integers bool) string {
	var b strings.Builder
	for _, s := range p {
		if name, ok := s.Name(); ok {
			b.WriteByte('.')
			b.WriteString(name)
			continue
		}
		if s.Kind() == document.StepKey && plainKey(&b, s.Element()) {
			continue
		}
		switch v := s.Value(); s.Kind() {
		case document.StepIndex:
			i, _ := s.Index()
			b.WriteString("[" + strconv.Itoa(i) + "]")
		case document.StepValue:
			b.WriteString("[=" + messageText(v, integers) + "]")
		case document.StepKey:
			parts := make([]string, v.Len())
			for i := range parts {
				parts[i] = v.Key(i) + "=" + messageText(v.At(i), integers)
			}
			b.WriteString("[" + strings.Join(parts, ",") + "]")
		}
	}
	return b.String()
}

// plainKey formats the most frequent path element of a keyed list, a single key with a
// simple string, without parsing it, and reports whether it did. A report of conflicts has
// one per field.
func plainKey(b *strings.Builder, element string) bool {
	text, isObject := strings.CutPrefix(element, `k:{"`)
	text, ends := strings.CutSuffix(text, `"}`)
	name, value, ok := strings.Cut(text, `":"`)
	if !isObject || !ends || !ok {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	if strings.Contains(name, `"`) || strings.Contains(value, `"`) {
		return false
	}
	b.WriteByte('[')
	b.WriteString(name)
	b.WriteString(`="`)
	b.WriteString(value)
	b.WriteString(`"]`)
	return true
}

// messageText formats a value like structured-merge-diff does in paths.
func messageText(v document.Value, integers bool) string {
	switch v.Kind() {
	case document.String:
		s, _ := v.Text()
		return strconv.Quote(s)
	case document.Number:
		if i, ok := v.Int(); ok && integers {
			return strconv.FormatInt(i, 10)
		}
		f, _ := v.Float()
		return strconv.FormatFloat(f, 'g', -1, 64)
	case document.List:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = messageText(v.At(i), integers)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case document.Object:
		var b strings.Builder
		for k, m := range v.Members() {
			b.WriteString(k + "=" + messageText(m, integers))
		}
		return b.String()
	}
	return v.String()
}
