// Package scenario runs files of steps: several actors change objects of one
// cluster, one request after the other, and each step's answer and the object
// after it are kept.
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
//	objects:              # live objects to begin with, as text: see Runner.Load
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
//	  expect:             # see Expectation; or an outcome alone: expect: denied
//	    result: conflict
//	    conflicts: {.data.a: [bob]}
//	race:                 # changes at the same time, after the steps: see NewRace
//	- actor: alice
//	  add: {.data.count: 1}
//
// Bodies are texts, so that their comments and their errors' line numbers stay.
// Running a scenario is deterministic: time begins at [Start], or after
// what the objects say, and moves on a minute a step, uids count up, resource versions
// are the store's.
//
// Fields that this version does not know are refused, so that a file for a later
// version is not run as something that it is not.
package scenario
