package defaults

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// Minimize returns the smallest manifest from which Fill produces the same object: the
// object without the fields that the API server sets (see WithoutOwned) and without those
// that it would default. For every stored object v with a uid
//
//	Fill(Minimize(v) with uid) = Fill(WithoutOwned(v) with uid)
//
// including the fields that a strategy generates, such as the labels of a Job. If the Job's
// own labels were defaulted from its template and therefore have the generated labels, the
// result has no labels, because only then they are generated again. List items are never
// removed. An error is a *DecodeError.
//
// Minimize does not interpret the rules. It removes every field that a rule can set, fills
// the object, and restores fields where the result differs, until it is equal. Then it tries
// to remove the restored fields again, because some of them may have differed only while
// another field was missing: the strategy of a Deployment depends on its type.
func (r *Rules) Minimize(k *schema.Kind, v document.Value) (document.Value, error) {
	whole, err := r.created(k, withoutGenerated(k, v))
	if err != nil {
		return v, err
	}
	base := withoutGenerated(k, whole)
	m := minimizer{out: map[string]bool{}, cut: map[string]bool{}, kept: map[string]bool{}}
	m.find(r, k, base)
	least, ok, err := m.settle(r, k, base, whole)
	if err != nil {
		return v, err
	}
	if !ok {
		return base, nil // no smaller manifest was found
	}
	for found := true; found; {
		found = false
		for _, fields := range alike(m.restored) {
			attempt := m.without(fields)
			less, ok, err := attempt.settle(r, k, base, whole)
			if err != nil {
				return v, err
			}
			if ok && len(less.String()) < len(least.String()) {
				m, least, found = attempt, less, true
			}
		}
	}
	return least, nil
}

// settle restores fields until the rest of base is filled to whole. It returns this rest, or
// false if there is a difference and nothing to restore.
func (m *minimizer) settle(r *Rules, k *schema.Kind, base, whole document.Value) (document.Value, bool, error) {
	for {
		least, _ := m.strip(base, "")
		again, err := r.created(k, least)
		if err != nil || document.Identical(again, whole) {
			return least, err == nil, err
		}
		if !m.restoreDifferences(again, whole) {
			return least, false, nil
		}
	}
}

// created is Fill for an object that has a uid, as every object has when its strategy for
// create is applied.
func (r *Rules) created(k *schema.Kind, v document.Value) (document.Value, error) {
	return r.Fill(k, v.Set(document.NewString("uid"), "metadata", "uid"), Options{})
}

// withoutGenerated is WithoutOwned, except that a Job loses all labels that are shared with
// its template (see jobSelector).
func withoutGenerated(k *schema.Kind, v document.Value) document.Value {
	if k.Builtin && kindName(k) == "batch/Job" {
		own, left := v.Lookup("metadata", "labels"), withoutJobLabels(v).Lookup("metadata", "labels")
		if !document.Identical(own, left) && document.Equal(own, v.Lookup("spec", "template", "metadata", "labels")) {
			v = v.Remove("metadata", "labels")
		}
	}
	return WithoutOwned(k, v)
}

// minimizer minimizes one object. Fields are identified by their keys and indices, each
// preceded by a slash.
type minimizer struct {
	out  map[string]bool // members to remove; objects only once they are empty
	cut  map[string]bool // objects to remove with their contents
	kept map[string]bool // objects to keep even when empty

	restored []removal
}

// A removal is a field that was to be removed and has been restored.
type removal struct {
	at             string
	out, cut, kept bool
}

// without returns a copy of the minimizer that removes restored fields again.
func (m *minimizer) without(fields []removal) minimizer {
	attempt := minimizer{out: maps.Clone(m.out), cut: maps.Clone(m.cut), kept: maps.Clone(m.kept), restored: slices.Clip(m.restored)}
	for _, f := range fields {
		attempt.out[f.at], attempt.cut[f.at] = f.out, f.cut
		if f.kept {
			delete(attempt.kept, f.at)
		}
	}
	return attempt
}

