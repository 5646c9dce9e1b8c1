package verify

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/generate"
	"github.com/patchlab-dev/patchlab/patch"
)

var patchErrors = []error{patch.ErrMalformed, patch.ErrTestFailed, patch.ErrCannotApply, patch.ErrInternal, patch.ErrTooLarge, patch.ErrUnsupported, patch.ErrPrecondition, patch.ErrConflict}

// inputs are what a case of each work must have.
var inputs = [works][]string{
	JSONPatch: {"object", "patch"}, MergePatch: {"object", "patch"}, StrategicPatch: {"object", "patch"},
	Create: {"from", "to"}, ThreeWay: {"original", "modified", "current"},
}

// question is something that both engines of patches are asked.
type question struct {
	what string
	work Work
	ask  func(e patch.Engine) (document.Value, error)
	// decidesOnly says that only whether there is an answer counts.
	decidesOnly bool
}

func (r *referee) patches(c *Case) outcome {
	out := outcome{done: map[string]int{}}
	for _, q := range questions(c) {
		d, known, err := r.ask(c, &q)
		if known != "" {
			out.known = known
		}
		if d != nil {
			out.Difference = d
			return out
		}
		if out.Difference = q.fromText(c); out.Difference != nil {
			return out
		}
		if err != nil {
			out.done["refusals"]++
		} else {
			out.done["answers"]++
		}
	}
	if c.Work == Create {
		out.Difference = r.madeJSON(c)
	}
	return out
}

// questions are what a case asks.
func questions(c *Case) []question {
	in, t := c.Input.Get, c.Kinds[0].Type()
	o := patch.Options{ListTypes: !c.Kinds[0].Builtin}
	with := func(e patch.Engine) patch.Options {
		o := o
		o.Engine = e
		return o
	}
	switch c.Work {
	case JSONPatch:
		return []question{{"the JSON patch", c.Work, func(e patch.Engine) (document.Value, error) {
			return patch.JSON(in("object"), in("patch"), with(e))
		}, false}}
	case MergePatch:
		return []question{{"the merge patch", c.Work, func(e patch.Engine) (document.Value, error) {
			return patch.Merge(in("object"), in("patch"), with(e))
		}, false}}
	case StrategicPatch:
		return []question{{"the strategic merge patch", c.Work, func(e patch.Engine) (document.Value, error) {
			return patch.Strategic(in("object"), in("patch"), t, with(e))
		}, false}}
	case Create:
		return []question{
			{"the merge patch made of two", MergePatch, func(e patch.Engine) (document.Value, error) {
				return patch.CreateMerge(in("from"), in("to"), with(e))
			}, false},
			{"the strategic merge patch made of two", StrategicPatch, func(e patch.Engine) (document.Value, error) {
				return patch.CreateStrategic(in("from"), in("to"), t, with(e))
			}, false},
		}
	}
	return threeWay(c, with)
}

func threeWay(c *Case, with func(patch.Engine) patch.Options) []question {
	in, t := c.Input.Get, c.Kinds[0].Type()
	var out []question
	for _, refuse := range [...]bool{false, true} {
		o := func(e patch.Engine) patch.ThreeWayOptions {
			return patch.ThreeWayOptions{Options: with(e), RefuseConflicts: refuse}
		}
		// While it looks for conflicts the library sorts lists of the patch that
		// it then returns; ours does not.
		out = append(out, question{"the strategic merge patch made of three", StrategicPatch, func(e patch.Engine) (document.Value, error) {
			return patch.ThreeWayStrategic(in("original"), in("modified"), in("current"), t, o(e))
		}, refuse})
		if !refuse {
			out = append(out, question{"the merge patch made of three", MergePatch, func(e patch.Engine) (document.Value, error) {
				return patch.ThreeWayMerge(in("original"), in("modified"), in("current"), o(e))
			}, false})
		}
	}
	return out
}

// ask compares the answers to one question. It returns our error.
func (r *referee) ask(c *Case, q *question) (d *Difference, known string, err error) {
	ours, err := q.ask(nil)
	var theirs document.Value
	var theirErr error
	for range r.tries {
		theirs, theirErr = q.ask(r.Patch)
		if classOf(err, patchErrors) == classOf(theirErr, patchErrors) && (err != nil || q.decidesOnly || sameText(ours, theirs)) {
			return nil, "", err
		}
		if known = knownDifference(c, q, ours, theirs, err, theirErr); known != "" {
			return nil, known, err
		}
	}
	return &Difference{"another answer to " + q.what, answer(ours, err), answer(theirs, theirErr)}, "", err
}

// fromText does a patch once more from text to text, which has ways of its own:
// the answer must be the same.
func (q *question) fromText(c *Case) *Difference {
	types := map[Work]patch.Type{JSONPatch: patch.TypeJSON, MergePatch: patch.TypeMerge, StrategicPatch: patch.TypeStrategic}
	if types[c.Work] == patch.TypeAuto {
		return nil
	}
	object, change := generate.Text(c.Input.Get("object")), generate.Text(c.Input.Get("patch"))
	if c.Seed%3 == 0 { // else the object is in printed form, as a server has it
		object = generate.New(c.Seed, generate.Options{}).Spell(c.Input.Get("object"))
	}
	got, _, err := patch.Apply(object, change, patch.Request{Type: types[c.Work], Kind: c.Kinds[0],
		Options: patch.Options{ListTypes: !c.Kinds[0].Builtin}, MaxBytes: -1})
	want, wantErr := q.ask(nil)
	if classOf(err, patchErrors) != classOf(wantErr, patchErrors) || err == nil && string(got) != want.String() {
		return &Difference{"another answer to " + q.what + " from text than from values", say(err) + " " + string(got), answer(want, wantErr)}
	}
	return nil
}

// sameText reports whether two values print alike.
func sameText(a, b document.Value) bool {
	return document.Identical(a, b) || a.String() == b.String()
}

func answer(v document.Value, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return v.String()
}

// madeJSON lets the reference apply the JSON patch that ours makes: it must give
// the wanted object.
func (r *referee) madeJSON(c *Case) *Difference {
	from, to := c.Input.Get("from"), c.Input.Get("to")
	made := patch.CreateJSON(from, to)
	got, err := patch.JSON(from, made, patch.Options{Engine: r.Patch, MaxOperations: -1})
	if err != nil || !document.Equal(got, to) {
		return &Difference{"the JSON patch made of two does not give the wanted object when the reference applies it", made.String(), answer(got, err)}
	}
	return nil
}
