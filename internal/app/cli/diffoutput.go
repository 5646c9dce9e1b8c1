package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// text prints the text for an object, after an empty line if it is not the first.
func (d *differing) text(text string) {
	if d.printed > 0 {
		d.app.Print("\n")
	}
	d.printed++
	d.app.Show(text)
}

// patch prints the requested patch.
func (d *differing) patch(found *patchlab.Alternatives) error {
	p := found.Patches[0]
	if !p.Patch.Exists() {
		d.app.Fail(found.Target.String() + ": " + p.Err.Error())
		d.refused = true
		return nil
	}
	if p.Err != nil {
		d.app.Note(found.Target.String() + ": the patch would be refused: " + p.Err.Error())
	} else if !p.Exact {
		d.app.Note(found.Target.String() + ": the patch does not express the complete change; use 'diff -o text' to see what is missing")
	}
	if why := d.migrates(found, &p); why != "" {
		d.app.Note("Warning: " + found.Target.String() + ": " + why)
	}
	if p.Action == patchlab.ActionApply {
		if d.printed > 0 {
			d.app.Print("---\n")
		}
		d.printed++
		d.app.Print(string(p.Patch.YAML()))
		return nil
	}
	if d.notes.Total == 1 {
		d.app.Print(p.Patch.String() + "\n")
		return nil
	}
	text, err := targetedPatch(found.Target, typeName(p.Action), p.Patch)
	d.app.Print(string(text))
	return err
}

// notEmpty replaces the value of an object or list whose contents are listed below it.
const notEmpty = "(not empty)"

// fields returns the fields that differ.
func (d *differing) fields(found *patchlab.Alternatives) []results.FieldLine {
	return fieldLines(found.Changes, found.Before.Value, found.Wanted.Value, d.masks(found))
}

// fieldLines returns the fields in which two objects differ, with the values of a Secret masked if mask is set. A long
// atomic one is followed by the places in which it differs.
func fieldLines(changes []explain.Change, was, is document.Value, mask bool) []results.FieldLine {
	var lines []results.FieldLine
	for _, c := range changes {
		before, after := c.Before, c.After
		if mask {
			before, after = results.MaskPair(c.Path, before, after)
		}
		if inner := innerLines(c.Path, before, after); inner != nil {
			lines = append(lines, inner...)
			continue
		}
		line := results.ChangedLine(c.Path, before, after)
		switch { // an object or list that becomes empty is a field, one with contents is not
		case !c.Before.Exists() && was.Follow(c.Path).Exists():
			line.Was = notEmpty
		case !c.After.Exists() && is.Follow(c.Path).Exists():
			line.Is = notEmpty
		}
		lines = append(lines, line)
	}
	return lines
}

// compared returns the patches as text.
func (d *differing) compared(found *patchlab.Alternatives, name string) string {
	var b strings.Builder
	if len(found.Changes) == 0 {
		return name + ": no differences\n"
	}
	fmt.Fprintf(&b, "%s: %s\n%s", name, terminal.Count(len(found.Changes), "field differs", "fields differ"), results.FieldsText(d.fields(found)))
	fmt.Fprintf(&b, "\n  %-22s %6s  %s\n", "patch", "bytes", "result")
	for _, p := range found.Patches {
		size := "-"
		if p.Patch.Exists() {
			size = fmt.Sprint(p.Patch.JSONLen())
		}
		fmt.Fprintf(&b, "  %-22s %6s  %s\n", p.Action.Title(), size, makes(&p))
	}
	for i := range found.Patches {
		d.alternative(&b, found, &found.Patches[i])
	}
	return b.String()
}

// makes describes the result of a patch in a few words.
func makes(p *patchlab.Alternative) string {
	text := "as intended"
	switch {
	case !p.Patch.Exists():
		return "none: the change cannot be expressed"
	case p.Err != nil:
		return "none: refused"
	case !p.Exact:
		text = "differs"
	}
	if p.Force {
		text += ", with force"
	}
	return text
}

// alternative prints a patch, the command that sends it, and its limits.
func (d *differing) alternative(b *strings.Builder, found *patchlab.Alternatives, p *patchlab.Alternative) {
	fmt.Fprintf(b, "\n%s\n", p.Action.Title())
	if p.Patch.Exists() {
		d.body(b, found, p)
		if why := d.migrates(found, p); why != "" {
			fmt.Fprintf(b, "  ! %s\n", why)
		} else {
			fmt.Fprintf(b, "  %s\n", d.command(found, p))
		}
	}
	if p.Err != nil {
		fmt.Fprintf(b, "  refused: %s\n", p.Err)
	}
	for _, l := range p.Limits {
		at := ""
		if len(l.Path) > 0 {
			at = " " + l.Path.String()
		}
		message := l.Message
		if d.masks(found) && l.Rule == explain.LimitOther {
			message = "the resulting value differs from the intended one"
		}
		fmt.Fprintf(b, "  ! %s%s: %s\n", l.Rule, at, message)
	}
}

