package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
)

// remarks are notes or warnings about the objects of a command. Many objects of a chart have the
// same one, so each is printed once, after the results, with the first object that has it.
type remarks struct {
	// all are in the order in which they occurred; known has their indices.
	all   []remark
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

// add adds a remark about an object. The position is that of the manifest, if it matters.
func (r *remarks) add(text string, target patchlab.Target, position document.Position) {
	i, known := r.known[text]
	if known {
		r.all[i].more++
		return
	}
	if r.known == nil {
		r.known = map[string]int{}
	}
	r.known[text] = len(r.all)
	r.all = append(r.all, remark{text: text, target: target, position: position})
}

// addEach adds the different remarks among those about an object.
func (r *remarks) addEach(texts []string, target patchlab.Target) {
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		r.add(text, target, document.Position{})
	}
}

// located returns the remark with where it occurred, in one line.
func (r *remark) located() string {
	text := r.target.String() + ": " + r.text
	if at := r.position.String(); at != "" {
		text = at + ": " + text
	}
	if r.more > 0 {
		text += " (also " + count(r.more, "other object", "other objects") + ")"
	}
	return text
}

// notes are the notes about the objects of a command.
type notes struct {
	app *App
	// total is the number of objects. The notes about a single one are printed at once.
	total int
	remarks
}

// add adds the notes about an object.
func (n *notes) add(target patchlab.Target, about ...patchlab.Note) {
	for _, note := range about {
		text := note.String()
		if n.total > 1 {
			n.remarks.add(text, target, document.Position{})
			n.all[n.known[text]].note = note
		} else {
			n.app.noteOnce(text)
		}
	}
}

// print prints the notes about several objects, once. Those about kinds without a schema, and about rules that were not
// evaluated, of which a repository may have tens, are each printed as one.
func (n *notes) print() {
	var noSchema, notRun []*remark
	for i := range n.all {
		switch r := &n.all[i]; r.note.(type) {
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
	for i := range n.all {
		text, is := joined[&n.all[i]]
		if !is {
			text = n.all[i].grouped(n.total)
		}
		if text != "" {
			n.app.note(text)
		}
	}
	n.remarks = remarks{}
}

// listNoSchema returns one note for several about kinds without a schema, each of which has a line.
func listNoSchema(missing []*remark) string {
	kinds := make([]string, len(missing))
	var consequence string // of each, as all are of one command
	for i, r := range missing {
		note := r.note.(patchlab.NoSchema)
		kinds[i] = oneLine(note.Kind+" in "+note.APIVersion) + r.objects()
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
	return " (" + count(r.more+1, "object", "objects") + ")"
}

// grouped returns the remark with the first object that has it and the number of others. One that
// concerns all objects, of which there are total, names none.
func (r *remark) grouped(total int) string {
	switch {
	case r.more+1 == total:
		return r.text
	case r.more > 0:
		return r.text + " (" + r.target.String() + " and " + count(r.more, "other object", "other objects") + ")"
	}
	return r.text + " (" + r.target.String() + ")"
}
