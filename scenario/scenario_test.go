package scenario

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

const firstConflict = `scenario: patchlab.dev/v1
title: Two managers want the same field
actors:
- name: alice
- name: bob
  colour: blue
steps:
- actor: alice
  do: apply
  body: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: cm}
    data: {a: "1", b: "1"}
- actor: bob
  do: apply
  body: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: cm}
    data: {a: "2"}
- actor: bob
  do: force-apply
  body: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: cm}
    data: {a: "2"}
`

func TestRunReturnsEveryResult(t *testing.T) {
	s, err := Parse([]byte(firstConflict), "first.yaml")
	if err != nil {
		t.Fatal(err)
	}
	results, err := Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	codes := []int{results[0].Code, results[1].Code, results[2].Code}
	if !reflect.DeepEqual(codes, []int{201, 409, 200}) {
		t.Fatalf("codes %v (%v)", codes, results[1].Err)
	}
	c := results[1].Conflicts()
	if len(c) != 1 || c[0].Manager != "alice" || c[0].Path.String() != ".data.a" {
		t.Errorf("conflicts %v, want alice's .data.a", c)
	}
	ways := explain.Ways(c[0])
	if len(ways) != 3 || ways[1].Config(results[1].Kind.Type(), results[1].Config).Get("data").Exists() || ways[2].Config(results[1].Kind.Type(), results[1].Config).Lookup("data", "a").StringOr("") != "1" {
		t.Errorf("resolutions %v", ways)
	}
	changes := explain.Changes(results[2].Kind.Type(), results[2].Before, results[2].After)
	if len(changes) != 1 || changes[0].Effect != explain.TakenOver || changes[0].OwnersAfter[0].Manager != "bob" {
		t.Errorf("changes of the forced apply: %+v", changes)
	}
}

func TestLinesAreTheObjectsYAMLWithOwners(t *testing.T) {
	s, err := Parse([]byte(firstConflict), "")
	if err != nil {
		t.Fatal(err)
	}
	results, err := Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	last := results[2]
	lines := explain.Lines(last.Kind.Type(), last.After)
	var text []string
	owners := map[string][]int{}
	for _, l := range lines {
		text = append(text, l.Text)
		owners[l.Text] = l.Owners
	}
	if got, want := strings.Join(text, "\n")+"\n", string(last.After.Value.YAML()); got != want {
		t.Errorf("lines are\n%s\nthe object prints as\n%s", got, want)
	}
	if !reflect.DeepEqual(owners[`  a: "2"`], []int{1}) || !reflect.DeepEqual(owners[`  b: "1"`], []int{0}) || owners["  name: cm"] != nil {
		t.Errorf("owners %v", owners)
	}
}

func TestScenariosRoundTrip(t *testing.T) {
	s, err := Parse([]byte(firstConflict), "")
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(s.YAML(), "")
	if err != nil || !reflect.DeepEqual(s, back) {
		t.Errorf("read back as %+v (%v)", back, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{"a: 1", `f:1:4: a scenario has no field "a"; it has about, kubernetes, scenario, title, definitions, objects, actors, steps`, "an unknown field"},
		{"scenario: v9", `f:1:11: the field scenario must be "patchlab.dev/v1", the version of the format; found "v9"`, "a later version"},
		{"scenario: patchlab.dev/v1\nsteps:\n- {actor: x, do: apply}", `f:3:11: unknown actor "x"`, "a step without an actor"},
		{"scenario: patchlab.dev/v1\nactors: [{name: x}]\nsteps:\n- {actor: x, do: swap}", "f:4:18: unknown action \"swap\"", "an unknown action"},
		{"- 1", "f:1:1: expected a scenario as an object, found a list", "no object"},
	} {
		_, err := Parse([]byte(c.in), "f")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
}

func TestExplainStep(t *testing.T) {
	ctx := context.Background()
	r, err := NewRunner(ctx, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := func(replicas string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: " + replicas +
			"\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: web}]}\n"
	}
	live := r.Step(ctx, &Step{Actor: "gitops", Do: Apply, Body: body("2")})
	if live.Err != nil {
		t.Fatal(live.Err)
	}
	scale := Step{Actor: "autoscaler", Do: MergePatch, Subresource: "scale", Body: "spec: {replicas: 5}"}
	scaled := r.Try(ctx, &scale, live.After)
	for _, c := range []struct {
		step Step
		live fieldmanager.Object
		want string
		why  string
	}{
		{scale, live.After, "[.spec.replicas taken over scale/replicas]", "the replicas of the Scale become the object's"},
		{Step{Actor: "gitops", Do: Apply, Body: body("2")}, scaled.After, "[.spec.replicas conflicting apply/conflict]", "the autoscaler owns the replicas"},
		{Step{Actor: "me", Do: MergePatch, Body: "spec: {selector: {matchLabels: {app: x}}}"}, live.After,
			"[.spec.template.metadata.labels refused refused/invalid .spec.selector refused refused/immutable]", "the server's own causes"},
	} {
		c.step.Target = live.Target
		var got []string
		for _, reason := range r.Explain(ctx, &c.step, c.live) {
			if reason.Rule != explain.RuleServerSet {
				got = append(got, fmt.Sprint(reason.Path, " ", reason.Effect, " ", reason.Rule))
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.why, got, c.want)
		}
	}
}
