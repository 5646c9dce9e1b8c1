package playground

import (
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// maxShown is the maximum length of a value in a table.
const maxShown = 400

var resourceVersion = document.Keys("metadata", "resourceVersion")

// object returns the part of an object that is shown beside its lines.
func object(target Target, o fieldmanager.Object) *Object {
	out := &Object{Target: target, Managers: managerList(o.Managed)}
	out.ResourceVersion, out.Generation = counters(o.Value)
	return out
}

// managerList converts managedFields for a message.
func managerList(managed fieldmanager.Managed) []Manager {
	var out []Manager
	for _, e := range managed.Entries() {
		out = append(out, manager(e.Owner, e.Time))
	}
	return out
}

// managerNames returns the names of the managers, without duplicates.
func managerNames(managed fieldmanager.Managed) []string {
	var out []string
	for _, e := range managed.Entries() {
		if !slices.Contains(out, e.Manager) {
			out = append(out, e.Manager)
		}
	}
	return out
}

func manager(o fieldmanager.Owner, at time.Time) Manager {
	m := Manager{Name: o.Manager, Operation: string(o.Operation), APIVersion: o.APIVersion, Subresource: o.Subresource}
	if !at.IsZero() {
		m.Time = at.UTC().Format(time.RFC3339)
	}
	return m
}

func (e *Engine) managed(in *ManagedInput) (*ManagedOutput, error) {
	res, err := e.result(&in.Scenario, in.At, in.Object)
	if err != nil {
		return nil, err
	}
	out := &ManagedOutput{}
	if v := res.After.Managed.Value(); v.Len() > 0 {
		out.YAML = string(v.YAML())
	}
	for _, entry := range res.After.Managed.Entries() {
		out.Trees = append(out.Trees, Tree{Fields: tree(entry.Fields)})
	}
	return out, nil
}

func tree(fields fieldmanager.Set) []Node {
	var nodes []Node
	for _, s := range fields.Steps() {
		p := document.Path{s}
		nodes = append(nodes, Node{Label: s.String(), Owned: fields.Has(p), Fields: tree(fields.Below(p))})
	}
	return nodes
}

// managers returns a name for each entry that distinguishes it from the others.
func managers(o fieldmanager.Object) []string {
	var names []string
	for _, e := range o.Managed.Entries() {
		names = append(names, e.Manager+"\x00"+string(e.Operation)+"\x00"+e.Subresource)
	}
	return names
}

// rows compares the lines of two states of an object. Managers are compared by name, because
// their indexes differ.
func rows(k *schema.Kind, before, after []explain.Line, namesBefore, namesAfter []string) []Row {
	out := make([]Row, 0, len(after))
	line := 0
	pickBefore, pickAfter := nameList{names: namesBefore}, nameList{names: namesAfter}
	for _, e := range textdiff.Edits(text(before), text(after), textdiff.IndentHeuristic()) {
		if e.Op == diff.Delete {
			removed := &before[e.LineNoX]
			out = append(out, Row{Text: readable(removed.Text), Mark: "removed", Meaning: fixedMeaning(k, removed.Path)})
			continue
		}
		line++
		l := &after[e.LineNoY]
		row := Row{Text: readable(l.Text), Line: line, Owners: l.Owners, Below: l.Below, Meaning: fixedMeaning(k, l.Path)}
		switch {
		case e.Op == diff.Insert:
			row.Mark = "added"
		case !slices.Equal(pickBefore.pick(before[e.LineNoX].Owners), pickAfter.pick(l.Owners)):
			row.Mark = "owners"
		}
		out = append(out, row)
	}
	return out
}

// text returns the lines for comparison. The resourceVersion is left out, because it differs
// after every write.
func text(lines []explain.Line) string {
	var b strings.Builder
	for i := range lines {
		if !slices.Equal(lines[i].Path, resourceVersion) {
			b.WriteString(lines[i].Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// nameList returns managers' names by their indexes.
type nameList struct {
	names  []string
	last   []int // the previous indexes and their names
	picked []string
}

// pick returns the sorted names of the managers at the indexes. The result must not be
// changed.
func (p *nameList) pick(at []int) []string {
	if slices.Equal(at, p.last) {
		return p.picked
	}
	out := make([]string, len(at))
	for i, n := range at {
		out[i] = p.names[n]
	}
	slices.Sort(out)
	p.last, p.picked = at, out
	return out
}

// changes converts changes for a message, with the lines of the object after them.
func changes(list []explain.Change, lines []explain.Line) []Change {
	if len(list) == 0 {
		return nil
	}
	finder := lineFinder{lines: lines}
	spell := speller{}
	out := make([]Change, 0, len(list))
	for _, c := range list {
		line := 0
		if c.After.Exists() {
			line = finder.first(c.Path)
		}
		out = append(out, Change{Path: spell.path(c.Path), Effect: string(c.Effect), Before: shown(c.Before), After: shown(c.After),
			OwnersBefore: ownerNames(c.OwnersBefore), OwnersAfter: ownerNames(c.OwnersAfter), Line: line})
	}
	return out
}

// speller formats paths like Path.String. It caches each element, because a large object has
// many paths of few elements.
type speller map[document.Step]string

func (s speller) path(p document.Path) string {
	var b strings.Builder
	for _, e := range p {
		text, ok := s[e]
		if !ok {
			text = e.String()
			s[e] = text
		}
		b.WriteString(text)
	}
	return b.String()
}

// lineFinder finds the first line of a field. Most lookups are in the order of the lines, so
// it searches from the previous one, and builds an index only when searching has cost more
// than that.
type lineFinder struct {
	lines  []explain.Line
	at     int
	looked int
	index  map[string]int
}

// first returns the number of a field's first line, 0 if there is none.
func (f *lineFinder) first(p document.Path) int {
	if f.index != nil {
		return f.index[key(p)]
	}
	if f.looked > 10*len(f.lines) {
		f.index = make(map[string]int, len(f.lines))
		for i := len(f.lines) - 1; i >= 0; i-- {
			f.index[key(f.lines[i].Path)] = i + 1
		}
		return f.index[key(p)]
	}
	for n := range f.lines {
		i := (f.at + n) % len(f.lines)
		f.looked++
		if same(f.lines[i].Path, p) {
			for i > 0 && same(f.lines[i-1].Path, p) {
				i--
			}
			f.at = i
			return i + 1
		}
	}
	return 0
}

// same compares two paths from their ends, where most differ.
func same(a, b document.Path) bool {
	if len(a) != len(b) {
		return false
	}
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// key returns a path as a map key.
func key(p document.Path) string { return p.String() }

// ownerNames lists owners by manager and subresource, sorted and without duplicates.
func ownerNames(owners []fieldmanager.Owner) []string {
	var out []string
	for _, o := range owners {
		name := o.Manager
		if o.Subresource != "" {
			name += "/" + o.Subresource
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shown formats a value on one line, truncated if it is long, "" if absent.
func shown(v document.Value) string {
	if !v.Exists() {
		return ""
	}
	text := v.String()
	n := 0
	for i := range text {
		if n++; n > maxShown {
			return text[:i] + "…"
		}
	}
	return text
}
