package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/patch"
)

// printer prints the results of changes, and counts them.
type printer struct {
	app     *program.App
	flags   *results.Flags
	lab     *patchlab.Lab
	several bool
	color   bool
	force   bool // whether the changes are forced
	out     []byte
	objects []document.Value // for yaml and json
	notes   results.Notes    // that are printed after all changes
	summary *results.Summary
	// conflicts is the number of fields in conflict, of which an object may have several, and shared
	// lists them.
	conflicts int
	shared    results.SharedConflicts
	// applier is the field manager of a change with conflicts, and migrated an owner that
	// migrate can replace; "" for none.
	applier, migrated string
	others            bool   // another manager than the applier owns a field in conflict
	live              string // the arguments for LIVE of another command, for advice
	// transfers reports whether the fields of client-side apply are transferred, and transferred
	// whether one of them is in conflict.
	transfers, transferred bool
	// seen are the objects of the changes, without their versions, and namespaces those that they are in.
	seen       map[patchlab.Target]bool
	namespaces map[string]bool
}

func newPrinter(a *program.App, f *results.Flags, lab *patchlab.Lab, changes int) *printer {
	return &printer{app: a, flags: f, lab: lab, several: changes > 1, notes: results.Notes{App: a, Total: changes},
		seen: map[patchlab.Target]bool{}, namespaces: map[string]bool{},
		summary: &results.Summary{App: a, Format: f.Summary.Format},
		color:   f.Color.On(a.Out)}
}

// add prints the result of one change. An error ends the command.
func (p *printer) add(r *patchlab.Result, err error) error {
	if err != nil {
		return p.failed(err)
	}
	p.see(r.Target)
	p.notes.Add(r.Target, r.Notes...)
	if p.force && !p.app.Quiet {
		p.notes.Add(r.Target, forcedNotes(r)...)
	}
	p.warn(r.Warnings, r.Target, r.Position)
	what := outcomeOfResult(r)
	p.summary.Counts[what]++
	if p.flags.Summary.ReplacesOutput() {
		one := results.Row{Target: r.Target, Outcome: what, Fields: len(fieldChanges(r))}
		if p.flags.Summary.Format == "markdown" {
			one.Detail = p.diff(r)
			p.describe(&one, r)
		}
		p.summary.Rows = append(p.summary.Rows, one)
		return nil
	}
	switch p.flags.Format {
	case "yaml", "json":
		p.objects = append(p.objects, p.flags.Shown(r.Object()))
	case "name":
		p.out = append(p.out, terminal.OneLine(results.ResourceLine(r.After.Kind, r.Target.Name))+"\n"...)
	case "diff":
		p.out = append(p.out, results.ShownDiff(p.diff(r), p.color)...)
	case "patch":
		return p.patch(r)
	}
	return nil
}

// see records the object of a change.
func (p *printer) see(t patchlab.Target) {
	p.seen[results.WithoutVersion(t)] = true
	if t.Namespace != "" {
		p.namespaces[t.Namespace] = true
	}
}

// warningsOf returns the warnings that the API server sends with a refusal.
func warningsOf(err error) []string {
	var status *cluster.Status
	if !errors.As(err, &status) {
		return nil
	}
	return status.Warnings
}

// warn prints the warnings of a change, or keeps them until the end if there are several changes,
// because many objects of a chart have the same warning.
func (p *printer) warn(texts []string, target patchlab.Target, at document.Position) {
	for _, text := range texts {
		if !p.several && !p.flags.Summary.ReplacesOutput() {
			p.app.NoteOnce("Warning: " + text)
			continue
		}
		p.summary.Warnings.Add(text, target, at)
	}
}

func (p *printer) diff(r *patchlab.Result) string {
	var before document.Value
	if !r.Created() {
		before = r.Before.Join()
	}
	return p.flags.Diff(results.FileName(r.Target), before, r.Object())
}

// fieldChanges returns the fields with another value, none of a new object. The annotation of client-side apply, which
// diffs omit too, is not among them.
func fieldChanges(r *patchlab.Result) []explain.Change {
	if r.Created() || !r.Changed() {
		return nil
	}
	return slices.DeleteFunc(r.Changes(), func(c explain.Change) bool {
		return document.Identical(c.Before, c.After) || slices.Equal(c.Path, results.LastApplied())
	})
}

// describe adds the fields of an object that have changed to its row.
func (p *printer) describe(one *results.Row, r *patchlab.Result) {
	changes := fieldChanges(r)
	if len(changes) == 0 {
		return
	}
	sum := sha256.New()
	for _, c := range changes {
		fmt.Fprintf(sum, "%s\x00%t%s\x00%t%s\x00", c.Path, c.Before.Exists(), c.Before.JSON(), c.After.Exists(), c.After.JSON())
	}
	one.Change, one.MetadataOnly = string(sum.Sum(nil)), inMetadata(changes)
	one.Short = results.FieldsDiff(fieldLines(changes, r.Before.Value, r.After.Value, results.IsSecret(r.After.Value) && !p.flags.ShowSecrets))
}

