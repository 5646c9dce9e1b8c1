package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
)

// summaryFlag selects the summary of the results of several objects.
type summaryFlag struct{ format string }

func (f *summaryFlag) add(c *cobra.Command, output string) {
	oneOf(c, &f.format, "summary", "", "auto", "summary of the results: auto (their number on standard error, for more than one object), text, json or markdown (on standard output instead of the "+output+": all objects but the unchanged ones, which only json lists) or none", "auto", "text", "json", "markdown", "none")
}

// replacesOutput reports whether the summary is printed in place of the other output.
func (f *summaryFlag) replacesOutput() bool { return f.format != "auto" && f.format != "none" }

// hasNotes reports whether the summary contains the notes and warnings, which are printed on standard error
// otherwise.
func (f *summaryFlag) hasNotes() bool { return f.format == "markdown" || f.format == "json" }

// outcome is the effect of a change on an object, or the difference of two objects.
type outcome int

const (
	created outcome = iota
	changed
	owners // only owners changed
	unchanged
	conflicting
	refused
	onlyInTo
	onlyInFrom
	added // to the second of two folders
	removed
	pruned // deleted because no manifest has it any more
	outcomes
)

// String returns the outcome as it is in the summary.
func (o outcome) String() string {
	return [...]string{"created", "changed", "with other owners", "unchanged", "conflict", "refused", "only in TO", "only in FROM", "added", "removed", "pruned"}[o]
}

// MarshalText returns the outcome as it is in JSON.
func (o outcome) MarshalText() ([]byte, error) {
	return []byte([...]string{"created", "changed", "ownersChanged", "unchanged", "conflict", "refused", "onlyInTo", "onlyInFrom", "added", "removed", "pruned"}[o]), nil
}

// row is an object in the summary.
type row struct {
	target   patchlab.Target
	file     string            // if several objects have the name
	position document.Position // of a refused manifest
	outcome  outcome
	fields   int    // number of fields that differ, of a changed object
	detail   string // a message or, for Markdown, a diff
	// change identifies the fields that differ and their values, if objects with the same change are shown together
	// although their diffs name them and show what surrounds the fields.
	change string
	// short is a shorter detail, which is shown if detail does not fit.
	short string
	// metadataOnly reports whether only labels and other metadata change, as by the label of a chart's version.
	metadataOnly bool
}

// name returns the object as the summary names it. A manifest without a name is identified by its
// position.
func (r row) name() string {
	if at := r.position.String(); r.target.Name == "" && at != "" {
		return strings.TrimSpace(r.target.String() + " at " + at)
	}
	if r.file != "" {
		return r.target.String() + " (" + oneLine(r.file) + ")"
	}
	return r.target.String()
}

// summary counts and lists the results of a command.
type summary struct {
	app    *App
	format string // of summaryFlag
	// details is the command that prints what does not fit into the summary in Markdown.
	details  string
	counts   [outcomes]int
	rows     []row   // if the summary replaces the output
	warnings remarks // that are printed after all changes
	// warned and notes are the warnings and the notes that a summary in Markdown or JSON contains.
	warned, notes []string
}

// report returns the summary that replaces the output. about are the notes about the objects.
func (s *summary) report(about *notes) (string, error) {
	if s.format == "text" {
		return readable(s.text()), nil
	}
	about.print() // as notes of the command
	for _, text := range s.app.notes {
		if warning, is := strings.CutPrefix(text, "Warning: "); is {
			s.warned = append(s.warned, warning)
		} else {
			s.notes = append(s.notes, text)
		}
	}
	s.app.notes = nil
	for i := range s.warnings.all {
		s.warned = append(s.warned, s.warnings.all[i].located())
	}
	if s.format == "json" {
		return s.json()
	}
	return s.markdown(), nil
}

// note prints the number of results, if that is all that is to be printed.
func (s *summary) note(several bool) {
	if (several || len(s.app.unread) > 0) && s.format == "auto" {
		s.app.note(s.line())
	}
}

// noteWarnings prints the warnings that the summary does not contain.
func (s *summary) noteWarnings() {
	if s.format == "markdown" || s.format == "json" {
		return
	}
	for i := range s.warnings.all {
		s.app.note("Warning: " + s.warnings.all[i].located())
	}
}

// result returns the outcome of the object, with the number of fields that differ.
func (r row) result() string {
	if r.fields > 0 {
		return r.outcome.String() + ": " + count(r.fields, "field", "fields")
	}
	return r.outcome.String()
}

// line returns one line: 81 objects: 3 changed, 77 unchanged, 1 with conflicts
func (s *summary) line() string {
	total := 0
	var parts []string
	for o := range outcomes {
		if n := s.counts[o]; n > 0 {
			total += n
			text := o.String()
			if o == conflicting { // one object may have several conflicts
				text = "with conflicts"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, text))
		}
	}
	text := count(total, "object", "objects")
	if total > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if len(s.app.unread) > 0 {
		text += "; " + count(len(s.app.unread), "input", "inputs") + " could not be read"
	}
	return text
}

// mostOnlyInFrom is the maximum number of objects that only FROM has, which a text lists: FROM may be the dump of a
// cluster.
const mostOnlyInFrom = 20

// text returns a line for each object that is not unchanged, and the number of all.
func (s *summary) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	more := -mostOnlyInFrom
	for _, r := range s.rows {
		if r.outcome == onlyInFrom {
			more++
		}
		if r.outcome == unchanged || r.outcome == onlyInFrom && more > 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\n", r.name(), r.result())
	}
	_ = w.Flush() // a strings.Builder has no errors
	if more > 0 {
		b.WriteString(count(more, "other object is", "other objects are") + " only in FROM; --summary json lists them\n")
	}
	return b.String() + s.line() + "\n"
}

// summaryDocument is the summary in JSON.
type summaryDocument struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Counts     map[outcome]int `json:"counts"` // without those that are 0
	Unread     int             `json:"unread,omitempty"`
	Objects    []summaryObject `json:"objects"`
	Warnings   []string        `json:"warnings,omitempty"`
	Notes      []string        `json:"notes,omitempty"`
}

type summaryObject struct {
	Target  patchlab.Target `json:"target"`
	File    string          `json:"file,omitempty"`
	Result  outcome         `json:"result"`
	Fields  int             `json:"fields,omitempty"`
	Message string          `json:"message,omitempty"`
}

func (s *summary) json() (string, error) {
	d := summaryDocument{APIVersion: ownVersion, Kind: "Summary", Counts: map[outcome]int{}, Unread: len(s.app.unread), Objects: []summaryObject{}, Warnings: s.warned, Notes: s.notes}
	for o, n := range s.counts {
		if n > 0 {
			d.Counts[outcome(o)] = n
		}
	}
	for _, r := range s.rows {
		d.Objects = append(d.Objects, summaryObject{r.target, r.file, r.outcome, r.fields, r.detail})
	}
	v, err := asDocument(d)
	if err != nil {
		return "", err
	}
	return string(encode("json", []document.Value{v})), nil
}
