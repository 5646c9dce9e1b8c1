// Package scenario runs files of steps: several actors change objects of a cluster, one
// request after the other. The result keeps the response to each step and the object after
// it.
//
// A scenario is YAML (see [Parse]):
//
//	scenario: patchlab.dev/v1
//	title: Two managers want the same field
//	about: What it shows, in a few sentences.
//	kubernetes: "1.36"
//	definitions:          # CustomResourceDefinitions, as text
//	- |
//	  apiVersion: apiextensions.k8s.io/v1
//	  …
//	objects:              # initial live objects, as text: see Runner.Load
//	- |
//	  apiVersion: v1
//	  …
//	actors:
//	- name: alice
//	  colour: blue
//	steps:
//	- actor: alice
//	  do: apply           # see Action
//	  body: |
//	    apiVersion: v1
//	    …
//	  expect:             # see Expectation; or only an outcome: expect: denied
//	    result: conflict
//	    conflicts: {.data.a: [bob]}
//	- actor: bob
//	  do: merge-patch
//	  subresource: status # or scale
//	  target: {apiVersion: v1, kind: Pod, namespace: shop, name: web}
//	  body: '{"status": …}'
//	  note: for readers
//	race:                 # concurrent changes after the steps: see NewRace
//	- actor: alice
//	  add: {.data.count: 1}
//
// Bodies are texts, which preserves comments and the line numbers of errors. Runs are
// deterministic: time begins at [Start], or after the times in the initial objects, and
// advances one minute per step, uids are numbered, and resource versions are those of the
// store.
//
// Unknown fields are refused, so that a file in a later format is not run with another
// meaning.
package scenario
