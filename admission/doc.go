// Package admission implements what kube-apiserver runs between a request and its store beyond
// schemas: the CEL rules of CustomResourceDefinitions, validating and mutating admission
// policies, admission webhooks, and conversion webhooks. It uses the packages of
// kube-apiserver itself (k8s.io/apiserver, k8s.io/apiextensions-apiserver and cel-go), so that
// expressions compile and cost the same, and error messages are equal.
//
// [Configure] adds all of it to the configuration of a cluster. [NewRules] and
// [NewConversion] provide the rules of custom resources and conversion webhooks alone.
//
// For a patchlab.Lab, configure a cluster.Config and pass its fields on:
//
//	var c cluster.Config
//	err := admission.Configure(&c, admission.Options{})
//	lab, err := patchlab.New(patchlab.Options{Rules: c.Rules, Admission: c.Admission, Policies: policies})
//
// A changed configuration applies from the next request on. kube-apiserver takes up to a
// second to observe a policy, and several seconds to observe its parameters.
//
// The libraries add some 50 MB to a binary and 12 ms to its start (doc/admission.md), so no
// other package of this module imports this one.
package admission
