package defaults

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// Minimize returns the smallest manifest from which Fill produces the same object: the
// object without the fields that the API server sets (see WithoutOwned) and without those
// that it would default. For every stored object v
//
//	Fill(Minimize(v)) = Fill(WithoutOwned(v))
//
// except for fields that the API server sets. List items are never removed. An error is a
// *DecodeError.
//
// Minimize does not interpret the rules. It removes every field that a rule can set, fills
// the object, and restores fields where the result differs, until it is equal.
func (r *Rules) Minimize(k *schema.Kind, v document.Value) (document.Value, error) {
	whole, err := r.filled(k, WithoutOwned(k, v))
	if err != nil {
		return v, err
	}
	m := minimizer{out: map[string]bool{}, cut: map[string]bool{}, kept: map[string]bool{}}
	m.find(r, k, whole)
	for {
		least, _ := m.strip(whole, "")
		again, err := r.filled(k, least)
		if err != nil {
			return v, err
		}
		if document.Identical(again, whole) {
			return least, nil
		}
		if !m.restoreDifference(again, whole, "") {
			return whole, nil // no smaller manifest was found; every field is restored
		}
	}
}

// filled is Fill without the fields that the API server sets.
func (r *Rules) filled(k *schema.Kind, v document.Value) (document.Value, error) {
	out, err := r.Fill(k, v, Options{})
	if err != nil {
		return out, err
	}
	return WithoutOwned(k, out), nil
}

// minimizer minimizes one object. Fields are identified by their keys and indices, each
// preceded by a slash.
type minimizer struct {
	out  map[string]bool // members to remove; objects only once they are empty
	cut  map[string]bool // objects to remove with their contents
	kept map[string]bool // objects to keep even when empty
}

func place(parent, key string) string { return parent + "/" + key }

// find collects the fields that may be removed.
func (m *minimizer) find(r *Rules, k *schema.Kind, v document.Value) {
	if !k.Builtin {
		m.schemaDefaults(k.Type(), v, "")
		return
	}
	if p := r.on.plan(k.Type()); p != nil {
		m.targets(p, v, "")
	}
	m.written(k.Type(), v, "")
	for _, key := range mirrored(kindName(k)) {
		m.out["/spec/"+key] = true
	}
}

// mirrored returns the fields of spec that a create strategy sets.
func mirrored(kind string) []string {
	switch kind {
	case "/Namespace":
		return []string{"finalizers"}
	case "/Service":
		return []string{"clusterIPs", "ipFamilies", "ipFamilyPolicy"}
	case "/PersistentVolumeClaim":
		return []string{"dataSourceRef"}
	}
	return nil
}

// targets collects the fields that rules set.
func (m *minimizer) targets(p *plan, v document.Value, at string) {
	for _, r := range p.rules {
		if !r.value.nothing && !r.value.rounded {
			m.target(r, r.field, v, at)
		}
	}
	for _, kid := range p.kids {
		if w := v.Get(kid.name); w.Exists() {
			m.targets(kid.plan, w, place(at, kid.name))
		}
	}
	if p.each != nil {
		forEach(v, func(key string, w document.Value) { m.targets(p.each, w, place(at, key)) })
	}
}

// forEach visits the items of a list or the members of an object.
func forEach(v document.Value, visit func(string, document.Value)) {
	for i, w := range v.Items() {
		visit(strconv.Itoa(i), w)
	}
	for key, w := range v.Members() {
		visit(key, w)
	}
}

func (m *minimizer) target(r *Rule, steps []step, v document.Value, at string) {
	s := steps[0]
	w := v.Get(s.name)
	if !w.Exists() {
		return
	}
	at = place(at, s.name)
	switch {
	case s.each && len(steps) > 1:
		forEach(w, func(key string, item document.Value) { m.target(r, steps[1:], item, place(at, key)) })
	case len(steps) > 1:
		m.target(r, steps[1:], w, at)
	case r.value.members:
		for key := range w.Members() {
			m.out[place(at, key)] = true
		}
	default:
		m.out[at] = true
		if literal := r.value.json; w.Kind() == document.Object && (!literal.Exists() || document.Identical(literal, w)) {
			m.cut[at] = true
		}
	}
}

