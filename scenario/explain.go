package scenario

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Explain lists why the fields of an object are as they are after a step that meets
// the object given, absent for none, or why the step is refused. Like Try it stores
// nothing, and it takes any step but a deletion. There are no reasons for a step that
// cannot be sent.
func (r *Runner) Explain(ctx context.Context, s *Step, live fieldmanager.Object) []explain.Reason {
	other := *r
	other.trial, other.notes, other.seen = &live, &explain.Notes{}, nil
	res := other.Step(ctx, s)
	if res.Kind == nil {
		return nil
	}
	w := explain.Write{Type: res.Kind.Type(), Before: res.Before, After: res.After, Manager: s.Actor, Notes: other.notes}
	var status *cluster.Status
	if errors.As(res.Err, &status) {
		w.Conflicts = res.Conflicts()
		w.Refused = refusals(status)
	} else if res.Err != nil {
		return nil
	}
	return explain.Reasons(w)
}

// refusals lists what a refusal other than a conflict says about fields.
func refusals(st *cluster.Status) []explain.Refusal {
	if errors.Is(st, fieldmanager.ErrConflict) {
		return nil
	}
	var list []explain.Refusal
	for _, f := range st.Fields() {
		list = append(list, explain.Refusal{Path: f.Path, Rule: explain.Rule(f.Rule), Value: f.Value, Message: f.Message, Hint: f.Hint})
	}
	if list == nil {
		list = []explain.Refusal{{Message: st.Message}}
	}
	return list
}
