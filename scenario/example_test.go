package scenario_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/patchlab-dev/patchlab/scenario"
)

const twoManagers = `
scenario: patchlab.dev/v1
title: Two managers want the same field
actors:
- name: alice
- name: bob
steps:
- actor: alice
  do: apply
  body: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings}
    data: {mode: fast}
- actor: bob
  do: apply
  body: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings}
    data: {mode: safe}
  expect: ok
race:
- actor: alice
  add: {.data.hits: 1}
- actor: bob
  add: {.data.hits: 1}
`

// The second step does not have the expected result.
func ExampleRun() {
	s, err := scenario.Parse([]byte(twoManagers), "managers.yaml")
	if err != nil {
		log.Fatal(err)
	}
	results, err := scenario.Run(context.Background(), s)
	if err != nil {
		log.Fatal(err)
	}
	for i, r := range results {
		fmt.Printf("%s: %d %s\n", s.Steps[i].Actor, r.Code, http.StatusText(r.Code))
		if expect := s.Steps[i].Expect; expect != nil {
			for _, mismatch := range expect.Check(&r) {
				fmt.Println("  ", mismatch)
			}
		}
	}
	// Output:
	// alice: 201 Created
	// bob: 409 Conflict
	//    result: expected ok, got 409 Conflict: Apply failed with 1 conflict: conflict with "alice": .data.mode
}

// Without a resourceVersion, some orders of the reads and writes lose an update. With a
// resourceVersion and a retry after a conflict, none does.
func ExampleRace_Explore() {
	ctx := context.Background()
	s, err := scenario.Parse([]byte(twoManagers), "managers.yaml")
	if err != nil {
		log.Fatal(err)
	}
	race, err := scenario.NewRace(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	for _, strategy := range []scenario.Strategy{scenario.BlindUpdate, scenario.Retry} {
		report, err := race.Explore(ctx, strategy, scenario.RaceOptions{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d of %d interleavings lose an update\n", strategy, report.Losing, report.Interleavings)
	}
	// Output:
	// update: 4 of 6 interleavings lose an update
	// retry: 0 of 6 interleavings lose an update
}

// Each expectation is replaced by the result; comments and the rest of the file are kept.
func ExampleRewrite() {
	text := []byte(`scenario: patchlab.dev/v1
actors: [{name: alice}]
steps:
- actor: alice
  do: create
  body: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"
  expect: conflict # the first guess
`)
	s, err := scenario.Parse(text, "create.yaml")
	if err != nil {
		log.Fatal(err)
	}
	results, err := scenario.Run(context.Background(), s)
	if err != nil {
		log.Fatal(err)
	}
	expect := make([]*scenario.Expectation, len(results))
	for i, step := range s.Steps {
		expect[i] = step.Expect.Observed(&results[i])
	}
	if text, err = scenario.Rewrite(text, "create.yaml", expect); err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// scenario: patchlab.dev/v1
	// actors: [{name: alice}]
	// steps:
	// - actor: alice
	//   do: create
	//   body: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"
	//   expect: ok # the first guess
}

func ExampleScript() {
	s, err := scenario.Parse([]byte(twoManagers), "managers.yaml")
	if err != nil {
		log.Fatal(err)
	}
	results, err := scenario.Run(context.Background(), s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(scenario.Script(s, results)))
	// Output:
	// #!/bin/sh
	// # Two managers want the same field
	// # A command that the API server refuses does not end the script: some steps are meant to fail.
	//
	// # Step 1: alice, apply
	// kubectl apply --server-side --field-manager=alice --namespace=default -f - <<'EOF'
	// apiVersion: v1
	// kind: ConfigMap
	// metadata: {name: settings}
	// data: {mode: fast}
	// EOF
	//
	// # Step 2: bob, apply
	// kubectl apply --server-side --field-manager=bob --namespace=default -f - <<'EOF'
	// apiVersion: v1
	// kind: ConfigMap
	// metadata: {name: settings}
	// data: {mode: safe}
	// EOF
}

func ExampleGoTest() {
	s, err := scenario.Parse([]byte(twoManagers), "managers.yaml")
	if err != nil {
		log.Fatal(err)
	}
	results, err := scenario.Run(context.Background(), s)
	if err != nil {
		log.Fatal(err)
	}
	text, err := scenario.GoTest(s, results, "managers_test")
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "package ") || strings.HasPrefix(line, "func ") || strings.Contains(line, "Patch(") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// package managers_test
	// func TestTwoManagersWantTheSameField(t *testing.T) {
	// _, err = objects1.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
	// _, err = objects2.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
}

// The steps of a fork do not change the runner from which it was forked.
func ExampleRunner_Fork() {
	ctx := context.Background()
	r, err := scenario.NewRunner(ctx, "", nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	settings := func(actor, mode string) *scenario.Step {
		return &scenario.Step{Actor: actor, Do: scenario.Apply, Body: `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: ` + mode + `}`}
	}
	r.Step(ctx, settings("alice", "fast"))
	fork, err := r.Fork()
	if err != nil {
		log.Fatal(err)
	}
	forked := fork.Step(ctx, settings("alice", "safe"))
	next := r.Step(ctx, settings("bob", "slow"))
	fmt.Println(forked.After.Value.Get("data"))
	fmt.Println(next.Before.Value.Get("data"), next.Err)
	// Output:
	// {"mode":"safe"}
	// {"mode":"fast"} Apply failed with 1 conflict: conflict with "alice": .data.mode
}
