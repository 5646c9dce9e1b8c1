package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

// printer prints the results of changes, and counts them.
type printer struct {
	app     *App
	flags   *outputFlags
	lab     *patchlab.Lab
	several bool
	color   bool
	out     []byte
	objects []document.Value // for yaml and json
	rows    []row            // for the summary in Markdown
	// notes and warnings are those that are printed after all changes.
	notes    notes
	warnings remarks
	counts   [outcomes]int
	// conflicts is the number of fields in conflict, of which an object may have several.
	conflicts int
	// applier is the field manager of a change with conflicts, and migrated an owner that
	// migrate can replace; "" for none.
	applier, migrated string
}

// outcome is the effect of a change on an object.
type outcome int

const (
	created outcome = iota
	changed
	owners // only owners changed
	unchanged
	conflicting
	refused
	outcomes
)

// String returns the outcome as it is in the summary.
func (o outcome) String() string {
	return [...]string{"created", "changed", "with other owners", "unchanged", "conflict", "refused"}[o]
}

// row is an object in the Markdown summary.
type row struct {
	target  patchlab.Target
	outcome outcome
	detail  string // a diff or a message
}

func newPrinter(a *App, f *outputFlags, lab *patchlab.Lab, changes int) *printer {
	return &printer{app: a, flags: f, lab: lab, several: changes > 1, notes: notes{app: a, total: changes},
		color: f.color == "always" || f.color == "auto" && isTerminal(a.Out)}
}

// add prints the result of one change. An error ends the command.
func (p *printer) add(r *patchlab.Result, err error) error {
	if err != nil {
		return p.failed(err)
	}
	p.notes.add(r.Target, r.Notes)
	p.warn(r)
	what := outcomeOfResult(r)
	p.counts[what]++
	if p.flags.summary == "markdown" {
		p.rows = append(p.rows, row{r.Target, what, p.diff(r)})
		return nil
	}
	switch p.flags.format {
	case "yaml", "json":
		p.objects = append(p.objects, p.flags.shown(r.Object()))
	case "name":
		p.out = append(p.out, resourceLine(r.After.Kind, r.Target.Name)+"\n"...)
	case "diff":
		text := p.diff(r)
		if p.color {
			text = colorDiff(text)
		}
		p.out = append(p.out, text...)
	case "patch":
		return p.patch(r)
	}
	return nil
}

// warn prints the warnings of a change, or keeps them until the end if there are several changes,
// because many objects of a chart have the same warning.
func (p *printer) warn(r *patchlab.Result) {
	for _, text := range r.Warnings {
		if !p.several && p.flags.summary != "markdown" {
			p.app.noteOnce("Warning: " + text)
			continue
		}
		p.warnings.add(text, r.Target, r.Position)
	}
}

func (p *printer) diff(r *patchlab.Result) string {
	var before document.Value
	if !r.Created() {
		before = r.Before.Join()
	}
	return p.flags.diff(fileName(r.Target), before, r.Object())
}

// outcomeOfResult returns the outcome of a change that was not refused.
func outcomeOfResult(r *patchlab.Result) outcome {
	switch {
	case r.Created():
		return created
	case !r.Changed():
		return unchanged
	case document.Identical(withoutCounters(r.Before.Value), withoutCounters(r.After.Value)):
		return owners
	}
	return changed
}

// patch prints a patch, with its object if there are several.
func (p *printer) patch(r *patchlab.Result) error {
	made, patchType, err := madePatch(r, p.flags)
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
	p.notes.add(e.Target, e.Notes)
	if len(e.Options) > 0 {
		return changeError(e)
	}
	if !p.flags.showSecrets {
		e = maskConflicts(e)
	}
	what, text := refused, e.Error()
	if e.Conflicts != nil {
		what, text = conflicting, conflictReport(e, p.several)
		p.conflicts += len(e.Conflicts.List)
		p.applier, p.migrated = e.FieldManager, cmp.Or(p.migrated, migratedManager(e))
		if !p.several {
			text += "\n\n" + conflictAdvice(len(e.Conflicts.List), p.applier, p.migrated)
		}
	}
	p.counts[what]++
	p.app.fail(text)
	if p.flags.summary == "markdown" {
		p.rows = append(p.rows, row{e.Target, what, text})
		return nil
	}
	if p.flags.asked && (p.flags.format == "json" || p.flags.format == "yaml") {
		document, err := refusalDocument(e)
		if err != nil {
			return err
		}
		p.objects = append(p.objects, document)
	}
	return nil
}

