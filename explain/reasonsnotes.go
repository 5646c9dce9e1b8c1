package explain

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Notes records the decisions of the engines about one write. It implements cluster.Notes,
// for the field Notes of a cluster.Request. The zero Notes is empty. Requests that are
// answered at the same time must not share a Notes.
type Notes struct {
	live    fieldmanager.Object
	patched []patch.Decision
	managed []fieldmanager.Decision
	stages  []stage
	// migrated are the managers whose fields were transferred to the applier.
	migrated []string
}

// stage is the object after a stage of the pipeline.
type stage struct {
	name   string
	object document.Value
}

// Begin discards earlier notes and begins with a live object.
func (n *Notes) Begin(live fieldmanager.Object) { *n = Notes{live: live} }

// Migrated records that the fields of managers that used client-side apply were transferred to the
// applying manager between two requests.
func (n *Notes) Migrated(managers []string) { n.migrated = managers }

// Append adds the notes of a later request for the same object: the changes of the requests are
// then explained together.
func (n *Notes) Append(later *Notes) {
	n.patched = append(n.patched, later.patched...)
	n.managed = append(n.managed, later.managed...)
	n.stages = append(n.stages, later.stages...)
}

// Patched records a decision of package patch.
func (n *Notes) Patched(d patch.Decision) {
	d.Path = slices.Clone(d.Path)
	n.patched = append(n.patched, d)
}

// Managed records a decision of package fieldmanager.
func (n *Notes) Managed(d fieldmanager.Decision) { n.managed = append(n.managed, d) }

// Passed records the object after a stage of the pipeline.
func (n *Notes) Passed(name string, object document.Value) {
	n.stages = append(n.stages, stage{name, object})
}

// sent returns the object in the request; absent if unknown.
func (n *Notes) sent() document.Value {
	for _, s := range n.stages {
		if s.name == "sent" || s.name == "scaled" {
			return s.object
		}
	}
	return document.Value{}
}

// event is the effect of a stage on a field.
type event struct {
	stage         string
	before, after document.Value
}

// history maps the path of each field to the effects of the stages.
type history map[string][]event

func (n *Notes) history(t *schema.Type) history {
	h := history{}
	was := n.live.Value
	for _, s := range n.stages {
		for _, c := range allChanges(t, fieldmanager.Object{Value: was}, fieldmanager.Object{Value: s.object}) {
			key := c.Path.String()
			h[key] = append(h[key], event{s.name, c.Before, c.After})
		}
		was = s.object
	}
	return h
}

// of returns the events of a field, or of its nearest parent that has any.
func (h history) of(path document.Path) []event {
	for n := len(path); n >= 0; n-- {
		if found := h[path[:n].String()]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// allChanges is Changes including the metadata that the API server sets, and the order of
// lists.
func allChanges(t *schema.Type, before, after fieldmanager.Object) []Change {
	was, is := root(t, before), root(t, after)
	d := newDiffer(before, after)
	d.all = true
	d.pair(&was, &is)
	return d.changes
}

// patchRules holds a patch's decisions by the path of the field in field sets.
type patchRules struct {
	at map[string]patch.Decision
	// family is "json", "merge" or "strategic", "" without a patch.
	family string
}

func (n *Notes) patchRules(t *schema.Type) patchRules {
	p := patchRules{at: map[string]patch.Decision{}}
	sent := n.sent()
	for _, d := range n.patched {
		p.family, _, _ = strings.Cut(string(d.Rule), "/")
		path, ok := fieldPath(t, sent, d.Path)
		if !ok || d.Outcome == patch.Removed {
			if in, was := fieldPath(t, n.live.Value, d.Path); was {
				path, ok = in, true
			}
		}
		if ok {
			p.at[path.String()] = d
		}
	}
	return p
}

// of returns the decision about a field or its nearest parent.
func (p *patchRules) of(path document.Path) (patch.Decision, bool) {
	for n := len(path); n >= 0; n-- {
		if d, ok := p.at[path[:n].String()]; ok {
			return d, true
		}
	}
	return patch.Decision{}, false
}

// around returns the rules by which the list items on the path to a field were merged.
func (p *patchRules) around(path document.Path) []Rule {
	var names []Rule
	for n := len(path) - 1; n > 0; n-- {
		if path[n-1].Kind() == document.StepField {
			continue
		}
		if d, ok := p.at[path[:n].String()]; ok && d.Rule == patch.RuleStrategicMergeKey {
			names = append(names, Rule(d.Rule))
		}
	}
	return names
}

// fieldPath converts a path to the path in field sets, with keys for list items. ok is
// false if it does not exist. v may lack the fields of the last steps.
func fieldPath(t *schema.Type, v document.Value, path document.Path) (field document.Path, ok bool) {
	for _, s := range path {
		p := place{t: t, v: v}
		if v.Exists() && p.atomic() {
			return field, true
		}
		if name, isField := s.Name(); isField {
			v = v.Get(name)
			if t != nil {
				t = t.Map.Member(name)
			}
			field = append(field, s)
			continue
		}
		i, isIndex := s.Index()
		if !isIndex || i >= v.Len() || t == nil || t.List == nil {
			return nil, false
		}
		v = v.At(i)
		e, found := structured.ItemElement(t.List, v)
		if !found {
			return nil, false
		}
		t = t.List.Elem
		field = append(field, fieldset.Step(e))
	}
	return field, true
}
