package scenario

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Explain returns the reasons for the fields of an object after a step is applied to live,
// which may be absent, or the reasons why the step is refused. Like Try it stores nothing.
// It supports any step but a deletion. A step that cannot be sent has no reasons.
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

// refusals returns the fields in a refusal other than a conflict.
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
