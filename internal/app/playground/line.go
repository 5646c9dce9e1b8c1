package playground

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

func (e *Engine) line(in *LineInput) (*LineOutput, error) {
	res, err := e.result(&in.Scenario, in.At)
	if err != nil {
		return nil, err
	}
	lines := e.last.linesAfter(in.At - 1)
	if in.Line < 1 || in.Line > len(lines) {
		return nil, errors.New("the object has no such line")
	}
	l := &lines[in.Line-1]
	out := &LineOutput{Path: l.Path.String(), Merges: l.Merges}
	entries := res.After.Managed.Entries()
	for i, entry := range entries {
		for _, owner := range l.Owners {
			if owner == i {
				out.Owners = append(out.Owners, Ownership{Manager: i, Since: e.last.since(in.At, &entry, whole(&entry, l.Path))})
			}
		}
	}
	return out, nil
}

// since returns the step, counted from 1, from which on a manager has owned a
// field without a break until the step at.
func (r *run) since(at int, owner *fieldmanager.Entry, path document.Path) int {
	since := at
	for i := at - 1; i >= 0; i-- {
		res := &r.results[i]
		if res.Target != r.results[at-1].Target {
			continue
		}
		if !owns(res.After.Managed, owner, path) {
			break
		}
		since = i + 1
	}
	return since
}

// whole is the field itself, or what of its surroundings the manager owns as one.
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
