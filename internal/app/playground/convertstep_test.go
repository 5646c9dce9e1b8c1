package playground

import (
	"strings"
	"testing"
)

// colours returns a step whose body is a ConfigMap manifest with the given data.
func colours(actor, do, data string) Step {
	return Step{Actor: actor, Do: do, Body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n" + data}
}

func TestConvertAStep(t *testing.T) {
	image := Step{Actor: "alice", Do: "merge-patch", Body: "spec:\n  replicas: 5\n"}
	first := Step{Actor: "alice", Do: "apply", Body: deployment}
	blue := colours("alice", "apply", "  colour: blue\n")
	for _, c := range []struct {
		why      string
		steps    []Step
		do       string
		kept, ok bool
		want     string // substring of the body
		fails    string // substring of the error or of the message
	}{
		{why: "a manifest keeps its comments", steps: []Step{colours("alice", "apply", "  # why\n  a: b\n")}, do: "client-side-apply", kept: true, ok: true, want: "# why"},
		{why: "a patch becomes a patch of another type", steps: []Step{first, image}, do: "json-patch", ok: true, want: "/spec/replicas"},
		{why: "a patch becomes an apply configuration", steps: []Step{first, image}, do: "apply", ok: true, want: "image: example.com/web:1"},
		{why: "a patch becomes an update", steps: []Step{first, image}, do: "update", ok: true, want: "terminationMessagePath"},
		{why: "an apply becomes a patch", steps: []Step{first, {Actor: "alice", Do: "apply", Body: strings.Replace(deployment, "web:1", "web:2", 1)}},
			do: "strategic-patch", ok: true, want: "image: example.com/web:2"},
		{why: "a conflicting apply becomes a patch", steps: []Step{blue, colours("bob", "apply", "  colour: red\n")}, do: "merge-patch", ok: true, want: "colour: red"},
		{why: "the last-applied annotation is not part of the change", steps: []Step{colours("alice", "client-side-apply", "  a: b\n"), colours("alice", "client-side-apply", "  a: c\n")},
			do: "merge-patch", ok: true, want: "data:\n  a: c\n"},
		{why: "a create cannot become a patch", steps: []Step{first}, do: "merge-patch", fails: "no object before the step"},
		{why: "a refused step cannot be converted", steps: []Step{first, {Actor: "alice", Do: "merge-patch", Body: "spec: 1"}}, do: "json-patch", fails: "refused"},
		{why: "a deletion cannot be converted", steps: []Step{first, {Actor: "alice", Do: "delete"}}, do: "apply", fails: "deletion"},
		{why: "a step for a subresource cannot be converted", steps: []Step{first, {Actor: "hpa", Do: "merge-patch", Subresource: "scale", Body: "spec: {replicas: 3}"}}, do: "apply", fails: "scale"},
	} {
		var out ConvertOutput
		f := ask(t, New(), "convert", ConvertInput{Scenario: Scenario{Steps: c.steps}, At: len(c.steps), Do: c.do}, &out)
		if c.fails != "" {
			if f == nil || !strings.Contains(f.Message, c.fails) {
				t.Errorf("%s: %+v, want a failure with %q", c.why, f, c.fails)
			}
			continue
		}
		if f != nil {
			t.Errorf("%s: %+v", c.why, f)
			continue
		}
		if out.Step.Do != c.do || out.Kept != c.kept || out.Patch.OK != c.ok || !strings.Contains(out.Step.Body, c.want) {
			t.Errorf("%s: kept %v ok %v (%s), %s with\n%s", c.why, out.Kept, out.Patch.OK, out.Patch.Message, out.Step.Do, out.Step.Body)
		}
	}
}

// TestConvertedStepHasSameResult checks that a converted step, run in place of the
// original, has the same result.
func TestConvertedStepHasSameResult(t *testing.T) {
	steps := []Step{{Actor: "alice", Do: "apply", Body: deployment}, {Actor: "alice", Do: "apply", Body: strings.Replace(deployment, "replicas: 2", "replicas: 4", 1)}}
	for _, do := range []string{"json-patch", "merge-patch", "strategic-patch", "update", "client-side-apply", "force-apply"} {
		e := New()
		var out ConvertOutput
		must(t, e, "convert", ConvertInput{Scenario: Scenario{Steps: steps}, At: 2, Do: do}, &out)
		var ran RunOutput
		must(t, e, "run", RunInput{Scenario: Scenario{Steps: []Step{steps[0], out.Step}}, At: 2}, &ran)
		found := false
		for _, r := range ran.Rows {
			found = found || r.Text == "  replicas: 4"
		}
		if !ran.Steps[1].OK || !found {
			t.Errorf("%s: %+v", do, ran.Steps[1])
		}
	}
}

func TestPatchConsequences(t *testing.T) {
	two := strings.Replace(deployment, "        image: example.com/web:1\n", "        image: example.com/web:1\n      - name: proxy\n        image: example.com/proxy:1\n", 1)
	s := Scenario{Actors: []Actor{{Name: "alice"}, {Name: "bob"}}, Steps: []Step{{Actor: "alice", Do: "apply", Body: two}}}
	e := New()
	var out PatchesOutput
	must(t, e, "patches", PatchesInput{Scenario: s, At: 1, Actor: "bob", Edited: edited(t, e, s, "proxy:1", "proxy:2")}, &out)
	for do, want := range map[string]string{
		"json-patch":      `/spec/template/spec/containers/1 is a position: item 1 is now name="proxy"`,
		"merge-patch":     "replaces the whole list .spec.template.spec.containers, including fields of alice",
		"strategic-patch": "merges .spec.template.spec.containers by name",
	} {
		p := patchOf(t, out, do)
		if !strings.Contains(strings.Join(p.Follows, "\n"), want) {
			t.Errorf("%s: %q has no %q", do, p.Follows, want)
		}
		if !strings.Contains(strings.Join(p.Follows, "\n"), "alice no longer owns .spec.template.spec.containers[name=\"proxy\"].image") {
			t.Errorf("%s: the previous owner of the field is not named: %q", do, p.Follows)
		}
		if len(p.Changes) == 0 {
			t.Errorf("%s: no owners after it", do)
		}
	}
	follows := strings.Join(patchOf(t, out, "json-patch").Follows, "\n")
	if n := strings.Count(follows, " is a position"); n != 1 { // the other parts of the path are names
		t.Errorf("%d parts of the path are positions: %s", n, follows)
	}
	if p := patchOf(t, out, "apply"); p.OK || len(p.Follows) != 0 {
		t.Errorf("an apply that conflicts: %+v", p)
	}
}

// TestPatchConsequencesOfEscapedKeys checks that a list below a key with a slash is found.
func TestPatchConsequencesOfEscapedKeys(t *testing.T) {
	const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: routes.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: routes, kind: Route}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          paths: {type: object, additionalProperties: {type: array, items: {type: string}}}
`
	route := "apiVersion: example.com/v1\nkind: Route\nmetadata: {name: web, namespace: shop}\npaths:\n  /admin: [a, b]\n"
	s := Scenario{Definitions: []string{definition}, Actors: []Actor{{Name: "alice"}, {Name: "bob"}}, Steps: []Step{{Actor: "alice", Do: "apply", Body: route}}}
	e := New()
	var out PatchesOutput
	must(t, e, "patches", PatchesInput{Scenario: s, At: 1, Actor: "bob", Edited: edited(t, e, s, "- b", "- c")}, &out)
	const want = `/paths/~1admin/1 is a position: item 1 is now "b"`
	if p := patchOf(t, out, "json-patch"); !strings.Contains(strings.Join(p.Follows, "\n"), want) {
		t.Errorf("%q has no %q", p.Follows, want)
	}
}

func patchOf(t *testing.T, out PatchesOutput, do string) Patch {
	t.Helper()
	for _, p := range out.Patches {
		if p.Do == do {
			return p
		}
	}
	t.Fatalf("no %s", do)
	return Patch{}
}
