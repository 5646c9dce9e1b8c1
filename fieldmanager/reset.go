package fieldmanager

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/fieldset"
)

// A resetter takes from field sets what a resource resets.
type resetter struct {
	except map[string]Set
	only   map[string]*pattern
}

func newResetter(config map[string]ResetFields) *resetter {
	r := &resetter{except: map[string]Set{}, only: map[string]*pattern{}}
	for version, f := range config {
		var s Set
		for _, name := range f.Except {
			s = s.Union(fieldset.Of(fieldset.Fields(strings.Split(name, ".")...)))
		}
		r.except[version] = s
		for _, name := range f.Only {
			if r.only[version] == nil {
				r.only[version] = &pattern{}
			}
			r.only[version].add(strings.Split(name, "."))
		}
	}
	return r
}

func (r *resetter) ignore(version string, s Set) Set {
	s = s.MinusBelow(r.except[version])
	if p := r.only[version]; p != nil {
		s = s.Filter(p.step)
	}
	return s
}

// A pattern matches fields by the steps of their paths.
type pattern struct {
	all   bool // whatever is below
	any   *pattern
	named map[string]*pattern
}

func (p *pattern) add(steps []string) {
	if len(steps) == 0 {
		p.all = true
		return
	}
	next := p.any
	if steps[0] != "*" {
		next = p.named[steps[0]]
	}
	if next == nil {
		next = &pattern{}
		if steps[0] == "*" {
			p.any = next
		} else {
			if p.named == nil {
				p.named = map[string]*pattern{}
			}
			p.named[steps[0]] = next
		}
	}
	next.add(steps[1:])
}

// step tells what becomes of an element: whether it may stay, and the filter for
// what is below it, nil where all of that stays.
func (p *pattern) step(e Element) (keep bool, below fieldset.Filter) {
	next := p.any
	if next == nil {
		name, _ := e.Name()
		if next = p.named[name]; next == nil {
			return false, nil
		}
	}
	if next.all {
		return true, nil
	}
	return true, next.step
}
