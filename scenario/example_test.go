package scenario_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

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
