package verify

import (
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// ownership sends the requests of a case to both engines. Each starts with our result of
// the preceding one.
func (r *referee) ownership(c *Case) outcome {
	theirs := r.shared
	if c.drawn || theirs == nil {
		theirs = r.Merge()
	}
	out := outcome{done: map[string]int{}}
	var live fieldmanager.Object
	if v := c.Input.Get("live"); v.Kind() == document.Object {
		live.Value = v
	}
	for i, step := range c.Input.Get("steps").Items() {
		now := time.Unix(1767323045+int64(i), 0).UTC()
		q := request{step, now, c}
		b, errB := q.send(theirs, live)
		q.Value = q.With("body", c.readAs(uint64(i), q.Get("body")))
		a, errA := q.send(nil, live)
		if out.Difference = sameObject(a, b, errA, errB); out.Difference != nil {
			out.What = fmt.Sprintf("step %d: %s", i+1, out.What)
			return out
		}
		out.done[q.result(errA)]++
		if errA != nil && q.applies() {
			continue
		}
		// The next request gets the object either from memory or decoded.
		if live = a; (c.Seed+uint64(i))%2 > 0 {
			continue
		}
		if live, out.Difference = stored(a); out.Difference != nil {
			out.What = fmt.Sprintf("step %d: %s", i+1, out.What)
			return out
		}
	}
	return out
}

// stored returns an object after encoding and decoding, and any difference.
func stored(o fieldmanager.Object) (fieldmanager.Object, *Difference) {
	whole := o.Join()
	kept, err := fieldmanager.Split(whole)
	again, err2 := fieldmanager.Split(reread(whole))
	if was, is := kept.Join().String(), again.Join().String(); was != is || err != nil || err2 != nil {
		return again, &Difference{"another object once it is written and read again", was + say(err), is + say(err2)}
	}
	return again, nil
}

// request is one step of a case.
type request struct {
	document.Value
	now time.Time
	c   *Case
}

func (q request) applies() bool {
	yes, _ := q.Get("apply").Bool()
	return yes
}

func (q request) result(err error) string {
	switch {
	case errors.Is(err, fieldmanager.ErrConflict):
		return "conflicts"
	case err != nil:
		return "refusals"
	case q.applies():
		return "applies"
	}
	return "updates"
}

func (q request) send(e fieldmanager.Engine, live fieldmanager.Object) (fieldmanager.Object, error) {
	body := q.Get("body")
	m, err := fieldmanager.New(q.config(e, body.Get("apiVersion").StringOr("")))
	if err != nil {
		return fieldmanager.Object{}, err
	}
	if live.Value.Kind() == document.Object {
		live.Value = live.Value.With("apiVersion", body.Get("apiVersion"))
	}
	name := q.Get("manager").StringOr("")
	if q.applies() {
		force, _ := q.Get("force").Bool()
		return m.Apply(live, body, fieldmanager.ApplyOptions{FieldManager: name, Force: force, Time: q.now})
	}
	return m.Update(live, body, fieldmanager.UpdateOptions{FieldManager: name, Time: q.now})
}

// config returns the field manager's Config for a version of the kind. With a status
// subresource, its requests own only the status, and other requests everything else.
func (q request) config(e fieldmanager.Engine, apiVersion string) fieldmanager.Config {
	kinds := q.c.Kinds
	if changed, _ := q.Get("changed").Bool(); changed && q.c.Changed != nil {
		kinds = q.c.Changed
	}
	types := map[string]*schema.Type{}
	for _, k := range kinds {
		types[k.APIVersion()] = k.Type()
	}
	k := kinds[0]
	if types[apiVersion] == nil {
		apiVersion = k.APIVersion()
	}
	config := fieldmanager.Config{APIVersion: apiVersion, Kind: k.Kind, Type: types[apiVersion], Custom: !q.c.Kinds[0].Builtin,
		Engine: e, Other: func(v string) *schema.Type { return types[v] }}
	if status, _ := q.c.Input.Get("status").Bool(); status {
		config.Subresource = q.Get("subresource").StringOr("")
		fields := []string{"status"}
		if config.Subresource != "" {
			fields = nil
			for _, f := range k.Type().Map.Fields {
				if f.Name != "status" {
					fields = append(fields, f.Name)
				}
			}
		}
		config.Reset = map[string][]string{}
		for v := range types {
			config.Reset[v] = fields
		}
	}
	return config
}

var fieldManagerErrors = []error{fieldmanager.ErrConflict, fieldmanager.ErrType, fieldmanager.ErrVersion, fieldmanager.ErrRequest, fieldmanager.ErrManagedFields}

// sameObject compares two results: the class of error with all conflicts, the object, and
// managedFields including times.
func sameObject(a, b fieldmanager.Object, errA, errB error) *Difference {
	if x, y := classOf(errA, fieldManagerErrors), classOf(errB, fieldManagerErrors); x != y {
		return &Difference{"the engines refuse the request for different reasons", say(errA), say(errB)}
	}
	var x, y *fieldmanager.Conflicts
	if errors.As(errA, &x) && errors.As(errB, &y) {
		if ours, theirs := describe(x), describe(y); ours != theirs {
			return &Difference{"other conflicts", ours, theirs}
		}
	}
	if !document.Identical(a.Value, b.Value) {
		return &Difference{"another object", a.Value.String(), b.Value.String()}
	}
	if ours, theirs := a.Managed.Value().String(), b.Managed.Value().String(); ours != theirs {
		return &Difference{"other managedFields", ours, theirs}
	}
	return nil
}

func say(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// describe formats conflicts with all their fields.
func describe(list *fieldmanager.Conflicts) string {
	text := list.Error()
	for _, c := range list.List {
		text += fmt.Sprintf("\n%s of %s, %s: live %s, wanted %s", c.Field(), c.Owner, c.Time.UTC().Format(time.RFC3339), c.Live, c.Wanted)
	}
	return text
}
