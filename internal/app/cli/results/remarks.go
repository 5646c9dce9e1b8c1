package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// Remarks are notes or warnings about the objects of a command. Many objects of a chart have the
// same one, so each is printed once, after the results, with the first object that has it.
type Remarks struct {
	// All are in the order in which they occurred; known has their indices.
	All   []remark
	known map[string]int
}

// remark is a note, or a warning of the API server.
type remark struct {
	text     string
	note     patchlab.Note   // nil for a warning
	target   patchlab.Target // the first object with it
	position document.Position
	more     int // further objects with it
}

// Add adds a remark about an object. The position is that of the manifest, if it matters.
func (r *Remarks) Add(text string, target patchlab.Target, position document.Position) {
	i, known := r.known[text]
	if known {
		r.All[i].more++
		return
	}
	if r.known == nil {
		r.known = map[string]int{}
	}
	r.known[text] = len(r.All)
	r.All = append(r.All, remark{text: text, target: target, position: position})
}

// AddEach adds the different remarks among those about an object.
func (r *Remarks) AddEach(texts []string, target patchlab.Target) {
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		r.Add(text, target, document.Position{})
	}
}

// Located returns the remark with where it occurred, in one line.
func (r *remark) Located() string {
	text := r.target.String() + ": " + r.text
	if at := r.position.String(); at != "" {
		text = at + ": " + text
	}
	if r.more > 0 {
		text += " (also " + terminal.Count(r.more, "other object", "other objects") + ")"
	}
	return text
}

// Notes are the notes about the objects of a command.
type Notes struct {
	App *program.App
	// Total is the number of objects. The notes about a single one are printed at once.
	Total int
	Remarks
}

// Add adds the notes about an object.
func (n *Notes) Add(target patchlab.Target, about ...patchlab.Note) {
	for _, note := range about {
		text := note.String()
		if n.Total > 1 {
			n.Remarks.Add(text, target, document.Position{})
			n.All[n.known[text]].note = note
		} else {
			n.App.NoteOnce(text)
		}
	}
}

// Print prints the notes about several objects, once. Those about kinds without a schema, and about rules that were not
// evaluated, of which a repository may have tens, are each printed as one.
func (n *Notes) Print() {
	var noSchema, notRun []*remark
	for i := range n.All {
		switch r := &n.All[i]; r.note.(type) {
		case patchlab.NoSchema:
			noSchema = append(noSchema, r)
		case patchlab.RulesNotRun:
			notRun = append(notRun, r)
		}
	}
	joined := map[*remark]string{} // "" for those that another one contains
	for _, same := range [...]struct {
		remarks []*remark
		list    func([]*remark) string
	}{{noSchema, listNoSchema}, {notRun, listRulesNotRun}} {
		if len(same.remarks) < 2 {
			continue
		}
		for _, r := range same.remarks {
			joined[r] = ""
		}
		joined[same.remarks[0]] = same.list(same.remarks)
	}
	for i := range n.All {
		text, is := joined[&n.All[i]]
		if !is {
			text = n.All[i].Grouped(n.Total)
		}
		if text != "" {
			n.App.Note(text)
		}
	}
	n.Remarks = Remarks{}
}

// listNoSchema returns one note for several about kinds without a schema, each of which has a line.
func listNoSchema(missing []*remark) string {
	kinds := make([]string, len(missing))
	var consequence string // of each, as all are of one command
	for i, r := range missing {
		note := r.note.(patchlab.NoSchema)
		kinds[i] = terminal.OneLine(note.Kind+" in "+note.APIVersion) + r.objects()
		consequence = note.Consequence
	}
	return fmt.Sprintf("no schema for %d kinds, whose CustomResourceDefinitions were not given (--crd): %s:\n  %s", len(kinds), consequence, strings.Join(kinds, "\n  "))
}

// listRulesNotRun returns one note for several about CEL rules. Each of their kinds has a line.
func listRulesNotRun(notRun []*remark) string {
	kinds := make([]string, len(notRun))
	total := 0
	for i, r := range notRun {
		note := r.note.(patchlab.RulesNotRun)
		total += note.Rules
		kinds[i] = strconv.Itoa(note.Rules) + " of " + note.Kind + r.objects()
	}
	return fmt.Sprintf("%d CEL rules of %d kinds were not evaluated; the program patchlab-admission evaluates them:\n  %s", total, len(kinds), strings.Join(kinds, "\n  "))
}

// objects returns the number of objects with the remark if it is not one.
func (r *remark) objects() string {
	if r.more == 0 {
		return ""
	}
	return " (" + terminal.Count(r.more+1, "object", "objects") + ")"
}

// Grouped returns the remark with the first object that has it and the number of others. One that
// concerns all objects, of which there are total, names none.
func (r *remark) Grouped(total int) string {
	switch {
	case r.more+1 == total:
		return r.text
	case r.more > 0:
		return r.text + " (" + r.target.String() + " and " + terminal.Count(r.more, "other object", "other objects") + ")"
	}
	return r.text + " (" + r.target.String() + ")"
}
