package cli

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// liveIndex finds the live objects that a manifest may correspond to, so that each manifest is
// compared with a few of them only.
type liveIndex struct {
	all    documents
	byName map[[2]string]documents // by kind and name
	// named has the objects by kind, name and namespace: a dump of a cluster can have an object
	// of one name in each namespace.
	named map[[3]string]documents
}

func indexLive(live documents) *liveIndex {
	x := &liveIndex{all: live, byName: map[[2]string]documents{}, named: map[[3]string]documents{}}
	for _, o := range live.objects() {
		d := o.Document
		if len(o.At) > 0 { // items of a List
			d = &document.Document{Root: o.Value}
		}
		name := nameOfObject(o)
		x.byName[name] = append(x.byName[name], d)
		in := [3]string{name[0], name[1], namespaceOf(o)}
		x.named[in] = append(x.named[in], d)
	}
	return x
}

func nameOfObject(o manifest.Object) [2]string {
	return [2]string{o.Kind(), o.Value.Lookup("metadata", "name").StringOr("")}
}

func namespaceOf(o manifest.Object) string {
	return o.Value.Lookup("metadata", "namespace").StringOr("")
}

// candidates returns the live objects with a manifest's kind and name, of which only those in its
// namespace if there are any. If there is none at all, it returns any one, so that the caller knows
// that live objects exist.
func (x *liveIndex) candidates(o manifest.Object) documents {
	name := nameOfObject(o)
	if namespace := namespaceOf(o); namespace != "" {
		if found := x.named[[3]string{name[0], name[1], namespace}]; len(found) > 0 {
			return found
		}
	}
	if found := x.byName[name]; len(found) > 0 || len(x.all) == 0 {
		return found
	}
	if name[0] == "" || name[1] == "" { // matched by other means
		return x.all
	}
	return x.all[:1]
}
