package results

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// SummaryFlag selects the summary of the results of several objects.
type SummaryFlag struct{ Format string }

// Add adds the flag; output is what the summary takes the place of.
func (f *SummaryFlag) Add(c *cobra.Command, output string) {
	program.OneOf(c, &f.Format, "summary", "", "auto", "summary of the results: auto (their number on standard error, for more than one object), text, json or markdown (on standard output instead of the "+output+": all objects but the unchanged ones, which only json lists) or none", "auto", "text", "json", "markdown", "none")
}

// ReplacesOutput reports whether the summary is printed in place of the other output.
func (f *SummaryFlag) ReplacesOutput() bool { return f.Format != "auto" && f.Format != "none" }

// HasNotes reports whether the summary contains the notes and warnings, which are printed on standard error
// otherwise.
func (f *SummaryFlag) HasNotes() bool { return f.Format == "markdown" || f.Format == "json" }

// Outcome is the effect of a change on an object, or the difference of two objects.
type Outcome int

// The outcomes, in the order in which a summary counts them.
const (
	Created Outcome = iota
	Changed
	Owners // only owners changed
	Unchanged
	Conflicting
	Refused
	OnlyInTo
	OnlyInFrom
	Added // to the second of two folders
	Removed
	Pruned   // deleted because no manifest has it any more
	Outcomes // their number
)

// String returns the outcome as it is in the summary.
func (o Outcome) String() string {
	return [...]string{"created", "changed", "with other owners", "unchanged", "conflict", "refused", "only in TO", "only in FROM", "added", "removed", "pruned"}[o]
}

// MarshalText returns the outcome as it is in JSON.
func (o Outcome) MarshalText() ([]byte, error) {
	return []byte([...]string{"created", "changed", "ownersChanged", "unchanged", "conflict", "refused", "onlyInTo", "onlyInFrom", "added", "removed", "pruned"}[o]), nil
}

// Row is an object in the summary.
type Row struct {
	Target   patchlab.Target
	File     string            // if several objects have the name
	Position document.Position // of a refused manifest
	Outcome  Outcome
	Fields   int    // number of fields that differ, of a changed object
	Detail   string // a message or, for Markdown, a diff
	// Change identifies the fields that differ and their values, if objects with the same change are shown together
	// although their diffs name them and show what surrounds the fields.
	Change string
	// Short is a shorter detail, which is shown if detail does not fit.
	Short string
	// MetadataOnly reports whether only labels and other metadata change, as by the label of a chart's version.
	MetadataOnly bool
}

// Name returns the object as the summary names it. A manifest without a name is identified by its
// position.
func (r Row) Name() string {
	if at := r.Position.String(); r.Target.Name == "" && at != "" {
		return strings.TrimSpace(r.Target.String() + " at " + at)
	}
	if r.File != "" {
		return r.Target.String() + " (" + terminal.OneLine(r.File) + ")"
	}
	return r.Target.String()
}

// Summary counts and lists the results of a command.
type Summary struct {
	App    *program.App
	Format string // of SummaryFlag
	// Details is the command that prints what does not fit into the summary in Markdown.
	Details  string
	Counts   [Outcomes]int
	Rows     []Row   // if the summary replaces the output
	Warnings Remarks // that are printed after all changes
	// warned and notes are the warnings and the notes that a summary in Markdown or JSON contains.
	warned, notes []string
}

// Report returns the summary that replaces the output. about are the notes about the objects.
func (s *Summary) Report(about *Notes) (string, error) {
	if s.Format == "text" {
		return terminal.Readable(s.text()), nil
	}
	about.Print() // as notes of the command
	for _, text := range s.App.Notes {
		if warning, is := strings.CutPrefix(text, "Warning: "); is {
			s.warned = append(s.warned, warning)
		} else {
			s.notes = append(s.notes, text)
		}
	}
	s.App.Notes = nil
	for i := range s.Warnings.All {
		s.warned = append(s.warned, s.Warnings.All[i].Located())
	}
	if s.Format == "json" {
		return s.json()
	}
	return s.markdown(), nil
}

// Note prints the number of results, if that is all that is to be printed.
func (s *Summary) Note(several bool) {
	if (several || len(s.App.Unread) > 0) && s.Format == "auto" {
		s.App.Note(s.line())
	}
}

// NoteWarnings prints the warnings that the summary does not contain.
func (s *Summary) NoteWarnings() {
	if s.Format == "markdown" || s.Format == "json" {
		return
	}
	for i := range s.Warnings.All {
		s.App.Note("Warning: " + s.Warnings.All[i].Located())
	}
}

// result returns the outcome of the object, with the number of fields that differ.
func (r Row) result() string {
	if r.Fields > 0 {
		return r.Outcome.String() + ": " + terminal.Count(r.Fields, "field", "fields")
	}
	return r.Outcome.String()
}

// line returns one line: 81 objects: 3 changed, 77 unchanged, 1 with conflicts
func (s *Summary) line() string {
	total := 0
	var parts []string
	for o := range Outcomes {
		if n := s.Counts[o]; n > 0 {
			total += n
			text := o.String()
			if o == Conflicting { // one object may have several conflicts
				text = "with conflicts"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, text))
		}
	}
	text := terminal.Count(total, "object", "objects")
	if total > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if len(s.App.Unread) > 0 {
		text += "; " + terminal.Count(len(s.App.Unread), "input", "inputs") + " could not be read"
	}
	return text
}

// MostOnlyInFrom is the maximum number of objects that only FROM has, which a text lists: FROM may be the dump of a
// cluster.
const MostOnlyInFrom = 20

// text returns a line for each object that is not unchanged, and the number of all.
func (s *Summary) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	more := -MostOnlyInFrom
	for _, r := range s.Rows {
		if r.Outcome == OnlyInFrom {
			more++
		}
		if r.Outcome == Unchanged || r.Outcome == OnlyInFrom && more > 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\n", r.Name(), r.result())
	}
	_ = w.Flush() // a strings.Builder has no errors
	if more > 0 {
		b.WriteString(terminal.Count(more, "other object is", "other objects are") + " only in FROM; --summary json lists them\n")
	}
	return b.String() + s.line() + "\n"
}

// summaryDocument is the summary in JSON.
type summaryDocument struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Counts     map[Outcome]int `json:"counts"` // without those that are 0
	Unread     int             `json:"unread,omitempty"`
	Objects    []summaryObject `json:"objects"`
	Warnings   []string        `json:"warnings,omitempty"`
	Notes      []string        `json:"notes,omitempty"`
}

type summaryObject struct {
	Target  patchlab.Target `json:"target"`
	File    string          `json:"file,omitempty"`
	Result  Outcome         `json:"result"`
	Fields  int             `json:"fields,omitempty"`
	Message string          `json:"message,omitempty"`
}

func (s *Summary) json() (string, error) {
	d := summaryDocument{APIVersion: OwnVersion, Kind: "Summary", Counts: map[Outcome]int{}, Unread: len(s.App.Unread), Objects: []summaryObject{}, Warnings: s.warned, Notes: s.notes}
	for o, n := range s.Counts {
		if n > 0 {
			d.Counts[Outcome(o)] = n
		}
	}
	for _, r := range s.Rows {
		d.Objects = append(d.Objects, summaryObject{r.Target, r.File, r.Outcome, r.Fields, r.Detail})
	}
	v, err := AsDocument(d)
	if err != nil {
		return "", err
	}
	return string(Encode("json", []document.Value{v})), nil
}