// body prints a patch: a JSON patch with an operation per line, others as YAML.
func (d *differing) body(b *strings.Builder, found *patchlab.Alternatives, p *patchlab.Alternative) {
	switch {
	case d.masks(found):
		b.WriteString("    (hidden because it contains values of a Secret; use --show-secrets to show it)\n")
	case p.Action == patchlab.ActionJSONPatch:
		for _, op := range p.Patch.Items() {
			fmt.Fprintf(b, "    %s\n", op)
		}
	default:
		for line := range strings.Lines(string(p.Patch.YAML())) {
			b.WriteString("    " + line)
		}
	}
}

func (d *differing) masks(found *patchlab.Alternatives) bool {
	return (results.IsSecret(found.Before.Value) || results.IsSecret(found.Wanted.Value)) && !d.o.showSecrets
}

// shown returns the values of a change as they are printed.
func (d *differing) shown(found *patchlab.Alternatives, c explain.Change) (before, after document.Value) {
	if d.masks(found) {
		return results.MaskPair(c.Path, c.Before, c.After)
	}
	return c.Before, c.After
}

// migrates returns why 'kubectl apply' must not send the configuration of an apply: after an
// object that client-side apply has written, kubectl transfers all its fields to the applying
// manager and removes those that the configuration omits, which are all that do not differ.
func (d *differing) migrates(found *patchlab.Alternatives, p *patchlab.Alternative) string {
	from := found.Before.Managed.ClientAppliers()
	if p.Action != patchlab.ActionApply || len(from) == 0 {
		return ""
	}
	return "do not send this with 'kubectl apply', which would transfer the fields of " + strings.Join(from, ", ") + " to " + d.o.apply.FieldManager +
		" and then remove all that this configuration omits; '" + d.app.CalledAs() + " migrate' shows how to transfer them first"
}

// command returns the kubectl command that sends a patch from standard input.
func (d *differing) command(found *patchlab.Alternatives, p *patchlab.Alternative) string {
	namespace := ""
	if found.Target.Namespace != "" {
		namespace = " -n " + program.ShellQuote(found.Target.Namespace)
	}
	if p.Action != patchlab.ActionApply {
		return "kubectl patch " + program.ShellQuote(results.ResourceLine(found.Kind, found.Target.Name)) + namespace + " --type=" + typeName(p.Action) + " --patch-file=/dev/stdin"
	}
	text := "kubectl apply --server-side"
	if d.o.apply.FieldManager != "kubectl" {
		text += " --field-manager=" + program.ShellQuote(d.o.apply.FieldManager)
	}
	if p.Force {
		text += " --force-conflicts"
	}
	return text + namespace + " -f -"
}

// alternativesDocument is the output document for the patches of an object.
type alternativesDocument struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Target     patchlab.Target       `json:"target"`
	OnlyIn     string                `json:"onlyIn,omitempty"` // FROM or TO if only that side has the object
	Changes    []explain.Change      `json:"changes"`
	Patches    []alternativeDocument `json:"patches"`
}

type alternativeDocument struct {
	Type    string          `json:"type"`
	Command string          `json:"command,omitempty"`
	Warning string          `json:"warning,omitempty"` // why there is no command
	Patch   document.Value  `json:"patch,omitzero"`
	Exact   bool            `json:"exact"`
	Force   bool            `json:"force,omitempty"`
	Error   string          `json:"error,omitempty"`
	Limits  []explain.Limit `json:"limits"`
}

// addDocument adds the patches for an object to the output.
func (d *differing) addDocument(found *patchlab.Alternatives) error {
	out := alternativesDocument{APIVersion: results.OwnVersion, Kind: "Alternatives", Target: found.Target, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
	for _, c := range found.Changes {
		c.Before, c.After = d.shown(found, c)
		out.Changes = append(out.Changes, c)
	}
	for _, p := range found.Patches {
		one := alternativeDocument{Type: typeName(p.Action), Patch: p.Patch, Exact: p.Exact, Force: p.Force, Limits: slices.Concat([]explain.Limit{}, p.Limits)}
		if why := d.migrates(found, &p); why != "" {
			one.Warning = why
		} else if p.Patch.Exists() {
			one.Command = d.command(found, &p)
		}
		if p.Err != nil {
			one.Error = p.Err.Error()
		}
		if d.masks(found) {
			one.Patch, one.Limits = document.Value{}, slices.DeleteFunc(one.Limits, func(l explain.Limit) bool { return l.Rule == explain.LimitOther })
		}
		out.Patches = append(out.Patches, one)
	}
	return d.document(out)
}

// document adds a document to the output.
func (d *differing) document(out alternativesDocument) error {
	v, err := results.AsDocument(out)
	d.documents = append(d.documents, v)
	return err
}
