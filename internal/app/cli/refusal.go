package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// refusalKind is the kind of the output document for a refused change.
const refusalKind = "Refusal"

// refusalDocument returns the output document for a refused change.
func refusalDocument(e *patchlab.Error) (document.Value, error) {
	return asDocument(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		*patchlab.Error
		Conflicts []patchlab.Conflict `json:"conflicts,omitempty"`
		Message   string              `json:"message"`
	}{ownVersion, refusalKind, e, conflictsOf(e), e.Error()})
}

func conflictsOf(e *patchlab.Error) []patchlab.Conflict {
	if e.Conflicts == nil {
		return nil
	}
	return e.Conflicts.List
}

// conflictLine returns the message of conflicts in one line.
func conflictLine(e *patchlab.Error) string {
	owners := "another field manager owns"
	if onlyOwnUpdates(e) {
		owners = oneLine(e.FieldManager) + " owns by updates, which are another owner than its applies"
	} else if slices.ContainsFunc(e.Conflicts.List, func(c patchlab.Conflict) bool { return c.Manager != e.Conflicts.List[0].Manager }) {
		owners = "other field managers own"
	}
	return fmt.Sprintf("applying as %q would change %s that %s", e.FieldManager, count(len(e.Conflicts.List), "field", "fields"), owners)
}

// onlyOwnUpdates reports whether an applier conflicts only with itself.
func onlyOwnUpdates(e *patchlab.Error) bool {
	return !slices.ContainsFunc(e.Conflicts.List, func(c patchlab.Conflict) bool { return !isOwnUpdate(e, c) })
}

// isOwnUpdate reports whether the applier itself owns a field in conflict, by updates of the object.
func isOwnUpdate(e *patchlab.Error, c patchlab.Conflict) bool {
	return c.Manager == e.FieldManager && c.Operation == fieldmanager.OperationUpdate && c.Subresource == ""
}

// conflictReport lists the owner of each field in conflict.
func conflictReport(e *patchlab.Error) string {
	var b strings.Builder
	b.WriteString(conflictLine(e) + "\n")
	for i, c := range e.Conflicts.List {
		at := ""
		if p := e.Fields[i].Position; p.Line > 0 {
			at = "  (" + p.String() + ")"
		}
		live, wanted := shortPair(c.Live, c.Wanted)
		fmt.Fprintf(&b, "\n  %s%s\n    owner   %s\n    live    %s\n    wanted  %s\n%s", c.Path, at, ownerText(c), live, wanted, noteText(e.Fields[i].Hint))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// conflictAdvice lists the ways to resolve a number of conflicts.
func (p *printer) conflictAdvice(conflicts int) string {
	conflict := "conflict"
	if conflicts > 1 {
		conflict = "conflicts"
	}
	migrate := fmt.Sprintf("'%s migrate %s --from %s --to %s'", p.app.program(), p.live, shellQuote(p.migrated), shellQuote(p.applier))
	if !p.others { // nobody else could keep a field
		return fmt.Sprintf(`To resolve the %[1]s, choose one:
  migrate  once, %[2]s: the applies of %[3]s own all that its updates set
  force    run again with --force-conflicts: the applies own the fields of the manifest, but what the updates
           set and the manifest omits remains`, conflict, migrate, p.applier)
	}
	removed := ""
	if p.transferred { // nobody keeps it
		removed = ", but what " + clientApplier + " set is removed"
	}
	text := fmt.Sprintf(`To resolve the %[1]s, choose one for each field:
  force            run again with --force-conflicts: %[2]s becomes the owner, the other manager loses it
  drop the field   remove it from the applied manifest: the other manager keeps it%[3]s
  adopt the value  set it to the live value: both managers own it`, conflict, p.applier, removed)
	if p.migrated != "" {
		text += fmt.Sprintf(`
  migrate          %[3]s: %[2]s takes over what %[1]s set by updates`,
			shellQuote(p.migrated), shellQuote(p.applier), migrate)
	}
	return text
}

// clientApplier is the field manager of kubectl's client-side apply.
const clientApplier = "kubectl-client-side-apply"

// migratedManager returns the first owner that wrote by updates what the applier is to apply
// from now on: a command of kubectl that sends a whole manifest, or the applier itself. It returns
// "" if there is none.
func migratedManager(e *patchlab.Error) string {
	for _, c := range e.Conflicts.List {
		if c.Operation != fieldmanager.OperationUpdate || c.Subresource != "" {
			continue
		}
		switch c.Manager {
		case clientApplier, "kubectl-create", "kubectl-replace", e.FieldManager:
			return c.Manager
		}
	}
	return ""
}

// ofClientApply reports whether client-side apply owns a field in conflict.
func ofClientApply(e *patchlab.Error) bool {
	return slices.ContainsFunc(e.Conflicts.List, func(c patchlab.Conflict) bool { return c.Manager == clientApplier })
}

// ownerText describes the entry of a field's owner.
func ownerText(c patchlab.Conflict) string {
	text := fmt.Sprintf("%s (%s, %s", oneLine(c.Manager), c.Operation, oneLine(c.APIVersion))
	if c.Subresource != "" {
		text += ", subresource " + oneLine(c.Subresource)
	}
	if !c.Time.IsZero() {
		text += ", since " + c.Time.UTC().Format("2006-01-02T15:04:05Z")
	}
	return text + ")"
}

// ownerName describes the owner of a field in several objects, whose entries may differ in their version
// and time.
func ownerName(o fieldmanager.Owner) string {
	text := oneLine(o.Manager) + " (" + string(o.Operation)
	if o.Subresource != "" {
		text += ", subresource " + oneLine(o.Subresource)
	}
	return text + ")"
}

// noteText returns the line for the note on a conflict.
func noteText(note string) string {
	if note == "" {
		return ""
	}
	return "    note    " + note + "\n"
}

// shortPair formats two values, each on one line that fits a terminal, such that the
// difference is visible.
func shortPair(a, b document.Value) (string, string) {
	short := shortTexts(100, valueText(a), valueText(b))
	return short[0], short[1]
}

// shortTexts shortens values to a number of characters. If one is longer, all begin shortly before
// the place where they differ.
func shortTexts(most int, values ...string) []string {
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

// valueText returns a value for people: in JSON, without the escapes for HTML.
func valueText(v document.Value) string {
	if !v.Exists() {
		return "(not set)"
	}
	return withoutHTMLEscapes().Replace(v.String())
}

var withoutHTMLEscapes = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // the first is an escaped backslash
})
