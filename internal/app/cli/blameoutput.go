package cli

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// blameWriter prints an object with its owners as text.
type blameWriter struct {
	*blamed
	color   bool
	several bool
}

// ownerColors distinguish managers on a terminal.
var ownerColors = [...]string{"\x1b[32m", "\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[34m", "\x1b[31m"}

func (w *blameWriter) text() string {
	rows := make([][3]string, len(w.Lines))
	head := [3]string{"MANAGER", "OPERATION", "SINCE"}
	var widths [3]int
	for i := range w.Lines {
		rows[i] = w.beside(&w.Lines[i])
	}
	// The fields without a line follow in the same columns, and may be the only ones with an owner.
	var absent []explain.OwnedField
	var absentRows [][3]string
	for _, f := range w.Fields {
		if f.Line < 0 {
			absent, absentRows = append(absent, f), append(absentRows, w.named(f.Owners))
		}
	}
	for _, row := range slices.Concat([][3]string{head}, rows, absentRows) {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	if w.several {
		b.WriteString(terminal.Readable(w.Target.String()) + "\n")
	}
	w.row(&b, head, widths, nil, "")
	for i, row := range rows {
		w.row(&b, row, widths, w.Lines[i].ownedBy(), w.Lines[i].Text)
	}
	if len(absent) > 0 {
		b.WriteString("\nIn managedFields, but not in the object:\n")
	}
	for i, f := range absent {
		w.row(&b, absentRows[i], widths, f.Owners, f.Path.String())
	}
	return b.String()
}

// ownedBy returns the owners of a line: those of its field or, on the first line of a list
// item whose first field has no owner, those of the item.
func (l *blamedLine) ownedBy() []int {
	if len(l.Owners) == 0 {
		return l.Item
	}
	return l.Owners
}

func (w *blameWriter) row(b *strings.Builder, row [3]string, widths [3]int, owners []int, text string) {
	var cells strings.Builder
	for i, cell := range row {
		cells.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
	}
	beside := cells.String()
	switch {
	case !w.color:
	case len(owners) > 0:
		beside = ownerColors[owners[0]%len(ownerColors)] + beside + "\x1b[0m"
	default:
		beside = "\x1b[2m" + beside + "\x1b[0m"
	}
	b.WriteString(strings.TrimRight(beside+terminal.Readable(text), " ") + "\n")
}

// beside returns the columns that are printed beside a line.
func (w *blameWriter) beside(l *blamedLine) [3]string {
	owners := l.ownedBy()
	if len(owners) == 0 && len(l.Below) > 0 {
		return [3]string{}
	}
	return w.named(owners)
}

// named describes owners: the managers, their operations, and the latest time.
func (w *blameWriter) named(owners []int) [3]string {
	if len(owners) == 0 {
		return [3]string{"-"}
	}
	var names, operations []string
	var since time.Time
	for _, i := range owners {
		o := w.Owners[i]
		operation := string(o.Operation)
		if o.Subresource != "" {
			operation += " " + o.Subresource
		}
		names, operations = append(names, terminal.OneLine(o.Manager)), append(operations, terminal.OneLine(operation))
		if o.Time.After(since) {
			since = o.Time
		}
	}
	if first := operations[0]; !slices.ContainsFunc(operations, func(s string) bool { return s != first }) {
		operations = operations[:1]
	}
	date := ""
	if !since.IsZero() {
		date = since.UTC().Format("2006-01-02 15:04")
	}
	return [3]string{strings.Join(names, ", "), strings.Join(operations, ", "), date}
}