// finish prints the output and the summary, and returns the exit code.
func (p *printer) finish(exitCode bool) error {
	switch {
	case p.flags.summary == "markdown":
		p.out = []byte(p.markdown())
	case len(p.objects) > 0:
		p.out = encode(p.flags.format, p.objects)
	}
	if _, err := p.app.Out.Write(p.out); err != nil {
		return err
	}
	p.notes.print()
	if p.flags.summary != "markdown" {
		for i := range p.warnings.all {
			p.app.note("Warning: " + p.warnings.all[i].located())
		}
	}
	if p.several && p.conflicts > 0 {
		_, _ = io.WriteString(p.app.Err, "\n"+conflictAdvice(p.conflicts, p.applier, p.migrated)+"\n")
	}
	if (p.several || p.app.unread > 0) && p.flags.summary == "auto" {
		p.app.note(p.summary())
	}
	switch {
	case p.counts[refused]+p.app.unread > 0:
		return &exit{code: exitRefused}
	case p.counts[conflicting] > 0:
		return &exit{code: exitConflict}
	case exitCode && p.counts[created]+p.counts[changed] > 0:
		return &exit{code: exitChanged}
	}
	return nil
}

// summary returns one line: 81 objects: 3 changed, 77 unchanged, 1 with conflicts
func (p *printer) summary() string {
	total := 0
	var parts []string
	for o := range outcomes {
		if n := p.counts[o]; n > 0 {
			total += n
			text := o.String()
			if o == conflicting { // one object may have several conflicts
				text = "with conflicts"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, text))
		}
	}
	text := count(total, "object", "objects") + ": " + strings.Join(parts, ", ")
	if p.app.unread > 0 {
		text += "; " + count(p.app.unread, "input", "inputs") + " could not be read"
	}
	return text
}

// maxComment is the size of the Markdown summary in bytes. A comment on GitHub has at most
// 65,536 characters, and others may add text of their own.
const maxComment = 64_000

// markdown returns the summary as a comment for a pull request: a table, and those changes that
// fit into a comment.
func (p *printer) markdown() string {
	var b strings.Builder
	b.WriteString("**patchlab**: " + p.summary() + "\n\n| object | result |\n|---|---|\n")
	rows := slices.DeleteFunc(slices.Clone(p.rows), func(r row) bool { return r.outcome == unchanged })
	for i, r := range rows {
		line := fmt.Sprintf("| %s | %s |\n", markdownText(r.target.String()), r.outcome)
		if b.Len()+len(line) > maxComment*3/4 {
			b.WriteString("\n" + count(len(rows)-i, "more object is", "more objects are") + " not listed, so that this fits into a comment.\n")
			break
		}
		b.WriteString(line)
	}
	for i := range p.warnings.all {
		line := "\n:warning: " + markdownText(p.warnings.all[i].located()) + "\n"
		if b.Len()+len(line) > maxComment*7/8 {
			b.WriteString("\n" + count(len(p.warnings.all)-i, "more warning is", "more warnings are") + " not listed, so that this fits into a comment.\n")
			break
		}
		b.WriteString(line)
	}
	omitted := 0
	for _, r := range rows {
		if r.detail == "" {
			continue
		}
		if text := detailText(r); b.Len()+len(text) <= maxComment {
			b.WriteString(text)
		} else {
			omitted++
		}
	}
	if omitted > 0 {
		b.WriteString("\n" + count(omitted, "diff is", "diffs are") + " omitted, so that this fits into a comment; `patchlab apply -o diff` prints all.\n")
	}
	return b.String()
}

// detailText returns the diff or the message of an object, which a click shows.
func detailText(r row) string {
	fence := "```"
	for strings.Contains(r.detail, fence) {
		fence += "`"
	}
	return fmt.Sprintf("\n<details><summary>%s: %s</summary>\n\n%sdiff\n%s\n%s\n\n</details>\n", markdownText(r.target.String()), r.outcome,
		fence, strings.TrimRight(r.detail, "\n"), fence)
}

// markdownText escapes text for Markdown and HTML.
func markdownText(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ", "_", `\_`, "*", `\*`, "`", "\\`").Replace(s)
}
