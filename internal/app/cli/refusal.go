package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// refusalDocument returns the output document for a refused change.
func refusalDocument(e *patchlab.Error) (document.Value, error) {
	return results.AsDocument(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		*patchlab.Error
		Conflicts []patchlab.Conflict `json:"conflicts,omitempty"`
		Message   string              `json:"message"`
	}{results.OwnVersion, results.RefusalKind, e, conflictsOf(e), e.Error()})
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
		owners = terminal.OneLine(e.FieldManager) + " owns by updates, which are another owner than its applies"
	} else if slices.ContainsFunc(e.Conflicts.List, func(c patchlab.Conflict) bool { return c.Manager != e.Conflicts.List[0].Manager }) {
		owners = "other field managers own"
	}
	return fmt.Sprintf("applying as %q would change %s that %s", e.FieldManager, terminal.Count(len(e.Conflicts.List), "field", "fields"), owners)
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
		live, wanted := results.ShortPair(c.Live, c.Wanted)
		fmt.Fprintf(&b, "\n  %s%s\n    owner   %s\n    live    %s\n    wanted  %s\n%s", c.Path, at, results.OwnerText(c), live, wanted, results.NoteText(e.Fields[i].Hint))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// conflictAdvice lists the ways to resolve a number of conflicts.
func (p *printer) conflictAdvice(conflicts int) string {
	conflict := "conflict"
	if conflicts > 1 {
		conflict = "conflicts"
	}
	migrate := fmt.Sprintf("'%s migrate %s --from %s --to %s'", p.app.CalledAs(), p.live, program.ShellQuote(p.migrated), program.ShellQuote(p.applier))
	if !p.others { // nobody else could keep a field
		return fmt.Sprintf(`To resolve the %[1]s, choose one:
  migrate  once, %[2]s: the applies of %[3]s own all that its updates set
  force    run again with --force-conflicts: the applies own the fields of the manifest, but what the updates
           set and the manifest omits remains`, conflict, migrate, p.applier)
	}
	removed := ""
	if p.transferred { // nobody keeps it
		removed = ", but what " + results.ClientApplier + " set is removed"
	}
	text := fmt.Sprintf(`To resolve the %[1]s, choose one for each field:
  force            run again with --force-conflicts: %[2]s becomes the owner, the other manager loses it
  drop the field   remove it from the applied manifest: the other manager keeps it%[3]s
  adopt the value  set it to the live value: both managers own it`, conflict, p.applier, removed)
	if p.migrated != "" {
		text += fmt.Sprintf(`
  migrate          %[3]s: %[2]s takes over what %[1]s set by updates`,
			program.ShellQuote(p.migrated), program.ShellQuote(p.applier), migrate)
	}
	return text
}

// migratedManager returns the first owner that wrote by updates what the applier is to apply
// from now on: a command of kubectl that sends a whole manifest, or the applier itself. It returns
// "" if there is none.
func migratedManager(e *patchlab.Error) string {
	for _, c := range e.Conflicts.List {
		if c.Operation != fieldmanager.OperationUpdate || c.Subresource != "" {
			continue
		}
		switch c.Manager {
		case results.ClientApplier, "kubectl-create", "kubectl-replace", e.FieldManager:
			return c.Manager
		}
	}
	return ""
}

// ofClientApply reports whether client-side apply owns a field in conflict.
func ofClientApply(e *patchlab.Error) bool {
	return slices.ContainsFunc(e.Conflicts.List, func(c patchlab.Conflict) bool { return c.Manager == results.ClientApplier })
}
