package scenario

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// counted are the metadata fields that differ between writes or runs.
var counted = [...]string{"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp"}

// Check compares the result of a step with the expectation. It returns nothing if they
// match. A nil expectation, that of a step without one, matches any result.
func (e *Expectation) Check(r *Result) []Mismatch {
	if e == nil {
		return nil
	}
	c := checker{result: r}
	c.outcome(e)
	if e.Conflicts != nil {
		c.owned("conflicts", e.Conflicts, r.conflicting())
	}
	for _, o := range e.Owners {
		got, err := r.owners(o.Path)
		if err != nil {
			c.differ("owners of "+o.Path, o.String(), err.Error())
		} else if !slices.Equal(got.Managers, o.Managers) {
			c.differ("owners of "+o.Path, o.String(), got.String())
		}
	}
	if e.Absent && r.After.Value.Exists() {
		c.differ("absent", "no object", "an object")
	}
	if e.Object.Exists() {
		c.part("object", e.Object, r.After.Join(), false)
	}
	if e.Whole.Exists() {
		c.part("whole", e.Whole, withoutCounted(r.After.Join(), e.Whole), true)
	}
	if len(e.Warnings) > 0 && !matchWarnings(e.Warnings, r.Warnings) {
		c.differ("warnings", quoted(e.Warnings), quoted(r.Warnings))
	}
	return c.found
}

type checker struct {
	result *Result
	found  []Mismatch
}

func (c *checker) differ(field, want, got string) {
	c.found = append(c.found, Mismatch{field, want, got})
}

// outcome compares the outcome of the step.
func (c *checker) outcome(e *Expectation) {
	r := c.result
	if want := e.Result; want != "" && !r.ended(want) || want == "" && !e.fails() && r.Err != nil {
		if want == "" {
			want = Succeeded
		}
		c.differ("result", string(want), r.outcome())
	}
	status := r.status()
	if e.Code != 0 && e.Code != r.Code {
		c.differ("code", strconv.Itoa(e.Code), r.outcome())
	}
	if e.Reason != "" && e.Reason != status.Reason {
		c.differ("reason", e.Reason, cmp.Or(status.Reason, "none"))
	}
	if e.Message != "" && (r.Err == nil || !strings.Contains(r.Err.Error(), e.Message)) {
		got := "no error"
		if r.Err != nil {
			got = strconv.Quote(r.Err.Error())
		}
		c.differ("message", strconv.Quote(e.Message), got)
	}
}

// ended reports whether the step has the given outcome.
func (r *Result) ended(o Outcome) bool {
	switch o {
	case Succeeded:
		return r.Err == nil
	case Unchanged:
		return r.Err == nil && r.Before.Value.Exists() && resourceVersion(r.Before) == resourceVersion(r.After)
	case Conflicts:
		return r.Err != nil && r.status().Reason == cluster.ReasonConflict
	case Denied:
		return r.Err != nil && r.Denied
	}
	return r.Err != nil
}

// outcome describes the outcome of the step.
func (r *Result) outcome() string {
	switch {
	case r.Err == nil && r.ended(Unchanged):
		return strconv.Itoa(r.Code) + ", unchanged"
	case r.Err == nil:
		return strconv.Itoa(r.Code)
	case r.Code == 0:
		return r.Err.Error()
	}
	return strconv.Itoa(r.Code) + " " + cmp.Or(r.status().Reason, "without a reason") + ": " + r.Err.Error()
}

func (r *Result) status() *cluster.Status {
	var status *cluster.Status
	if errors.As(r.Err, &status) {
		return status
	}
	return &cluster.Status{}
}

func resourceVersion(o fieldmanager.Object) string {
	return o.Value.Lookup("metadata", "resourceVersion").StringOr("")
}

// owned compares fields and all of their managers.
func (c *checker) owned(what string, want, got []Owned) {
	for _, o := range want {
		i := slices.IndexFunc(got, func(g Owned) bool { return samePath(g.Path, o.Path) })
		switch {
		case i < 0:
			c.differ(what, o.Path+" with "+o.String(), "none there")
		case !slices.Equal(got[i].Managers, o.Managers):
			c.differ(what+" over "+o.Path, o.String(), got[i].String())
		}
	}
	for _, g := range got {
		if !slices.ContainsFunc(want, func(o Owned) bool { return samePath(g.Path, o.Path) }) {
			c.differ(what, "none over "+g.Path, g.String())
		}
	}
}

// samePath compares paths regardless of their notation.
func samePath(a, b string) bool {
	p, err := document.ParsePath(a)
	q, err2 := document.ParsePath(b)
	return err == nil && err2 == nil && slices.Equal(p, q)
}

// conflicting returns the fields in conflict, with their managers.
func (r *Result) conflicting() []Owned {
	list := []Owned{}
	for _, c := range r.Conflicts() {
		path := c.Path.String()
		i := slices.IndexFunc(list, func(o Owned) bool { return o.Path == path })
		if i < 0 {
			i = len(list)
			list = append(list, Owned{Path: path})
		}
		list[i].Managers = append(list[i].Managers, managerName(c.Owner))
		slices.Sort(list[i].Managers)
		list[i].Managers = slices.Compact(list[i].Managers)
	}
	return list
}

func managerName(o fieldmanager.Owner) string {
	if o.Subresource != "" {
		return o.Manager + "/" + o.Subresource
	}
	return o.Manager
}

