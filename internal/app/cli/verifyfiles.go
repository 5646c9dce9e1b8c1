package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// engines are two Labs that differ only in their engine.
type engines struct {
	app          *program.App
	ours, theirs *patchlab.Lab
	change       patchlab.Change
	live         []manifest.Object
}

// verifyFiles compares the results of both engines for the inputs of apply.
func verifyFiles(ctx context.Context, a *program.App, args []string, o *verifyOptions) error {
	for _, err := range [...]error{o.apply.change.complete(), o.apply.inputs.Complete(args)} {
		if err != nil {
			return err
		}
	}
	live, changes, err := o.apply.inputs.Read(ctx, a, cmp.Or(o.apply.change.Namespace, o.apply.change.DefaultNamespace))
	if err != nil {
		return err
	}
	registry, err := o.apply.schemas.Registry(ctx, a, live, changes)
	if err != nil {
		return err
	}
	at := a.Now()
	options := patchlab.Options{Kinds: registry, NoDefaults: !o.apply.defaults, Strict: o.apply.schemas.Strict,
		Now: func() time.Time { return at }, UID: func() string { return "00000000-0000-4000-8000-000000000000" }} // the same for both
	e := engines{app: a, change: o.apply.change.Change}
	if e.ours, err = patchlab.New(options); err != nil {
		return err
	}
	options.MergeEngine, options.PatchEngine = a.Reference.Merge(), a.Reference.Patch
	if e.theirs, err = patchlab.New(options); err != nil {
		return err
	}
	e.live = live.Objects()
	for _, p := range changes.Objects() {
		if err := inputs.NotAnObject(p); err != nil {
			return err
		}
		if err := e.verify(p); err != nil {
			return err
		}
	}
	return nil
}

// verify compares the engines on one document.
func (e *engines) verify(p manifest.Object) error {
	var failed *patchlab.Error
	result, err := one(e.ours, objectsOf(e.live), p.Value, e.change)
	if err != nil && (!errors.As(err, &failed) || failed.Code == 0) {
		return err // it is not a request
	}
	var (
		action patchlab.Action
		target patchlab.Target
		live   document.Value
	)
	if failed != nil {
		action, target = failed.Action, failed.Target
		live = e.liveOf(target)
	} else {
		action, target = result.Action, result.Target
		if !result.Created() {
			live = e.liveOf(target)
		}
	}
	change := e.change
	change.Action = action
	both := func(in document.Value) (ours, theirs string, after document.Value) {
		after, ours = answer(e.ours, in, change)
		_, theirs = answer(e.theirs, in, change)
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
		return &program.Exit{Code: program.ExitRefused, Err: fmt.Errorf("the engines differ in this %s of %s; in %d attempts the inputs were reduced to\n\n%s\nours:\n  %s\nreference:\n  %s",
			action.Title(), target.Kind, tries, least.YAML(), ours, theirs)}
	}
	if failed == nil {
		if err := e.verifyMaking(result.After.Kind, live, after, p.Value); err != nil {
			return err
		}
	}
	what := fmt.Sprintf("this %s of %s", action.Title(), target)
	if refusal, refused := strings.CutPrefix(ours, "refused: "); refused {
		e.app.Show(fmt.Sprintf("%s: both engines refuse %s: %s\n", p.Position(), what, refusal))
	} else {
		e.app.Show(fmt.Sprintf("%s: both engines agree on %s\n", p.Position(), what))
	}
	return nil
}

// liveOf returns the live object of a target, absent if there is none.
func (e *engines) liveOf(t patchlab.Target) document.Value {
	for _, o := range e.live {
		metadata := o.Value.Get("metadata")
		namespace := metadata.Get("namespace").StringOr("")
		group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
		if o.Kind() == t.Kind && group == t.Group() && metadata.Get("name").StringOr("") == t.Name && (namespace == "" || namespace == t.Namespace) {
			return o.Value
		}
	}
	return document.Value{}
}

func objectsOf(objects []manifest.Object) inputs.Documents {
	var docs inputs.Documents
	for _, o := range objects {
		docs = append(docs, &document.Document{Root: o.Value})
	}
	return docs
}

// one makes the change of one document.
func one(lab *patchlab.Lab, live patchlab.Input, change document.Value, c patchlab.Change) (*patchlab.Result, error) {
	for result, err := range lab.Run(live, change, c) {
		return result, err
	}
	return nil, errors.New("the patch is an empty list of objects")
}

// answer returns the object after a change, and the object or the refusal as text for
// comparison.
func answer(lab *patchlab.Lab, in document.Value, c patchlab.Change) (document.Value, string) {
	result, err := one(lab, in.Get("live"), in.Get("patch"), c)
	var failed *patchlab.Error
	switch {
	case err == nil:
		return result.Object(), result.Object().String()
	case errors.As(err, &failed) && failed.Code == 409:
		return document.Value{}, "refused: 409 " + failed.Err.Error()
	case errors.As(err, &failed): // other messages differ between the engines
		return document.Value{}, fmt.Sprintf("refused: %d %s", failed.Code, failed.Reason)
	}
	return document.Value{}, "refused: " + err.Error()
}

// verifyMaking compares the patches that the engines create between the available objects.
func (e *engines) verifyMaking(kind *schema.Kind, live, after, config document.Value) error {
	var cases []*verify.Case
	if live.Exists() && after.Exists() { // the object existed and the change was not refused
		cases = append(cases, &verify.Case{Work: verify.Create, Input: document.NewObject().With("from", live).With("to", after)})
	}
	if live.Exists() && config.Kind() == document.Object && config.Get("kind").Exists() {
		original, _ := patch.ReadLastApplied(live) // an invalid annotation cannot be compared
		cases = append(cases, &verify.Case{Work: verify.ThreeWay, Input: document.NewObject().
			With("original", original).With("modified", config).With("current", live)})
	}
	for _, c := range cases {
		c.Kinds = []*schema.Kind{kind}
		if f := verify.Examine(*e.app.Reference, c, verify.Options{ShrinkTries: 2000}); f != nil {
			return &program.Exit{Code: program.ExitRefused, Err: errors.New("the engines differ\n" + f.Text())}
		}
	}
	return nil
}
