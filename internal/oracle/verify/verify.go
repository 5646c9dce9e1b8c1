// Package verify holds the engines of this project against the reference
// engine: random cases, drawn from the types of all kinds, go through both, and
// a case whose answers differ is shrunk to what makes them differ. A case is
// data, so that it can be printed, shrunk and drawn again from its seed.
package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Reference is the engine that is right where the two differ.
type Reference struct {
	// Merge returns a new structured merge engine. It may keep what it learns of
	// types for as long as it is used.
	Merge func() fieldmanager.Engine
	Patch PatchEngine
}

// PatchEngine is an engine of patches that can also say whether two of them conflict.
type PatchEngine interface {
	patch.Engine
	// Conflicts reports whether two strategic merge patches of one object set a
	// field to different values.
	Conflicts(a, b document.Value, t *schema.Type, o patch.Options) (bool, error)
}

// Work is what a case does.
type Work uint8

// The works. Ownership is server-side apply and update tracking, one request
// after the other; Create makes patches from two objects and ThreeWay from three.
const (
	Ownership Work = iota
	JSONPatch
	MergePatch
	StrategicPatch
	Create
	ThreeWay
	works
)

func (w Work) String() string {
	return [...]string{"apply and update", "JSON patch", "merge patch", "strategic merge patch", "making a patch", "three-way merge"}[w]
}

// A Case is one piece of work for both engines.
type Case struct {
	Seed uint64
	Work Work
	// Kinds is the object's kind, in each of its versions.
	Kinds []*schema.Kind
	// Changed is the same kinds after their types have changed, nil where they
	// have not.
	Changed []*schema.Kind
	// Input is what the engines are given: for Ownership the list "steps" of
	// requests (manager, apply, force, subresource, body, changed), with "status"
	// true for a kind that has a status subresource, and "live" for an object
	// that is there before and that nobody manages; for the others "object" and
	// "patch", "from" and "to", or "original", "modified" and "current".
	Input document.Value

	drawn bool // the kinds are of this case alone
}

// Difference is where the answers to a case part.
type Difference struct {
	What, Ours, Theirs string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s\nours:      %s\nreference: %s", d.What, d.Ours, d.Theirs)
}

// outcome is what came of a case.
type outcome struct {
	*Difference
	// known names the entry of known differences that the answers fall under.
	known string
	// done counts requests by what was answered.
	done map[string]int
}

// A referee compares the engines. Each goroutine has its own.
type referee struct {
	Reference
	shared fieldmanager.Engine // for kinds of many cases
	tries  int                 // of the reference, where its answers vary
}

// newReferee returns a referee. The libraries' answers depend on the order of Go
// maps here and there: ours must be one that they give in some of so many tries.
func newReferee(r Reference, shared fieldmanager.Engine) *referee {
	return &referee{r, shared, 300}
}

func (r *referee) compare(c *Case) outcome {
	if c.Work == Ownership {
		return r.ownership(c)
	}
	return r.patches(c)
}

// classOf returns which of the classes an error is of; nil is one of its own.
func classOf(err error, classes []error) string {
	if err == nil {
		return "no error"
	}
	if i := slices.IndexFunc(classes, func(class error) bool { return errors.Is(err, class) }); i >= 0 {
		return classes[i].Error()
	}
	return "another error"
}

// possible reports whether a case is one that could be: what is stored, sent as a
// whole or made a patch of is an object.
func (c *Case) possible() bool {
	for _, name := range inputs[c.Work] {
		if k := c.Input.Get(name).Kind(); k != document.Object && (name != "patch" || k != document.List) {
			return false
		}
	}
	for _, step := range c.Input.Get("steps").Items() {
		if step.Get("body").Kind() != document.Object {
			return false
		}
	}
	return true
}

// reread takes a value through its JSON, as storing it does.
func reread(v document.Value) document.Value { return parse(v.JSON()) }

// parse reads what this program wrote, which cannot fail.
func parse(text []byte) document.Value {
	d, err := document.Parse(text, document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast})
	if err != nil {
		panic("verify: a value that cannot be read again: " + err.Error())
	}
	return d.Root
}
