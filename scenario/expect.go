package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Outcome is the outcome of a step.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "ok"
	Unchanged Outcome = "unchanged" // it succeeds and the resourceVersion does not change
	Refused   Outcome = "refused"   // it fails for any reason
	Conflicts Outcome = "conflict"  // it fails with code 409 and reason Conflict
	Denied    Outcome = "denied"    // an admission policy or a CEL rule refuses it
)

// outcomes lists all outcomes.
func outcomes() []Outcome { return []Outcome{Succeeded, Unchanged, Refused, Conflicts, Denied} }

// Expectation is the expected result of a step. Empty fields are not compared, but a step
// without an expected failure must succeed.
type Expectation struct {
	Result Outcome
	// Code is the HTTP status code, Reason is the reason of the Status, such as Invalid,
	// and Message is part of its message or of an error in the step's body.
	Code            int
	Reason, Message string
	// Conflicts lists all fields in conflict with the managers that own them.
	Conflicts []Owned
	// Owners lists fields of the object after the step with all of their managers; an empty
	// list of managers means that the field has no owner.
	Owners []Owned
	// Object is part of the object after the step. A null in it means that the field does
	// not exist. Lists must have all items, which may be partial too.
	Object document.Value
	// Whole is the object after the step. The metadata fields managedFields, uid,
	// resourceVersion, generation and creationTimestamp are compared only if Whole has
	// them.
	Whole document.Value
	// Absent means that the object does not exist after the step.
	Absent bool
	// Warnings lists a part of each warning, in order.
	Warnings []string
}

// Owned is a field with its managers: "helm", or "kube-controller-manager/status" for
// ownership through a subresource.
type Owned struct {
	Path     string
	Managers []string
}

// expectation parses the field expect of a step: an outcome or an object.
func (r *reader) expectation(v document.Value) *Expectation {
	e := &Expectation{}
	if text, ok := v.Text(); ok {
		e.Result = r.outcome(v, text)
		return e
	}
	result := ""
	r.object(v, "an expectation", map[string]*string{"result": &result, "reason": &e.Reason, "message": &e.Message},
		"code", "conflicts", "owners", "object", "whole", "absent", "warnings")
	if result != "" {
		e.Result = r.outcome(v.Get("result"), result)
	}
	if code := v.Get("code"); code.Exists() {
		n, ok := code.Int()
		if !ok || n < 100 || n > 599 {
			r.fail(code, "code must be an HTTP status code, such as 409, found "+code.String())
		}
		e.Code = int(n)
	}
	if absent := v.Get("absent"); absent.Exists() {
		var ok bool
		if e.Absent, ok = absent.Bool(); !ok {
			r.fail(absent, "absent must be true or false, found a "+absent.Kind().String())
		}
	}
	e.Conflicts, e.Owners = r.owned(v.Get("conflicts"), "conflicts"), r.owned(v.Get("owners"), "owners")
	e.Object, e.Whole = r.manifest(v.Get("object"), "object"), r.manifest(v.Get("whole"), "whole")
	r.each(v.Get("warnings"), "warnings", maxSteps, func(v document.Value) {
		text, ok := v.Text()
		if !ok {
			r.fail(v, "a warning must be a string, found a "+v.Kind().String())
		}
		e.Warnings = append(e.Warnings, text)
	})
	if v.Kind() == document.Object && v.Len() == 0 {
		r.fail(v, "expect is empty; it must be "+outcomeNames()+", or an object with code, reason, message, conflicts, owners, object, whole, absent or warnings")
	}
	return e
}

func (r *reader) outcome(v document.Value, text string) Outcome {
	if !slices.Contains(outcomes(), Outcome(text)) {
		r.fail(v, fmt.Sprintf("unknown outcome %q; expected %s", text, outcomeNames()))
	}
	return Outcome(text)
}

func outcomeNames() string {
	var names []string
	for _, o := range outcomes() {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

// manifest parses part of an object.
func (r *reader) manifest(v document.Value, what string) document.Value {
	if v.Exists() && v.Kind() != document.Object {
		r.fail(v, what+" must be an object, found a "+v.Kind().String())
		return document.Value{}
	}
	return v
}

// owned parses an object that maps paths to a manager or a list of managers.
func (r *reader) owned(v document.Value, what string) []Owned {
	if !v.Exists() {
		return nil
	}
	if v.Kind() != document.Object {
		r.fail(v, what+" must be an object of paths with their managers, such as {.spec.replicas: [hpa]}, found a "+v.Kind().String())
		return nil
	}
	list := make([]Owned, 0, v.Len())
	for path, managers := range v.Members() {
		if _, err := document.ParsePath(path); err != nil {
			r.fail(managers, what+": "+err.Error())
		}
		o := Owned{Path: path}
		if name, ok := managers.Text(); ok {
			o.Managers = []string{name}
		} else {
			r.each(managers, "managers", maxActors, func(m document.Value) {
				name, ok := m.Text()
				if !ok {
					r.fail(m, "a manager must be a string, found a "+m.Kind().String())
				}
				o.Managers = append(o.Managers, name)
			})
		}
		slices.Sort(o.Managers)
		list = append(list, o)
	}
	return list
}

// fails reports whether the step is expected to fail.
func (e *Expectation) fails() bool {
	switch e.Result {
	case Refused, Conflicts, Denied:
		return true
	case Succeeded, Unchanged:
		return false
	}
	return e.Code >= 400 || e.Reason != "" || e.Message != "" || len(e.Conflicts) > 0
}

// value encodes an expectation as in a file.
func (e *Expectation) value() document.Value {
	var o document.ObjectBuilder
	text(&o, "result", string(e.Result))
	if e.Code != 0 {
		o.Set("code", document.NewInt(int64(e.Code)))
	}
	text(&o, "reason", e.Reason)
	text(&o, "message", e.Message)
	for name, list := range map[string][]Owned{"conflicts": e.Conflicts, "owners": e.Owners} {
		if list != nil {
			o.Set(name, ownedValue(list))
		}
	}
	for name, v := range map[string]document.Value{"object": e.Object, "whole": e.Whole} {
		if v.Exists() {
			o.Set(name, v)
		}
	}
	if e.Absent {
		o.Set("absent", document.NewBool(true))
	}
	if len(e.Warnings) > 0 {
		o.Set("warnings", document.NewStrings(e.Warnings...))
	}
	switch {
	case o.Len() == 0: // an empty object is an error for Parse
		return document.NewString(string(Succeeded))
	case o.Len() == 1 && e.Result != "":
		return document.NewString(string(e.Result))
	}
	return o.Object()
}

func ownedValue(list []Owned) document.Value {
	var o document.ObjectBuilder
	for _, owned := range list {
		o.Set(owned.Path, document.NewStrings(owned.Managers...))
	}
	return o.Object()
}

// String returns the managers for a message: "alice, bob", or "nobody".
func (o Owned) String() string {
	if len(o.Managers) == 0 {
		return "nobody"
	}
	return strings.Join(o.Managers, ", ")
}

// Mismatch is a difference between the result of a step and its expectation.
type Mismatch struct {
	// Field is the name of what differs: "result", "code", "owners of .spec.replicas",
	// "object.spec.replicas".
	Field string `json:"field"`
	Want  string `json:"want"`
	Got   string `json:"got"`
}

// String returns the mismatch as a line: "code: expected 409, got 200".
func (m Mismatch) String() string { return m.Field + ": expected " + m.Want + ", got " + m.Got }

// brief shortens a value for a message.
func brief(v document.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	const most = 200
	text := v.String()
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "… (" + strconv.Itoa(len(text)) + " bytes)"
	}
	return text
}
