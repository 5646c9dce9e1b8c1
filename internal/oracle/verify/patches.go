package verify

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

var patchErrors = []error{patch.ErrMalformed, patch.ErrTestFailed, patch.ErrCannotApply, patch.ErrInternal, patch.ErrTooLarge, patch.ErrUnsupported, patch.ErrPrecondition, patch.ErrConflict}

// inputs lists the required parts of a case for each work.
var inputs = [works][]string{
	JSONPatch: {"object", "patch"}, MergePatch: {"object", "patch"}, StrategicPatch: {"object", "patch"},
	Create: {"from", "to"}, ThreeWay: {"modified", "original", "current"},
}

// question is an operation that both patch engines perform on an input.
type question struct {
	what string
	work Work
	// ask performs the operation with an engine, nil for ours, on an object of type t.
	ask func(e patch.Engine, t *schema.Type, in document.Value) (document.Value, error)
	// refuses is set if conflicts are refused.
	refuses bool
}

func (r *referee) patches(c *Case) outcome {
	out := outcome{done: map[string]int{}}
	in := c.read()
	for _, q := range questions(c) {
		d, known, err := r.ask(c, &q, in)
		if d == nil {
			if text, ok := q.fromText(c); ok {
				var knownOfText string
				if d, knownOfText, _ = r.ask(c, &text, c.Input); known == "" {
					known = knownOfText
				}
			}
		}
		if known != "" {
			out.known = known
		}
		if d != nil {
			out.Difference = d
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

// questions returns the operations of a case.
func questions(c *Case) []question {
	o := patch.Options{ListTypes: !c.Kinds[0].Builtin}
	with := func(e patch.Engine) patch.Options {
		o := o
		o.Engine = e
		return o
	}
	switch c.Work {
	case JSONPatch:
		return []question{{"the JSON patch", c.Work, func(e patch.Engine, _ *schema.Type, in document.Value) (document.Value, error) {
			return patch.JSON(in.Get("object"), in.Get("patch"), with(e))
		}, false}}
	case MergePatch:
		return []question{{"the merge patch", c.Work, func(e patch.Engine, _ *schema.Type, in document.Value) (document.Value, error) {
			return patch.Merge(in.Get("object"), in.Get("patch"), with(e))
		}, false}}
	case StrategicPatch:
		return []question{{"the strategic merge patch", c.Work, func(e patch.Engine, t *schema.Type, in document.Value) (document.Value, error) {
			return patch.Strategic(in.Get("object"), in.Get("patch"), t, with(e))
		}, false}}
	case Create:
		return []question{
			{"the merge patch made of two", MergePatch, func(e patch.Engine, _ *schema.Type, in document.Value) (document.Value, error) {
				return patch.CreateMerge(in.Get("from"), in.Get("to"), with(e))
			}, false},
			{"the strategic merge patch made of two", StrategicPatch, func(e patch.Engine, t *schema.Type, in document.Value) (document.Value, error) {
				return patch.CreateStrategic(in.Get("from"), in.Get("to"), t, with(e))
			}, false},
		}
	}
	return []question{
		{"the strategic merge patch made of three", StrategicPatch, threeWay(with, false), false},
		{"the strategic merge patch made of three, conflicts refused", StrategicPatch, threeWay(with, true), true},
		{"the merge patch made of three", MergePatch, func(e patch.Engine, _ *schema.Type, in document.Value) (document.Value, error) {
			return patch.ThreeWayMerge(in.Get("original"), in.Get("modified"), in.Get("current"), patch.ThreeWayOptions{Options: with(e)})
		}, false},
	}
}

// threeWay computes a three-way strategic merge patch. While the library detects conflicts,
// it sorts lists of the patch that it returns, unlike our engine; so with refuse only the
// error of the library is used, and the patch is computed again.
func threeWay(with func(patch.Engine) patch.Options, refuse bool) func(patch.Engine, *schema.Type, document.Value) (document.Value, error) {
	return func(e patch.Engine, t *schema.Type, in document.Value) (document.Value, error) {
		o := patch.ThreeWayOptions{Options: with(e), RefuseConflicts: refuse}
		made, err := patch.ThreeWayStrategic(in.Get("original"), in.Get("modified"), in.Get("current"), t, o)
		if err == nil && refuse && e != nil {
			o.RefuseConflicts = false
			return patch.ThreeWayStrategic(in.Get("original"), in.Get("modified"), in.Get("current"), t, o)
		}
		return made, err
	}
}

// ask compares the results of one operation; in is the input for our engine. It returns our
// error.
func (r *referee) ask(c *Case, q *question, in document.Value) (d *Difference, known string, err error) {
	t := c.Kinds[0].Type()
	ours, err := q.ask(nil, t, in)
	var theirs document.Value
	var theirErr error
	for range r.tries {
		theirs, theirErr = q.ask(r.Patch, t, c.Input)
		if c.same(ours, theirs, err, theirErr) {
			return nil, "", err
		}
		if known = (&judgement{r.Patch, c, q, ours, theirs, err, theirErr}).known(); known != "" {
			return nil, known, err
		}
	}
	return &Difference{"another answer to " + q.what, answer(ours, err), answer(theirs, theirErr)}, "", err
}

// same reports whether two results are patches or objects with the same text, or errors of
// the same class. For lists with several faults, a computed patch may fail with any of
// them: no server reports its class.
func (c *Case) same(a, b document.Value, errA, errB error) bool {
	x, y := classOf(errA, patchErrors), classOf(errB, patchErrors)
	if c.Work == Create || c.Work == ThreeWay {
		x, y = faultClass(x), faultClass(y)
	}
	return x == y && (errA != nil || sameText(a, b))
}

// faultClass maps the two possible classes of a fault in a list to one.
func faultClass(class string) string {
	if class == patch.ErrCannotApply.Error() {
		return patch.ErrInternal.Error()
	}
	return class
}

// fromText returns the operation on texts for our engine, which has separate code for them,
// if the case's work has such a function. The reference uses values.
func (q *question) fromText(c *Case) (question, bool) {
	types := map[Work]patch.Type{JSONPatch: patch.TypeJSON, MergePatch: patch.TypeMerge, StrategicPatch: patch.TypeStrategic}
	threeWay := c.Work == ThreeWay && q.work == StrategicPatch && c.Seed%3 == 0
	if !threeWay && types[c.Work] == patch.TypeAuto {
		return question{}, false
	}
	o := patch.Options{ListTypes: !c.Kinds[0].Builtin}
	ours := func(in document.Value) (document.Value, error) {
		text := func(name string) []byte { return generate.Text(in.Get(name)) }
		if threeWay {
			got, _, err := patch.ThreeWayText(text("original"), text("modified"), text("current"), c.Kinds[0], patch.ThreeWayOptions{Options: o, RefuseConflicts: q.refuses})
			return printed(got, err)
		}
		object := text("object")
		if c.Seed%3 == 0 { // otherwise the object is printed as a server stores it
			object = generate.New(c.Seed, generate.Options{}).Spell(in.Get("object"))
		}
		got, _, err := patch.Apply(object, text("patch"), patch.Request{Type: types[c.Work], Kind: c.Kinds[0], Options: o, MaxBytes: -1})
		return printed(got, err)
	}
	return question{q.what + " from text", q.work, func(e patch.Engine, t *schema.Type, in document.Value) (document.Value, error) {
		if e == nil {
			return ours(in)
		}
		return q.ask(e, t, in)
	}, q.refuses}, true
}

// errSpelling is the class of a result that is not in printed form.
var errSpelling = errors.New("the answer is not printed as values are")

// printed parses an engine's output, which must be in printed form.
func printed(text []byte, err error) (document.Value, error) {
	if err != nil {
		return document.Value{}, err
	}
	d, err := document.Parse(text, document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast})
	if err == nil && d.Root.String() != string(text) {
		err = errSpelling
	}
	if err != nil {
		return document.Value{}, fmt.Errorf("%w: %s", err, text)
	}
	return d.Root, nil
}

// sameText reports whether two values have the same printed form.
func sameText(a, b document.Value) bool {
	return document.Identical(a, b) || a.String() == b.String()
}

func answer(v document.Value, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return v.String()
}

// madeJSON applies our JSON patch with the reference, which must yield the wanted object.
func (r *referee) madeJSON(c *Case) *Difference {
	from, to := c.Input.Get("from"), c.Input.Get("to")
	made := patch.CreateJSON(from, to)
	got, err := patch.JSON(from, made, patch.Options{Engine: r.Patch, MaxOperations: -1})
	if err != nil || !document.Equal(got, to) {
		return &Difference{"the computed JSON patch does not yield the wanted object when the reference applies it", made.String(), answer(got, err)}
	}
	return nil
}