// owners returns the owners of a field of the object after the step.
func (r *Result) owners(path string) (Owned, error) {
	o := Owned{Path: path}
	p, err := document.ParsePath(path)
	if err != nil {
		return o, err
	}
	if !r.After.Value.Exists() || r.Kind == nil {
		return o, errors.New("there is no object")
	}
	m, err := fieldmanager.For(r.kinds, r.Kind, "")
	if err != nil {
		return o, err
	}
	if p, err = m.FieldPath(r.After.Value, p); err != nil {
		return o, err
	}
	for _, entry := range r.After.Managed.Owners(p) {
		o.Managers = append(o.Managers, managerName(entry.Owner))
	}
	slices.Sort(o.Managers)
	o.Managers = slices.Compact(o.Managers)
	return o, nil
}

// isPart reports whether an object contains a part: the members of the part, and lists of
// the same length.
func isPart(part, of document.Value) bool {
	var c checker
	c.part("", part, of, false)
	return len(c.found) == 0
}

// part compares a part of an object; with whole it must be the whole object.
func (c *checker) part(path string, want, got document.Value, whole bool) {
	switch {
	case want.IsNull() && (!got.Exists() || got.IsNull()):
	case want.Kind() == document.Object && got.Kind() == document.Object:
		for key, v := range want.Members() {
			c.part(path+"."+key, v, got.Get(key), whole)
		}
		for key, v := range got.Members() {
			if whole && !want.Get(key).Exists() {
				c.differ(path+"."+key, "nothing", brief(v))
			}
		}
	case want.Kind() == document.List && got.Kind() == document.List && want.Len() == got.Len():
		for i, v := range want.Items() {
			c.part(path+"["+strconv.Itoa(i)+"]", v, got.At(i), whole)
		}
	case !got.Exists() || want.Kind() != got.Kind() || !document.Equal(want, got):
		c.differ(path, brief(want), brief(got))
	}
}

// withoutCounted returns an object without the metadata that Whole does not compare.
func withoutCounted(object, whole document.Value) document.Value {
	for _, key := range counted {
		if !whole.Lookup("metadata", key).Exists() {
			object = object.Remove("metadata", key)
		}
	}
	return object
}

func matchWarnings(want, got []string) bool {
	return slices.EqualFunc(want, got, func(part, text string) bool { return strings.Contains(text, part) })
}

func quoted(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	var list []string
	for _, text := range texts {
		list = append(list, strconv.Quote(text))
	}
	return strings.Join(list, ", ")
}

// Observed returns the result of a step as an expectation with the fields of e; for a nil e
// it has only the outcome.
func (e *Expectation) Observed(r *Result) *Expectation {
	if e == nil {
		return r.observed()
	}
	now := *e
	if e.Result != "" && !r.ended(e.Result) {
		now.Result = r.result()
	}
	if r.Err == nil {
		now.Reason, now.Message, now.Conflicts = "", "", nil
	}
	if e.Code != 0 {
		now.Code = r.Code
	}
	if now.Reason != "" {
		now.Reason = r.status().Reason
	}
	if now.Message != "" && !strings.Contains(r.Err.Error(), e.Message) {
		now.Message = r.Err.Error()
	}
	if now.Conflicts != nil {
		now.Conflicts = r.conflicting()
	}
	now.Owners = nil
	for _, o := range e.Owners {
		if got, err := r.owners(o.Path); err == nil { // a field that does not exist has no owners
			now.Owners = append(now.Owners, got)
		}
	}
	now.Absent = e.Absent && !r.After.Value.Exists()
	if e.Object.Exists() {
		now.Object = project(e.Object, r.After.Join())
	}
	if e.Whole.Exists() {
		now.Whole = withoutCounted(r.After.Join(), e.Whole)
	}
	if len(e.Warnings) > 0 && !matchWarnings(e.Warnings, r.Warnings) {
		now.Warnings = r.Warnings
	}
	if now.value().Len() == 0 && now.Result == "" {
		return r.observed()
	}
	return &now
}

func (r *Result) observed() *Expectation {
	e := &Expectation{Result: r.result()}
	if conflicts := r.conflicting(); len(conflicts) > 0 {
		e.Conflicts = conflicts
	} else if r.Err != nil && r.Code != 0 {
		e.Result, e.Code, e.Reason = "", r.Code, r.status().Reason
		if r.Denied {
			e.Result = Denied
		}
	}
	return e
}

// result returns the most specific outcome.
func (r *Result) result() Outcome {
	for _, o := range [...]Outcome{Unchanged, Succeeded, Denied, Conflicts} {
		if r.ended(o) {
			return o
		}
	}
	return Refused
}

// project returns the fields of an object that another part has.
func project(part, object document.Value) document.Value {
	switch {
	case !object.Exists():
		return document.NewNull()
	case part.Kind() == document.Object && object.Kind() == document.Object:
		var b document.ObjectBuilder
		for key, v := range part.Members() {
			b.Set(key, project(v, object.Get(key)))
		}
		return b.Object()
	case part.Kind() == document.List && object.Kind() == document.List && part.Len() == object.Len():
		var b document.ListBuilder
		for i, v := range part.Items() {
			b.Append(project(v, object.At(i)))
		}
		return b.List()
	}
	return object
}
