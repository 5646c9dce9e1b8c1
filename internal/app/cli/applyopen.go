package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/scenarios"
	"github.com/patchlab-dev/patchlab/scenario"
)

// openedCase is the scenario of an apply: it starts with the live objects, and each change is
// a step.
type openedCase struct {
	options *applyOptions
	steps   []scenario.Step
}

// add adds the step of a change that was carried out or refused. A change whose object was not
// found has no step.
func (c *openedCase) add(result *patchlab.Result, err error, body string) {
	var target patchlab.Target
	var action patchlab.Action
	var manager string
	var failed *patchlab.Error
	switch {
	case err == nil:
		target, action, manager = result.Target, result.Action, result.FieldManager
	case errors.As(err, &failed):
		target, action, manager = failed.Target, failed.Action, failed.FieldManager
	}
	if target.Name == "" || action == "" {
		return
	}
	step := scenario.Step{Actor: manager, Do: scenario.Action(action), Subresource: c.options.change.Subresource, Target: scenario.Target(target), Body: body}
	if action == patchlab.ActionApply && c.options.change.Force {
		step.Do = scenario.ForceApply
	}
	c.steps = append(c.steps, step)
}

// scenario returns the scenario of the changes that were added.
func (c *openedCase) scenario(a *program.App, live inputs.Documents) (*scenario.Scenario, error) {
	s := &scenario.Scenario{Title: "patchlab " + strings.Join(a.Args, " "), Kubernetes: inputs.MinorVersion(c.options.schemas.KubeVersion), Steps: c.steps}
	crds, err := inputs.Source(a).Read(c.options.schemas.CRDs...)
	if err != nil {
		return nil, err
	}
	for _, o := range inputs.Documents(crds).Objects() {
		if o.IsCRD() {
			s.Definitions = append(s.Definitions, string(o.Value.YAML()))
		}
	}
	for _, o := range c.options.policies.Found.Objects() {
		s.Definitions = append(s.Definitions, string(o.Value.YAML()))
	}
	for _, o := range live.Objects() {
		s.Objects = append(s.Objects, string(o.Value.YAML()))
	}
	for i := range s.Steps {
		actor := scenario.Actor{Name: s.Steps[i].Actor}
		if !slices.Contains(s.Actors, actor) {
			s.Actors = append(s.Actors, actor)
		}
	}
	return s, nil
}

// bodies returns the text of each change: that of the file, with its comments, if it contains
// a single change.
func (o *applyOptions) bodies(a *program.App, changes inputs.Documents) []string {
	objects := changes.Objects()
	if len(objects) == 1 && len(o.inputs.Files) == 1 {
		if text, err := a.Read(o.inputs.Files[0]); err == nil {
			return []string{string(text)}
		}
	}
	texts := make([]string, len(objects))
	for i, change := range objects {
		texts[i] = string(change.Value.YAML())
	}
	return texts
}

// openCase opens an apply in the playground, after its result has been printed.
func openCase(ctx context.Context, a *program.App, c *openedCase, live inputs.Documents) error {
	s, err := c.scenario(a, live)
	if err != nil {
		return err
	}
	return scenarios.Playground(ctx, a, "127.0.0.1:0", true, s)
}