// alike groups the fields that differ only in the items of lists in which they are. They
// seldom depend on one another, so they are tried together: the number of attempts depends on
// the type of an object and not on the length of its lists.
func alike(fields []removal) [][]removal {
	var groups [][]removal
	index := map[string]int{}
	for _, f := range fields {
		steps := strings.Split(f.at, "/")
		for i, s := range steps {
			if _, err := strconv.Atoi(s); err == nil {
				steps[i] = ""
			}
		}
		shape := strings.Join(steps, "/")
		i, known := index[shape]
		if !known {
			i = len(groups)
			index[shape] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
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

// A difference between the minimized and filled object and the whole one.
type difference struct {
	at    string
	value document.Value // in the whole object
	kind  differenceKind
}

// differenceKind orders differences: one of a later kind is often a consequence of one of an
// earlier kind. For example, a Service has no externalTrafficPolicy until it has its type.
type differenceKind uint8

const (
	anotherValue differenceKind = iota
	missingField
	surplusField // set because another field of the object is missing
	differenceKinds
)

// differences appends the differences below a place.
func differences(all []difference, again, whole document.Value, at string) []difference {
	switch {
	case document.Identical(again, whole):
	case !again.Exists():
		all = append(all, difference{at, whole, missingField})
	case again.Kind() == document.List && whole.Kind() == document.List && again.Len() == whole.Len():
		for i, w := range whole.Items() {
			all = differences(all, again.At(i), w, place(at, strconv.Itoa(i)))
		}
	case again.Kind() == document.Object && whole.Kind() == document.Object:
		for key, w := range whole.Members() {
			all = differences(all, again.Get(key), w, place(at, key))
		}
		for key := range again.Members() {
			if !whole.Get(key).Exists() {
				all = append(all, difference{at, whole, surplusField})
				break
			}
		}
	default:
		all = append(all, difference{at, whole, anotherValue})
	}
	return all
}

// restoreDifferences keeps the fields in which again, the minimized and filled object, differs
// from whole, as far as the differences are of one kind. If there is nothing to keep at any of
// them, it keeps the nearest objects and lists around them. It reports whether it kept any.
func (m *minimizer) restoreDifferences(again, whole document.Value) bool {
	all := differences(nil, again, whole, "")
	for kind := range differenceKinds {
		found := false
		for _, d := range all {
			found = d.kind == kind && m.restoreDifference(d) || found
		}
		if found {
			return true
		}
	}
	return m.restoreAround(again, whole, "")
}

func (m *minimizer) restoreDifference(d difference) bool {
	if d.kind == missingField && d.value.Kind() == document.Object && d.value.Len() > 0 && !m.kept[d.at] {
		m.kept[d.at] = true // its members may be defaulted once it is there
		m.restored = append(m.restored, removal{at: d.at, kept: true})
		return true
	}
	return m.restore(d.value, d.at)
}

// restoreAround keeps the innermost values around the differences that contain something to
// keep.
func (m *minimizer) restoreAround(again, whole document.Value, at string) bool {
	if document.Identical(again, whole) {
		return false
	}
	found := false
	for i, w := range whole.Items() {
		left := document.IndexStep(i).In(again) // absent, as the list may be, where an item has its defaults
		found = m.restoreAround(left, w, place(at, strconv.Itoa(i))) || found
	}
	for key, w := range whole.Members() {
		found = m.restoreAround(again.Get(key), w, place(at, key)) || found
	}
	return found || m.restore(whole, at)
}

// restore keeps a value and everything below it, and reports whether any of it was to be
// removed.
func (m *minimizer) restore(v document.Value, at string) bool {
	f := removal{at: at, out: m.out[at], cut: m.cut[at]}
	found := f.out || f.cut
	if found {
		m.restored = append(m.restored, f)
		delete(m.out, at)
		delete(m.cut, at)
	}
	forEach(v, func(key string, w document.Value) { found = m.restore(w, place(at, key)) || found })
	return found
}
