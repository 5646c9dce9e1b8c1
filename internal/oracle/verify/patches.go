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

// inputs are what a case of each work must have.
var inputs = [works][]string{
	JSONPatch: {"object", "patch"}, MergePatch: {"object", "patch"}, StrategicPatch: {"object", "patch"},
	Create: {"from", "to"}, ThreeWay: {"modified", "original", "current"},
}

// question is something that both engines of patches are asked about an input.
type question struct {
	what string
	work Work
	// ask asks an engine, nil for ours, about an object of type t.
	ask func(e patch.Engine, t *schema.Type, in document.Value) (document.Value, error)
	// refuses says that conflicts are to be refused.
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

// questions are what a case asks.
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

// threeWay asks for a strategic patch of three. While it looks for conflicts, the
// library sorts lists of the patch that it then returns, and ours does not: so of
// the library only whether it refuses is asked then, and the patch once more.
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

// ask compares the answers to one question; in is the input as ours is given it. It
// returns our error.
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

// same reports whether two answers are patches or objects that print alike, or
// refusals of one class. Who makes a patch of lists with several faults may name any
// of them: no server answers with its class.
func (c *Case) same(a, b document.Value, errA, errB error) bool {
	x, y := classOf(errA, patchErrors), classOf(errB, patchErrors)
	if c.Work == Create || c.Work == ThreeWay {
		x, y = faultClass(x), faultClass(y)
	}
	return x == y && (errA != nil || sameText(a, b))
}

// faultClass returns one class for both that a fault in a list may be of.
func faultClass(class string) string {
	if class == patch.ErrCannotApply.Error() {
		return patch.ErrInternal.Error()
	}
	return class
}

// fromText returns the question with texts given to our engine, which has code of its
// own for them, if there is such a function for the work of the case. The reference is
// asked about the values.
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

// errSpelling is the class of an answer in another spelling than the one in which
// values are printed.
var errSpelling = errors.New("the answer is not printed as values are")

// printed reads what an engine wrote, which must be in the one spelling of values.
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
