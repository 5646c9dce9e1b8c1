package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	strategy "github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// firstApply is the manager of the fields that an object had before it had managers.
const firstApply = "before-first-apply"

// owned checks the owners of a live object.
func (l *linter) owned(o fieldmanager.Object) {
	managed := document.Keys("metadata", "managedFields")
	updates := 0
	var appliers []string
	for i, e := range o.Managed.Entries() {
		if e.Operation == fieldmanager.OperationUpdate {
			updates++
		} else if e.Subresource == "" && !slices.Contains(appliers, e.Manager) {
			appliers = append(appliers, e.Manager)
		}
		l.version(e, managed.Item(i))
	}
	if updates >= fieldmanager.MaxUpdates {
		l.add(lintManagedFieldsCap, managed, fmt.Sprintf("there are %[2]d update entries; at most %[1]d are kept", fieldmanager.MaxUpdates, updates))
	}
	stale := func(name string) bool { return name != "kubectl" && name != "kubectl-last-applied" }
	if o.Value.Lookup("metadata", "annotations", fieldmanager.LastApplied).Exists() && slices.ContainsFunc(appliers, stale) {
		l.add(lintLastApplied, lastApplied, "the object has the annotation of client-side apply, although "+strings.Join(slices.DeleteFunc(slices.Clone(appliers), func(n string) bool { return !stale(n) }), ", ")+" applies it server-side")
	}
	for _, name := range appliers {
		l.stuck(o, name)
	}
	l.shared(o)
}

// version checks that the apiVersion of an entry serves the kind.
func (l *linter) version(e fieldmanager.Entry, path document.Path) {
	group, version, _ := schema.SplitAPIVersion(e.APIVersion)
	if l.kind == nil || e.Subresource == "scale" {
		return
	}
	if _, ok := l.registry.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: l.kind.Kind}); ok && group == l.kind.Group {
		return
	}
	severity := LevelWarning
	if !l.kind.Builtin {
		severity = LevelError
	}
	l.addAs(severity, lintUnknownVersion, path, fmt.Sprintf("the entry of %s uses apiVersion %s, which does not serve %s", e.Manager, e.APIVersion, l.kind.Kind))
}

// stuck finds fields that an applying manager cannot remove.
func (l *linter) stuck(o fieldmanager.Object, manager string) {
	if manager == "kubectl-last-applied" {
		return
	}
	from := o.Managed.ClientAppliers()
	for _, e := range o.Managed.Of(firstApply) {
		from = append(from, e.Manager)
	}
	if len(from) == 0 {
		return
	}
	m := Migrate(o, from, manager)
	if rules, err := defaults.For(l.registry.Catalog().Version()); err == nil && l.kind != nil {
		if minimal, err := rules.Minimize(l.kind, o.Value); err == nil {
			m.MarkDefaults(minimal)
		}
	}
	stuck := slices.DeleteFunc(m.Stuck, func(s StuckField) bool { return s.Default })
	if n := len(stuck); n > 0 {
		l.add(lintClientSide, document.Keys("metadata", "managedFields"), fmt.Sprintf("fields that %s omits remain owned by %s (%s, such as %s)",
			manager, strings.Join(from, " and "), count(n, "field"), stuck[n-1].Path))
	}
}

// changeable reports whether an update of a live object may change a field. Managers that own one that is immutable,
// such as the selector of a Deployment, cannot have a conflict that differs from a refusal. Each field is removed alone,
// because the error for one may be about a whole that contains others. Fields in lists are not examined, so that a type
// limits the number of validations.
func (l *linter) changeable(object document.Value, path document.Path) bool {
	if l.kind == nil || !l.kind.Builtin {
		return true
	}
	var names []string
	for _, step := range path {
		name, ok := step.Name()
		if !ok {
			return true
		}
		names = append(names, name)
	}
	refuses := func(e schema.FieldError) bool {
		return (e.Immutable || e.Type == schema.ErrorForbidden) && len(e.Path) <= len(path) && slices.Equal(e.Path, path[:len(e.Path)])
	}
	return !slices.ContainsFunc(strategy.For(l.kind).Validate(l.kind, "", object.Remove(names...), object), refuses)
}

// shared finds atomic lists and maps with several owners.
func (l *linter) shared(o fieldmanager.Object) {
	all := allOwners(o.Managed)
	var s claimStack
	var walk func(p place, path document.Path)
	walk = func(p place, path document.Path) {
		k := p.v.Kind()
		if k != document.Object && k != document.List || p.v.Len() == 0 {
			return
		}
		if p.leaf() {
			var names []string
			for _, owner := range ownersOf(p.claims, all) {
				if !slices.Contains(names, owner.Manager) {
					names = append(names, owner.Manager)
				}
			}
			if len(names) > 1 && l.changeable(o.Value, path) {
				l.add(lintSharedAtomic, path, fmt.Sprintf("%s is atomic and owned by %s", path, strings.Join(names, " and ")))
			}
			return
		}
		n := len(s)
		for i := range p.v.Len() {
			if k == document.Object {
				walk(p.member(i, &s), path.Child(p.v.Key(i)))
			} else {
				kid, _ := p.item(i, &s)
				walk(kid, path.Item(i))
			}
			s.release(n)
		}
	}
	p := root(l.typ, o)
	walk(p, nil)
}