// inMetadata reports whether all changes are in the metadata of the object.
func inMetadata(changes []explain.Change) bool {
	return !slices.ContainsFunc(changes, func(c explain.Change) bool { return !isMetadata(c.Path) })
}

func isMetadata(path document.Path) bool {
	return len(path) > 0 && path[0] == document.FieldStep("metadata")
}

// outcomeOfResult returns the outcome of a change that was not refused.
func outcomeOfResult(r *patchlab.Result) results.Outcome {
	switch {
	case r.Created():
		return results.Created
	case !r.Changed():
		return results.Unchanged
	case document.Identical(results.WithoutCounters(r.Before.Value), results.WithoutCounters(r.After.Value)):
		return results.Owners
	}
	return results.Changed
}

// patch prints a patch, with its object if there are several.
func (p *printer) patch(r *patchlab.Result) error {
	made, patchType, err := results.MadePatch(r, p.flags)
	if err != nil {
		return err
	}
	if !p.several {
		p.out = append(append(p.out, made.JSON()...), '\n')
		return nil
	}
	name := "create"
	if patchType != patch.TypeAuto {
		name = patchType.String()
	}
	text, err := targetedPatch(r.Target, name, made)
	p.out = append(p.out, text...)
	return err
}

// targetedPatch returns one of several patches as a line of JSON, with its target.
func targetedPatch(target patchlab.Target, patchType string, p document.Value) ([]byte, error) {
	text, err := json.Marshal(struct {
		Target patchlab.Target `json:"target"`
		Type   string          `json:"type"`
		Patch  document.Value  `json:"patch"`
	}{target, patchType, p})
	return append(text, '\n'), err
}

// failed prints the error of one change. An error that does not concern a single change, or a
// wrong flag, ends the command.
func (p *printer) failed(err error) error {
	var e *patchlab.Error
	if !errors.As(err, &e) {
		return err
	}
	p.see(e.Target)
	p.notes.Add(e.Target, e.Notes...)
	p.warn(warningsOf(err), e.Target, document.Position{}) // e.Position is that of an invalid field
	if len(e.Options) > 0 {
		return changeError(e)
	}
	if !p.flags.ShowSecrets {
		e = results.MaskConflicts(e)
	}
	what, text, detail := results.Refused, e.Error(), e.Error()
	if e.Conflicts != nil {
		what, text, detail = results.Conflicting, e.Target.String()+": "+conflictLine(e), e.Target.String()+": "+conflictReport(e)
		p.conflicts += len(e.Conflicts.List)
		for i, c := range e.Conflicts.List {
			p.shared.Add(e.Target, c, e.Fields[i], "")
		}
		p.applier, p.migrated = e.FieldManager, cmp.Or(p.migrated, migratedManager(e))
		p.others = p.others || !onlyOwnUpdates(e)
		p.transferred = p.transferred || p.transfers && ofClientApply(e)
		if !p.several {
			text = conflictReport(e) + "\n\n" + p.conflictAdvice(len(e.Conflicts.List))
		}
	}
	p.summary.Counts[what]++
	p.app.Fail(text)
	if p.flags.Summary.ReplacesOutput() {
		p.summary.Rows = append(p.summary.Rows, results.Row{Target: e.Target, Position: e.Position, Outcome: what, Detail: detail})
		return nil
	}
	if p.flags.Asked && (p.flags.Format == "json" || p.flags.Format == "yaml") {
		document, err := refusalDocument(e)
		if err != nil {
			return err
		}
		p.objects = append(p.objects, document)
	}
	return nil
}

// fieldsInConflict lists the conflicts of several manifests.
func (p *printer) fieldsInConflict() string {
	title := "The fields in conflict:\n"
	if p.conflicts == 1 {
		title = "The field in conflict:\n"
	}
	return title + p.shared.Text()
}

// finish prints the output and the summary, and returns the exit code.
func (p *printer) finish(exitCode bool) error {
	switch {
	case p.flags.Summary.ReplacesOutput():
		text, err := p.summary.Report(&p.notes)
		if err != nil {
			return err
		}
		p.out = []byte(text)
	case len(p.objects) > 0:
		p.out = results.Encode(p.flags.Format, p.objects)
	}
	if _, err := p.app.Out.Write(p.out); err != nil {
		return err
	}
	p.notes.Print()
	p.summary.NoteWarnings()
	if p.several && p.conflicts > 0 {
		_, _ = io.WriteString(p.app.Err, terminal.Readable("\n"+p.fieldsInConflict()+"\n"+p.conflictAdvice(p.conflicts))+"\n")
	}
	p.summary.Note(p.several)
	switch counts := p.summary.Counts; {
	case counts[results.Refused]+len(p.app.Unread) > 0:
		return &program.Exit{Code: program.ExitRefused}
	case counts[results.Conflicting] > 0:
		return &program.Exit{Code: program.ExitConflict}
	case exitCode && counts[results.Created]+counts[results.Changed]+counts[results.Pruned] > 0:
		return &program.Exit{Code: program.ExitChanged}
	}
	return nil
}
