// Package admission runs what kube-apiserver runs between a request and its
// store beyond schemas: the CEL rules of CustomResourceDefinitions, validating and
// mutating admission policies, admission webhooks, and conversion webhooks. It
// does so with the packages of kube-apiserver itself (k8s.io/apiserver,
// k8s.io/apiextensions-apiserver and cel-go), so that what compiles, what it
// costs, and the words of a refusal are the same.
//
// [Configure] adds all of it to the configuration of a cluster. Its parts can be
// used alone: [NewRules] for the rules of custom resources, [NewConversion] for
// conversion webhooks, [Chain] for policies and webhooks.
//
// Configuration counts from the next request on: kube-apiserver takes up to a
// second to see a policy, and several to see its parameters.
//
// The libraries weigh some 65 MB in a binary and 15 ms at its start
// (doc/admission.md), which is why no other package of patchlab's library
// imports this one.
package admission
