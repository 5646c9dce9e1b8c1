package cli

import (
	"slices"
	"strconv"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
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
func (n *notes) add(target patchlab.Target, texts []string) {
	for _, text := range texts {
		if n.total > 1 {
			n.remarks.add(text, target, document.Position{})
		} else {
			n.app.noteOnce(text)
		}
	}
}

// print prints the notes about several objects, once. Those about kinds without a schema, and about rules that were not
// evaluated, of which a repository may have tens, are each printed as one.
func (n *notes) print() {
	joined := map[*remark]string{} // "" for those that another one contains
	for _, form := range [...]struct {
		is   func(text string) bool
		list func([]*remark) string
	}{
		{isWithoutSchema, listWithoutSchema},
		{isRulesNotRun, listRulesNotRun},
	} {
		var same []*remark
		for i := range n.all {
			if form.is(n.all[i].text) {
				same = append(same, &n.all[i])
			}
		}
		if len(same) > 1 {
			for _, r := range same {
				joined[r] = ""
			}
			joined[same[0]] = form.list(same)
		}
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

func isWithoutSchema(text string) bool {
	_, _, is := manifest.CutWithoutSchema(text)
	return is
}

// listWithoutSchema returns one note for several about kinds without a schema.
func listWithoutSchema(missing []*remark) string {
	kinds := make([]string, len(missing))
	var consequence string // of each, as all are of one command
	for i, r := range missing {
		kinds[i], consequence, _ = manifest.CutWithoutSchema(r.text)
		kinds[i] += r.objects()
	}
	return manifest.WithoutSchemas(kinds, consequence)
}

func isRulesNotRun(text string) bool {
	_, _, is := manifest.CutRulesNotRun(text)
	return is
}

// listRulesNotRun returns one note for several about CEL rules.
func listRulesNotRun(notRun []*remark) string {
	kinds := make([]string, len(notRun))
	total := 0
	for i, r := range notRun {
		n, kind, _ := manifest.CutRulesNotRun(r.text)
		total += n
		kinds[i] = strconv.Itoa(n) + " of " + kind + r.objects()
	}
	return manifest.RulesOfKindsNotRun(total, kinds)
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
