package patchlab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// groupKindName is the index key of live objects. Objects in several namespaces may share
// one key; the namespace is compared afterwards.
type groupKindName struct{ group, kind, name string }

// liveObjects indexes the live objects for matching. Each change sees an object as the
// previous changes left it.
type liveObjects struct {
	all    []liveObject
	byName map[groupKindName][]int // the indices of the objects
	// byKind and byNameAlone are for documents without a name or a kind, which are rare: they have the
	// first indexed objects (see index).
	byKind      map[groupKindName][]int // by group and kind
	byNameAlone map[string][]int        // by the name, and all objects by ""
	indexed     int
	// given is the number of objects in the live input; later ones were created by changes.
	given int
	// owned reports whether an object of the live input has managedFields.
	owned bool
}

// A liveObject is an object from the live input, or one that an earlier change created.
type liveObject struct {
	manifest.Object
	namespace string
	// opened is the decoded object; nil until it is needed.
	opened *Object
}

// readLive reads the live objects. Of several states of one object, which have the same uid, the one with the highest
// resourceVersion is kept, or the last if these are not numbers: an apply of several manifests of the same name
// prints such states.
func readLive(in Input) (*liveObjects, error) {
	if o, ok := in.(*Object); ok && o != nil {
		if err := o.usable(); err != nil {
			return nil, err
		}
		l := &liveObjects{byName: map[groupKindName][]int{}, given: 1}
		l.add(liveObject{Object: manifest.Object{Value: o.Value, Document: &document.Document{Root: o.Value}}, opened: o})
		return l, nil
	}
	found, err := objects(in)
	if err != nil {
		return nil, err
	}
	l := &liveObjects{byName: make(map[groupKindName][]int, len(found))}
	states := make(map[string]int, len(found)) // the indices of the objects by uid
	for _, o := range found {
		if o.Value.Kind() != document.Object {
			return nil, &Error{Position: o.Position(), Err: ErrInput, message: "expected a live object, found a " + o.Value.Kind().String()}
		}
		l.owned = l.owned || o.Value.Lookup("metadata", "managedFields").Len() > 0
		uid := o.Value.Lookup("metadata", "uid").StringOr("")
		if i, known := states[uid]; known && uid != "" && sameName(o.Value, l.all[i].Value) {
			if !isOlder(o.Value, l.all[i].Value) {
				l.all[i].Object = o
			}
			continue
		}
		states[uid] = len(l.all)
		l.add(liveObject{Object: o})
	}
	l.given = len(l.all)
	return l, nil
}

func sameName(a, b document.Value) bool {
	return nameOf(a) == nameOf(b) && a.Lookup("metadata", "namespace").StringOr("") == b.Lookup("metadata", "namespace").StringOr("")
}

// isOlder reports whether a state of an object has a lower resourceVersion than another state of it.
func isOlder(v, other document.Value) bool {
	version, err := strconv.ParseUint(v.Lookup("metadata", "resourceVersion").StringOr(""), 10, 64)
	than, otherErr := strconv.ParseUint(other.Lookup("metadata", "resourceVersion").StringOr(""), 10, 64)
	return err == nil && otherErr == nil && version < than
}

// add indexes an object by its name. Of several objects with the same name and namespace
// the first is used.
func (l *liveObjects) add(o liveObject) {
	o.namespace = o.Value.Lookup("metadata", "namespace").StringOr("")
	name := nameOf(o.Value)
	l.all = append(l.all, o)
	l.byName[name] = append(l.byName[name], len(l.all)-1)
}

// index adds the objects to byKind and byNameAlone that have been added since its last call.
func (l *liveObjects) index() {
	if l.byKind == nil {
		l.byKind, l.byNameAlone = map[groupKindName][]int{}, make(map[string][]int, len(l.all))
	}
	for ; l.indexed < len(l.all); l.indexed++ {
		name := nameOf(l.all[l.indexed].Value)
		kind := groupKindName{name.group, name.kind, ""}
		l.byKind[kind] = append(l.byKind[kind], l.indexed)
		l.byNameAlone[""] = append(l.byNameAlone[""], l.indexed)
		if name.name != "" {
			l.byNameAlone[name.name] = append(l.byNameAlone[name.name], l.indexed)
		}
	}
}

// terminating reports whether a namespace is among the live objects and being deleted.
func (l *liveObjects) terminating(namespace string) bool {
	found := l.byName[groupKindName{"", "Namespace", namespace}]
	return len(found) > 0 && l.all[found[0]].Value.Lookup("metadata", "deletionTimestamp").Kind() == document.String
}

func nameOf(v document.Value) groupKindName {
	group, _, _ := schema.SplitAPIVersion(v.Get("apiVersion").StringOr(""))
	return groupKindName{group, v.Get("kind").StringOr(""), v.Lookup("metadata", "name").StringOr("")}
}

// ofKind returns the indices of all live objects of a kind.
func (l *liveObjects) ofKind(group, kind string) []int {
	l.index()
	return l.byKind[groupKindName{group, kind, ""}]
}

// withName returns the indices of the live objects with a name, of all for "".
func (l *liveObjects) withName(name string) []int {
	l.index()
	return l.byNameAlone[name]
}

// named returns the indices of the live objects with a name and in a namespace, either of which may be empty
// for any, and the number of those with the name in other namespaces.
func (l *liveObjects) named(name, namespace string) (found []int, elsewhere int) {
	for _, i := range l.withName(name) {
		switch o := &l.all[i]; {
		case namespace != "" && o.namespace != "" && o.namespace != namespace:
			elsewhere++
		default:
			found = append(found, i)
		}
	}
	return found, elsewhere
}

// identified returns an error with the position in the live input if a live object lacks a part
// of its identity, which a patch without a kind takes from it.
func (o liveObject) identified() error {
	for _, field := range [...][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		if o.Value.Lookup(field...).StringOr("") == "" {
			return &Error{Position: o.PositionOf(document.Keys(field...)), Err: ErrInput,
				message: "a live object requires apiVersion, kind and metadata.name; " + strings.Join(field, ".") + " is missing"}
		}
	}
	return nil
}

// list names live objects.
func (l *liveObjects) list(of []int) string {
	names := make([]string, len(of))
	for i, at := range of {
		o := l.all[at]
		names[i] = Target{Kind: o.Value.Get("kind").StringOr(""), Namespace: o.namespace, Name: o.Value.Lookup("metadata", "name").StringOr("")}.String()
	}
	return firstOf(names)
}

// firstOf lists names: the first five, and the number of the others.
func firstOf(names []string) string {
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), strconv.Itoa(more)+" more")
	}
	return strings.Join(names, ", ")
}

// countLive returns the number of live objects as the rest of a sentence that begins with "there".
func countLive(n int) string {
	switch n {
	case 0:
		return "is no live object"
	case 1:
		return "is 1 live object"
	}
	return fmt.Sprintf("are %d live objects", n)
}
