package playground

import (
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/scenario"
)

func (e *Engine) line(in *LineInput) (*LineOutput, error) {
	res, err := e.result(&in.Scenario, in.At, in.Object)
	if err != nil {
		return nil, err
	}
	lines := e.last.linesAfter(shownState(in.At, in.Object))
	if in.Line < 1 || in.Line > len(lines) {
		return nil, errors.New("the object has no such line")
	}
	l := &lines[in.Line-1]
	out := &LineOutput{Path: l.Path.String(), Merges: l.Merges}
	var owners []fieldmanager.Entry
	for i, entry := range res.After.Managed.Entries() {
		if slices.Contains(l.Owners, i) {
			owners = append(owners, entry)
			out.Owners = append(out.Owners, Ownership{Manager: i, Since: e.last.since(res, in.At, &entry, whole(&entry, l.Path))})
		}
	}
	out.describe(in.Scenario.Kubernetes, res, l, owners)
	return out, nil
}

// since returns the number, from 1, of the step since which a manager has owned a field
// without interruption, up to the step at; 0 if it has owned it from the beginning.
func (r *run) since(of *scenario.Result, at int, owner *fieldmanager.Entry, path document.Path) int {
	since := at
	for i := at - 1; i >= 0; i-- {
		res := &r.results[i]
		if res.Target != of.Target {
			continue
		}
		if !owns(res.After.Managed, owner, path) {
			return since
		}
		since = i + 1
	}
	if first := r.state(of, 0); first != absent && owns(r.objectAt(first).Managed, owner, path) {
		return 0
	}
	return since
}

// whole returns the field itself, or the enclosing atomic value that the manager owns.
func whole(owner *fieldmanager.Entry, path document.Path) document.Path {
	for p := path; len(p) > 0; p = p[:len(p)-1] {
		if owner.Fields.Has(p) {
			return p
		}
	}
	return path
}

// owns reports whether a manager owns a field.
func owns(m fieldmanager.Managed, owner *fieldmanager.Entry, path document.Path) bool {
	for _, e := range m.Entries() {
		if e.Same(owner.Owner) && e.Fields.Has(path) {
			return true
		}
	}
	return false
}