// written collects the empty fields that Go always writes, and fields with two names.
func (m *minimizer) written(t *schema.Type, v document.Value, at string) {
	switch classOf(t) {
	case list:
		for i, w := range v.Items() {
			m.written(t.List.Elem, w, place(at, strconv.Itoa(i)))
		}
	case dictionary:
		for key, w := range v.Members() {
			m.written(t.Map.Elem, w, place(at, key))
		}
	case structure:
		for key, w := range v.Members() {
			f := t.Map.Field(key)
			if f == nil {
				continue
			}
			if zero := missing(f); zero.Exists() && document.Identical(zero, w) {
				m.out[place(at, key)] = true
			}
			m.written(f.Type, w, place(at, key))
		}
		switch t.Name {
		case "io.k8s.api.core.v1.PodSpec":
			m.out[place(at, "serviceAccount")] = true
		case "io.k8s.api.core.v1.NodeSpec":
			m.out[place(at, "podCIDR")] = true
		case "io.k8s.api.apps.v1.StatefulSetSpec":
			for i := range v.Get("volumeClaimTemplates").Items() {
				claim := place(place(at, "volumeClaimTemplates"), strconv.Itoa(i))
				m.out[place(claim, "apiVersion")], m.out[place(claim, "kind")] = true, true
			}
		}
	}
}

// schemaDefaults collects the fields of a custom resource that have a default.
func (m *minimizer) schemaDefaults(t *schema.Type, v document.Value, at string) {
	if t.List != nil {
		for i, w := range v.Items() {
			m.schemaDefaults(t.List.Elem, w, place(at, strconv.Itoa(i)))
		}
	}
	for key, w := range v.Members() {
		if f := t.Map.Field(key); f != nil && f.Default != "" {
			m.out[place(at, key)] = true
		}
		if below := t.Map.Member(key); below != nil {
			m.schemaDefaults(below, w, place(at, key))
		}
	}
}

// strip returns v without the fields to remove, and whether an object that had members is
// now empty.
func (m *minimizer) strip(v document.Value, at string) (left document.Value, emptied bool) {
	switch v.Kind() {
	case document.List:
		return remake.Items(v, func(i int, w document.Value) document.Value {
			l, _ := m.strip(w, place(at, strconv.Itoa(i)))
			return l
		}), false
	case document.Object:
		out := rebuild{old: v}
		for key, w := range v.Members() {
			here := place(at, key)
			l, empty := m.strip(w, here)
			gone := m.out[here] && (w.Kind() != document.Object || l.Len() == 0)
			if gone || m.cut[here] || empty && !m.kept[here] {
				l = document.Value{}
			}
			out.set(key, l)
		}
		left = out.value()
		return left, v.Len() > 0 && left.Len() == 0
	}
	return v, false
}

// restoreDifference marks the fields as kept in which again, the minimized and filled object,
// differs from whole: an object that was removed because it became empty, otherwise the fields
// themselves. It reports whether it marked any.
func (m *minimizer) restoreDifference(again, whole document.Value, at string) bool {
	if document.Identical(again, whole) {
		return false
	}
	if again.Kind() == whole.Kind() && (whole.Kind() == document.Object || whole.Kind() == document.List && again.Len() == whole.Len()) {
		found := false
		if whole.Kind() == document.List {
			for i, w := range whole.Items() {
				found = m.restoreDifference(again.At(i), w, place(at, strconv.Itoa(i))) || found
			}
			return found || m.restore(whole, at)
		}
		for key, w := range whole.Members() {
			found = m.restoreDifference(again.Get(key), w, place(at, key)) || found
		}
		for key := range again.Members() {
			if !whole.Get(key).Exists() { // set because another field is missing
				return m.restore(whole, at)
			}
		}
		return found || m.restore(whole, at)
	}
	if !again.Exists() && whole.Kind() == document.Object && whole.Len() > 0 && !m.kept[at] {
		m.kept[at] = true
		return true
	}
	return m.restore(whole, at)
}

// restore keeps a value and everything below it, and reports whether any of it was to be
// removed.
func (m *minimizer) restore(v document.Value, at string) bool {
	found := m.out[at] || m.cut[at]
	delete(m.out, at)
	delete(m.cut, at)
	forEach(v, func(key string, w document.Value) { found = m.restore(w, place(at, key)) || found })
	return found
}
