// Package patch applies patches to Kubernetes objects and computes them, like
// kube-apiserver v1.36 and kubectl.
//
// It applies three types of patches: JSON Patch ([JSON], RFC 6902), JSON Merge Patch
// ([Merge], RFC 7396) and Kubernetes' strategic merge patch ([Strategic]). These are pure
// functions of values: they do not modify the object or the patch, a patch either succeeds
// or has no effect, and all of them are safe for concurrent use. [Apply] does the same for
// bytes, with file, line and column in its errors.
//
// [CreateJSON], [CreateMerge] and [CreateStrategic] compute the patch of each type from the
// current and the wanted object. [ThreeWay] computes the patch that 'kubectl apply' sends
// from the last applied configuration, the wanted configuration and the live object. The function
// Document of package clientobject makes values of typed objects, such as those that an admission
// webhook changes.
//
// Where the API server deviates from the RFCs, this package does the same; doc/patches.md
// lists the rules by the names that an [Observer] receives.
package patch
