package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/schema"
)

// verifyFiles compares what both engines make of the inputs of apply.
func (a *App) verifyFiles(liveName, patchName string, o *verifyOptions) error {
	if err := o.apply.check(liveName, patchName); err != nil {
		return err
	}
	r, patches, err := a.readApply(liveName, patchName, &o.apply)
	if err != nil {
		return err
	}
	for _, p := range patches {
		if err := r.verifyOne(p); err != nil {
			return err
		}
	}
	return nil
}

// verifyOne compares the engines on one document of PATCH.
func (r *applyRun) verifyOne(p manifest.Object) error {
	live, kind, err := r.match(p)
	if err != nil {
		return err
	}
	request, patchType, err := r.request(p, live, kind)
	if err != nil {
		return err
	}
	at := r.app.Now()
	both := func(in document.Value) (ours, theirs string, after document.Value) {
		q := *request
		q.Document = &document.Document{Root: in.Get("patch")}
		after, ours = r.answer(in.Get("live"), q, at, false)
		_, theirs = r.answer(in.Get("live"), q, at, true)
		return ours, theirs, after
	}
	in := document.NewObject().With("live", live).With("patch", p.Value)
	ours, theirs, after := both(in)
	if ours != theirs {
		least, tries := verify.Shrink(in, 2000, func(in document.Value) bool {
			ours, theirs, _ := both(in)
			return ours != theirs
		})
		ours, theirs, _ = both(least)
		return &exit{exitRefused, fmt.Errorf("the engines differ in this %s of %s; in %d tries the inputs were shrunk to\n\n%s\nours:\n  %s\nreference:\n  %s",
			typeNames[patchType], kind.Kind, tries, least.YAML(), ours, theirs)}
	}
	if err := r.verifyMaking(kind, live, after, p.Value); err != nil {
		return err
	}
	r.app.print(fmt.Sprintf("%s: both engines agree on this %s of %s\n", p.Position(), typeNames[patchType], identity(kind, in.Get("live"))))
	return nil
}

// answer is what a request comes to with one of the engines: the object after it,
// and it, or the refusal, as text that can be compared.
func (r *applyRun) answer(live document.Value, q cluster.Request, at time.Time, reference bool) (document.Value, string) {
	config := r.config()
	config.Now = func() time.Time { return at }
	config.UID = func() string { return "00000000-0000-4000-8000-000000000000" } // the same for both
	if reference {
		config.Engine, config.PatchEngine = r.app.Reference.Merge(), r.app.Reference.Patch
	}
	response, err := cluster.Step(config, live, &q)
	var status *cluster.Status
	switch {
	case err == nil:
		return response.Object, response.Object.String()
	case errors.As(err, &status) && status.Code == 409:
		return document.Value{}, "refused: 409 " + status.Message
	case errors.As(err, &status): // the words of other refusals are each engine's own
		return document.Value{}, fmt.Sprintf("refused: %d %s", status.Code, status.Reason)
	}
	return document.Value{}, "refused"
}

// verifyMaking compares the engines on making patches between the objects that
// are at hand.
func (r *applyRun) verifyMaking(kind *schema.Kind, live, after, config document.Value) error {
	var cases []*verify.Case
	if live.Exists() && after.Exists() { // it was there, and was not refused
		cases = append(cases, &verify.Case{Work: verify.Create, Input: document.NewObject().With("from", live).With("to", after)})
	}
	if live.Exists() && config.Kind() == document.Object && config.Get("kind").Exists() {
		cases = append(cases, &verify.Case{Work: verify.ThreeWay, Input: document.NewObject().
			With("original", lastApplied(live)).With("modified", config).With("current", live)})
	}
	for _, c := range cases {
		c.Kinds = []*schema.Kind{kind}
		if f := verify.Examine(*r.app.Reference, c, verify.Options{ShrinkTries: 2000}); f != nil {
			return &exit{exitRefused, errors.New("the engines differ\n" + f.Text())}
		}
	}
	return nil
}

// lastApplied is the configuration that kubectl apply remembers in an object.
func lastApplied(live document.Value) document.Value {
	text := live.Lookup("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration").StringOr("")
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		return document.Value{}
	}
	return d.Root
}
