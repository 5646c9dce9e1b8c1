package results

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// WithoutVersion returns a target with its group in place of the apiVersion.
func WithoutVersion(t patchlab.Target) patchlab.Target {
	t.APIVersion = t.Group()
	return t
}

// AsDocument converts an output structure to a document.
func AsDocument(v any) (document.Value, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return document.Value{}, err
	}
	d, err := document.Parse(text, document.Options{MaxBytes: -1})
	if err != nil {
		return document.Value{}, err
	}
	return d.Root, nil
}

// OwnerNames lists owners: gitops (Apply), autoscaler (Update, subresource scale)
func OwnerNames(list []fieldmanager.Owner) string {
	if len(list) == 0 {
		return "nobody"
	}
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.Manager + " (" + string(o.Operation)
		if o.Subresource != "" {
			names[i] += ", subresource " + o.Subresource
		}
		names[i] += ")"
	}
	return terminal.OneLine(strings.Join(names, ", "))
}

// OwnVersion is the apiVersion of the documents that the commands print about objects.
const OwnVersion = "patchlab.dev/v1"

// RefusalKind is the kind of the output document for a refused change.
const RefusalKind = "Refusal"

// ClientApplier is the field manager of kubectl's client-side apply.
const ClientApplier = "kubectl-client-side-apply"

// OwnerText describes the entry of a field's owner.
func OwnerText(c patchlab.Conflict) string {
	text := fmt.Sprintf("%s (%s, %s", terminal.OneLine(c.Manager), c.Operation, terminal.OneLine(c.APIVersion))
	if c.Subresource != "" {
		text += ", subresource " + terminal.OneLine(c.Subresource)
	}
	if !c.Time.IsZero() {
		text += ", since " + c.Time.UTC().Format("2006-01-02T15:04:05Z")
	}
	return text + ")"
}

// OwnerName describes the owner of a field in several objects, whose entries may differ in their version
// and time.
func OwnerName(o fieldmanager.Owner) string {
	text := terminal.OneLine(o.Manager) + " (" + string(o.Operation)
	if o.Subresource != "" {
		text += ", subresource " + terminal.OneLine(o.Subresource)
	}
	return text + ")"
}

// NoteText returns the line for the note on a conflict.
func NoteText(note string) string {
	if note == "" {
		return ""
	}
	return "    note    " + note + "\n"
}

// ShortPair formats two values, each on one line that fits a terminal, such that the
// difference is visible.
func ShortPair(a, b document.Value) (string, string) {
	short := ShortTexts(100, ValueText(a), ValueText(b))
	return short[0], short[1]
}

// ShortTexts shortens values to a number of characters. If one is longer, all begin shortly before
// the place where they differ.
func ShortTexts(most int, values ...string) []string {
	const before = 30
	texts := make([][]rune, len(values))
	longest, common := 0, 0
	for i, v := range values {
		texts[i] = []rune(v)
		longest = max(longest, len(texts[i]))
	}
	if longest > most && len(texts) > 1 {
		for !slices.ContainsFunc(texts, func(t []rune) bool { return common >= len(t) || t[common] != texts[0][common] }) {
			common++
		}
	}
	if common == longest { // they are equal
		common = 0
	}
	from := max(0, common-before)
	short := make([]string, len(texts))
	for i, text := range texts {
		if from > 0 {
			short[i] = "…"
		}
		if text = text[from:]; len(text) > most {
			short[i] += string(text[:most]) + "…"
		} else {
			short[i] += string(text)
		}
	}
	return short
}

// ValueText returns a value for people: in JSON, without the escapes for HTML.
func ValueText(v document.Value) string {
	if !v.Exists() {
		return "(not set)"
	}
	return withoutHTMLEscapes().Replace(v.String())
}

var withoutHTMLEscapes = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // the first is an escaped backslash
})
