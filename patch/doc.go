// Package patch applies patches to Kubernetes objects and makes them, as
// kube-apiserver v1.36 and kubectl do it.
//
// Three kinds of patch are applied: JSON Patch ([JSON], RFC 6902), JSON merge
// patch ([Merge], RFC 7386) and Kubernetes' strategic merge patch ([Strategic]).
// Each is a pure function from values to a value: the object and the patch are
// never changed, a patch that fails has no effect at all, and everything may be
// called by many goroutines at once. [Apply] takes and returns bytes instead,
// and says in its errors which line of which file is wrong.
//
// Each kind of patch can be made from an object as it is and as it is wanted
// ([CreateJSON], [CreateMerge], [CreateStrategic]), and [ThreeWay] makes the
// patch that kubectl apply sends, from the last applied configuration, the
// wanted one and the live object.
//
// Where the RFCs and the API server differ, the API server is followed;
// doc/patches.md lists the rules by the names that an [Observer] is told.
package patch
