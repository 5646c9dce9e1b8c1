package scenario

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// send sends the step's request.
func (r *Runner) send(ctx context.Context, s *Step, res *Result) error {
	if s.Do == ClientApply {
		return r.clientApply(ctx, s, res)
	}
	q := r.request(cluster.Patch, res)
	q.Subresource = s.Subresource
	q.FieldManager = s.Actor
	q.FieldValidation = s.Do.fieldValidation()
	if s.Do != Delete {
		q.Document = res.Body
	}
	switch s.Do {
	case Apply, ForceApply:
		q.Format = cluster.ApplyPatch
		force := s.Do == ForceApply
		q.Force = &force
	case Create:
		q.Verb, q.Name = cluster.Create, ""
	case Update:
		q.Verb = cluster.Update
	case JSONPatch:
		q.Format = cluster.JSONPatch
	case MergePatch:
		q.Format = cluster.MergePatch
	case Strategic:
		q.Format = cluster.StrategicPatch
	case Delete:
		q.Verb = cluster.Delete
	default:
		return &Error{Reason: unknownAction(s.Do)}
	}
	return r.do(ctx, q, res)
}

// fieldValidation returns the field validation with which kubectl sends a step. It leaves that of a
// patch to the API server, which warns.
func (a Action) fieldValidation() string {
	switch a {
	case JSONPatch, MergePatch, Strategic:
		return "Warn"
	}
	return "Strict"
}

func (r *Runner) do(ctx context.Context, q *cluster.Request, res *Result) error {
	res.sent = q
	resp, err := r.answer(ctx, q)
	if err != nil {
		return err
	}
	res.Code, res.Warnings = resp.Code, resp.Warnings
	if q.Verb == cluster.Create {
		res.Target.Name = resp.Object.Lookup("metadata", "name").StringOr(res.Target.Name)
	}
	return nil
}

// answer sends a request to the cluster, or applies it to the object of a trial.
func (r *Runner) answer(ctx context.Context, q *cluster.Request) (*cluster.Response, error) {
	if r.notes != nil {
		q.Notes = r.notes
	}
	if r.trial == nil {
		return r.cluster.Do(ctx, q)
	}
	config, err := r.config()
	if err != nil {
		return nil, err
	}
	config.Kinds = r.cluster.Kinds()
	resp, err := cluster.Step(config, r.trial.Join(), q)
	if err != nil {
		return nil, err
	}
	r.trial = &resp.After
	return resp, nil
}

// clientApply does what 'kubectl apply' does without --server-side.
func (r *Runner) clientApply(ctx context.Context, s *Step, res *Result) error {
	if res.Config.Kind() != document.Object {
		return &Error{Reason: "client-side apply requires an object as its body"}
	}
	sent, err := cluster.ClientApply(res.Kind, res.Before.Join(), manifest.WithNamespace(res.Config, res.Target.Namespace), nil)
	if err != nil {
		return err
	}
	if sent == nil {
		res.Code = 200
		return nil
	}
	q := r.request(sent.Verb, res)
	q.Format, q.Document = sent.Format, sent.Document
	q.FieldManager, q.FieldValidation = s.Actor, "Strict"
	if q.Verb == cluster.Create {
		q.Name = ""
	}
	return r.do(ctx, q, res)
}
