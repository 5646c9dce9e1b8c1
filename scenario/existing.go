package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Existing is an initial object of a scenario.
type Existing struct {
	Target Target
	Kind   *schema.Kind
	// Object is the object as returned by a get before the first step.
	Object fieldmanager.Object
	// Notes lists what was changed or is unknown: fields that the kind does not have,
	// unknown owners.
	Notes []string
	// Position is the position of the object in its text.
	Position document.Position
}

// maxExisting is the maximum number of initial objects.
const maxExisting = 1000

// Load adds the objects in a text to the cluster as if the API server had stored them
// before the first step: values, managers, times, uid and resourceVersion are kept. The
// text has the format of 'kubectl get -o yaml --show-managed-fields': an object, several
// documents, or a List. CustomResourceDefinitions in it are added before the other objects
// are read. Steps begin a minute after the latest time in the objects. An error is an
// *Error with the position of the object, or a *document.SyntaxError; nothing has been
// added then.
func (r *Runner) Load(ctx context.Context, text string) ([]Existing, error) {
	docs, err := manifest.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	objects := manifest.Split(docs...)
	switch {
	case len(objects) == 0:
		return nil, &Error{Reason: "expected an object in the format of 'kubectl get -o yaml --show-managed-fields', found nothing"}
	case len(r.existing)+len(objects) > maxExisting:
		return nil, &Error{Reason: fmt.Sprintf("a scenario can have at most %d initial objects", maxExisting)}
	}
	manifest.SortForCreation(objects)
	n := 0
	for n < len(objects) && objects[n].IsCRD() {
		n++
	}
	before := *r
	r.existing, r.seen = slices.Clip(r.existing), nil
	for _, part := range [][]manifest.Object{objects[:n], objects[n:]} {
		if err := r.place(ctx, part); err != nil {
			*r = before
			return nil, err
		}
	}
	r.last = Target{}
	if len(r.existing) == 1 { // the default target of steps
		r.last = r.existing[0].Target
	}
	return r.existing[len(before.existing):], nil
}

// place stores objects with their resourceVersions in a new store.
func (r *Runner) place(ctx context.Context, objects []manifest.Object) error {
	if len(objects) == 0 {
		return nil
	}
	items := make([]store.Item[*cluster.Record], 0, len(objects))
	begun := make([]Existing, 0, len(objects))
	for _, o := range objects {
		item, notes, err := r.cluster.Existing(o.Value)
		if err != nil {
			return &Error{Position: o.PositionOf(manifest.WrongField(err)), Reason: err.Error(), Err: err}
		}
		if r.exists(ctx, items, item.Key) {
			return &Error{Position: o.Position(), Reason: "duplicate initial object: " + o.Kind() + " " + o.Value.Lookup("metadata", "name").StringOr("")}
		}
		items = append(items, item)
		begun = append(begun, Existing{Position: o.Position(), Notes: append(notes, unknownOwners(o.Value)...)})
		r.now = latest(r.now, o.Value)
	}
	var err error
	if r.store, err = r.store.With(items...); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	for i, o := range objects {
		if err := r.identify(ctx, o.Value, &begun[i]); err != nil {
			return &Error{Position: o.Position(), Reason: err.Error(), Err: err}
		}
	}
	r.existing = append(r.existing, begun...)
	return nil
}

// identify sets the object as returned by a get.
func (r *Runner) identify(ctx context.Context, given document.Value, e *Existing) error {
	res := Result{}
	var err error
	if res.Target, res.Kind, err = (&Runner{cluster: r.cluster}).target(&Step{}, given); err != nil {
		return err
	}
	e.Target, e.Kind = res.Target, res.Kind
	e.Object, err = r.object(ctx, &res)
	return err
}

// exists reports whether the store or items contain a key.
func (r *Runner) exists(ctx context.Context, items []store.Item[*cluster.Record], key string) bool {
	if slices.ContainsFunc(items, func(i store.Item[*cluster.Record]) bool { return i.Key == key }) {
		return true
	}
	_, err := r.store.Get(ctx, key, store.GetOptions{})
	return err == nil
}

// unknownOwners returns the note for an object without managedFields.
func unknownOwners(object document.Value) []string {
	if object.Lookup("metadata", "managedFields").Len() > 0 {
		return nil
	}
	kind := strings.ToLower(object.Get("kind").StringOr(""))
	if group, _, _ := schema.SplitAPIVersion(object.Get("apiVersion").StringOr("")); group != "" {
		kind += "." + group
	}
	name := kind + "/" + object.Lookup("metadata", "name").StringOr("")
	command := "kubectl get " + quote(name)
	if namespace := object.Lookup("metadata", "namespace").StringOr(""); namespace != "" {
		command += " --namespace=" + quote(namespace)
	}
	return []string{name + " has no managedFields, so the owners of its fields are unknown; this reads them: " +
		command + " -o yaml --show-managed-fields"}
}

// latest returns the latest of a time and those in an object's metadata, rounded up to
// minutes, so that the steps follow all previous changes.
func latest(now time.Time, object document.Value) time.Time {
	metadata := object.Get("metadata")
	times := []document.Value{metadata.Get("creationTimestamp"), metadata.Get("deletionTimestamp")}
	for _, entry := range metadata.Get("managedFields").Items() {
		times = append(times, entry.Get("time"))
	}
	for _, v := range times {
		t, err := time.Parse(time.RFC3339, v.StringOr(""))
		if err != nil {
			continue
		}
		if t = t.UTC(); !t.Equal(t.Truncate(time.Minute)) {
			t = t.Truncate(time.Minute).Add(time.Minute)
		}
		if t.After(now) {
			now = t
		}
	}
	return now
}
