// Package verify compares patchlab's engines with the reference engine on random cases,
// which are generated from the types of all kinds. A case with different results is shrunk
// to its cause. A case is data, so that it can be printed, shrunk, and generated again from
// its seed.
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

// Reference is the engine whose results are correct by definition.
type Reference struct {
	// Merge returns a new structured merge engine, which may cache types while it is used.
	Merge func() fieldmanager.Engine
	Patch PatchEngine
}

// PatchEngine is a patch engine that can also detect conflicts between two patches.
type PatchEngine interface {
	patch.Engine
	// Conflicts reports whether two strategic merge patches for one object set a field to
	// different values.
	Conflicts(a, b document.Value, t *schema.Type, o patch.Options) (bool, error)
}

// Work is the operation that a case tests.
type Work uint8

// The works. Ownership is a sequence of server-side applies and updates; Create computes
// patches from two objects and ThreeWay from three.
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

// Case is an input for both engines.
type Case struct {
	Seed uint64
	Work Work
	// Kinds holds the object's kind in all of its versions.
	Kinds []*schema.Kind
	// Changed holds the same kinds after a change of their types; nil if they do not
	// change.
	Changed []*schema.Kind
	// Input is the input of the engines. For Ownership it has the list "steps" of requests
	// (manager, apply, force, subresource, body, changed), with "status" true for a kind
	// with a status subresource, and "live" for an existing object without managers. For
	// the others it has "object" and "patch", "from" and "to", or "original", "modified"
	// and "current".
	Input document.Value

	drawn bool // the kinds were generated for this case
}

// Difference is the first difference between the results for a case.
type Difference struct {
	What, Ours, Theirs string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s\nours:      %s\nreference: %s", d.What, d.Ours, d.Theirs)
}

// outcome is the result of a case.
type outcome struct {
	*Difference
	// known is the name of the known difference, if any.
	known string
	// done counts requests by result.
	done map[string]int
}

// referee compares the engines. Each goroutine has its own.
type referee struct {
	Reference
	shared fieldmanager.Engine // for the kinds of the source
	tries  int                 // maximum number of runs of the reference if its results vary
}

// newReferee returns a referee. Some results of the libraries depend on the iteration order
// of Go maps: ours must be one that they return in one of several tries.
func newReferee(r Reference, shared fieldmanager.Engine) *referee {
	return &referee{r, shared, 300}
}

func (r *referee) compare(c *Case) outcome {
	if c.Work == Ownership {
		return r.ownership(c)
	}
	return r.patches(c)
}

// classOf returns the class of an error; nil has its own class.
func classOf(err error, classes []error) string {
	if err == nil {
		return "no error"
	}
	if i := slices.IndexFunc(classes, func(class error) bool { return errors.Is(err, class) }); i >= 0 {
		return classes[i].Error()
	}
	return "another error"
}

// possible reports whether a case is realistic: stored objects, complete bodies and sources
// of patches must be objects.
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

// reread encodes and decodes a value, as storing does.
func reread(v document.Value) document.Value { return parse(v.JSON()) }

// parse parses this program's own output, which cannot fail.
func parse(text []byte) document.Value {
	d, err := document.Parse(text, document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast})
	if err != nil {
		panic("verify: a value that cannot be read again: " + err.Error())
	}
	return d.Root
}
