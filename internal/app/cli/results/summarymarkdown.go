package results

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// maxComment is the size of the Markdown summary in bytes. A comment on GitHub has at most
// 65,536 characters, and others may add text of their own.
const maxComment = 64_000

// The parts of a comment that the table, the warnings and the notes may use at most, so that diffs and messages
// remain, and the most that one of these uses.
const (
	maxTable    = maxComment / 2 // half of that if not all diffs fit
	maxWarnings = maxComment / 8
	maxNotes    = maxComment / 8
	maxDetail   = maxComment / 5
	minDetail   = maxComment / 64 // of one that is shortened
	maxRows     = 40              // of the table that are shown without a click
	maxNames    = 20              // of the objects that change in the same way
)

// toFit is the reason why something is left out.
const toFit = ", to fit into a comment"

// byImportance are the outcomes that a summary in Markdown lists, beginning with those that a reader must not miss if
// not all fit into a comment. A dump of a cluster has many objects that no manifest concerns.
var byImportance = []Outcome{Refused, Conflicting, Removed, Pruned, Changed, Created, Added, OnlyInTo, Owners, OnlyInFrom}

// markdown returns the summary as a comment for a pull request: a table, the warnings and notes, and those changes
// that fit into a comment.
func (s *Summary) markdown() string {
	var rows []Row
	for _, o := range byImportance {
		from := len(rows)
		for _, r := range s.Rows {
			if r.Outcome == o {
				rows = append(rows, r)
			}
		}
		slices.SortStableFunc(rows[from:], func(a, b Row) int { return a.class() - b.class() })
	}
	more := s.Counts[OnlyInFrom] - MostOnlyInFrom
	if more > 0 { // they are the last ones
		rows = rows[:len(rows)-more]
	}
	text, omitted := s.comment(rows, more, maxTable)
	if omitted > 0 {
		text, _ = s.comment(rows, more, maxTable/2)
	}
	return text
}

// comment returns the comment with a table of at most a number of bytes, and the number of diffs and messages that do not
// fit. more is the number of objects that are only in FROM and not among rows.
func (s *Summary) comment(rows []Row, more, table int) (text string, omitted int) {
	var b strings.Builder
	b.WriteString("**patchlab**: " + s.line() + "\n")
	b.WriteString(markdownTable(rows, table))
	if more > 0 {
		b.WriteString("\n" + terminal.Count(more, "other object is", "other objects are") + " only in FROM.\n")
	}
	b.WriteString(markdownWarnings(slices.Concat(s.App.Unread, s.warned)))
	b.WriteString(markdownNotes(s.notes))
	omitted = s.markdownDetails(&b, rows)
	return b.String(), omitted
}

// The classes of objects, beginning with those whose diffs a reader must not miss if not all fit into a comment.
const (
	classWorkload = iota
	classOther
	classContent  // definitions, and objects that contain only data: their diffs are large and concern no other field
	classMetadata // only metadata changes
)

// class returns the class of an object.
func (r Row) class() int {
	group := r.Target.Group()
	switch {
	case r.MetadataOnly:
		return classMetadata
	case group == "apps" || group == "batch" || group == "" && (r.Target.Kind == "Pod" || r.Target.Kind == "ReplicationController"):
		return classWorkload
	case group == "" && (r.Target.Kind == "ConfigMap" || r.Target.Kind == "Secret") || group == "apiextensions.k8s.io":
		return classContent
	}
	return classOther
}

// markdownTable returns a table of the objects, of which a click shows those after the first, and how many with each
// outcome did not fit into a table of most bytes.
func markdownTable(rows []Row, most int) string {
	if len(rows) == 0 {
		return ""
	}
	const header = "\n| object | result |\n|---|---|\n"
	shown := len(rows)
	if shown > maxRows+maxRows/4 { // it is not worth a click to see a few more
		shown = maxRows
	}
	var b strings.Builder
	b.WriteString(header)
	listed := 0
	for _, r := range rows {
		line := fmt.Sprintf("| %s | %s |\n", markdownText(r.Name()), r.result())
		if b.Len()+len(line) > most {
			break
		}
		if listed == shown {
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n%s", terminal.Count(len(rows)-listed, "more object", "more objects"), header)
		}
		b.WriteString(line)
		listed++
	}
	if listed < len(rows) {
		b.WriteString("\n" + notListed(rows[listed:]) + "\n")
	}
	if listed > shown {
		b.WriteString("\n</details>\n")
	}
	return b.String()
}

// notListed returns the number of objects, and that with each outcome.
func notListed(rows []Row) string {
	var counts [Outcomes]int
	for _, r := range rows {
		counts[r.Outcome]++
	}
	var left []string
	for _, o := range byImportance {
		if counts[o] > 0 {
			left = append(left, fmt.Sprintf("%d %s", counts[o], o))
		}
	}
	return terminal.Count(len(rows), "more object is", "more objects are") + " not listed" + toFit + ": " + strings.Join(left, ", ") + "."
}

// markdownWarnings returns a paragraph for each warning.
func markdownWarnings(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		line := "\n:warning: " + markdownText(text) + "\n"
		if b.Len()+len(line) > maxWarnings {
			b.WriteString("\n" + terminal.Count(len(texts)-i, "more warning is", "more warnings are") + " not listed" + toFit + ".\n")
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// markdownNotes returns a list of the notes, which a click shows. The further lines of a note, such as the kinds without
// a schema, are a list within it.
func markdownNotes(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", terminal.Count(len(notes), "note", "notes"))
	omitted := 0
	for i, note := range notes {
		most := maxNotes
		for n, line := range strings.Split(note, "\n") {
			item := "- " + markdownText(strings.TrimSpace(line)) + "\n"
			if n > 0 {
				item = "  " + item
			}
			if b.Len()+len(item) > most {
				omitted++
				continue
			}
			b.WriteString(item)
			if n == 0 { // further lines leave room for the other notes
				most = b.Len() + (maxNotes-b.Len())/(len(notes)-i)
			}
		}
	}
	if omitted > 0 {
		b.WriteString("\n" + terminal.Count(omitted, "more line is", "more lines are") + " omitted" + toFit + ".\n")
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// markdownText escapes text for Markdown and HTML. Character references have no meaning in either, where
// a backslash would be escaped by one before it and shown in HTML. On GitHub, a mention notifies its user
// and a number is a reference to an issue even if they are escaped, so a character that cannot be seen
// separates them from their sign.
func markdownText(s string) string {
	return markdownSigns().Replace(terminal.OneLine(strings.ReplaceAll(s, "\n", " ")))
}

var markdownSigns = sync.OnceValue(func() *strings.Replacer {
	references := []string{"@", "@&#8203;", "#", "#&#8203;"}
	for _, sign := range "&<>|\\`*_~[]$" {
		references = append(references, string(sign), fmt.Sprintf("&#%d;", sign))
	}
	return strings.NewReplacer(references...)
})
