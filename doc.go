// Package patchlab computes how Kubernetes changes an object, without a cluster: the
// resulting object, the owner of each field, and conflicts between field managers.
//
//	lab, err := patchlab.New(patchlab.Options{KubernetesVersion: "1.36", CRDs: os.DirFS("crds")})
//	result, err := lab.Apply(live, manifest, patchlab.ApplyOptions{FieldManager: "gitops"})
//	var conflicts *patchlab.Conflicts
//	if errors.As(err, &conflicts) { … }
//	fmt.Printf("%s", result.Object().YAML())
//
// A [Lab] has the built-in kinds of one Kubernetes version and the custom resources in its
// [Options]. Its results are those of kube-apiserver 1.36: each change passes the request
// pipeline of package cluster, which decodes, defaults, merges, tracks field ownership,
// applies the kind's strategy and validates.
//
// # Inputs
//
// A Lab reads objects and patches from an [Input]:
//
//   - [Bytes]: YAML or JSON with one or several documents, including Lists;
//   - [Named]: the same with a file name, for positions in errors;
//   - [Files]: files of a file system;
//   - *[document.Document] and [document.Value]: parsed input;
//   - *[Object]: an object that a Lab returned, with its owners decoded;
//   - clientobject.Input: the typed and unstructured objects of client-go and
//     controller-runtime.
//
// A live input that is nil or has no documents means that the object does not exist: an apply
// creates it, and a patch or an update is refused.
//
// # Changes
//
// [Lab.Apply] is server-side apply, [Lab.ClientApply] is 'kubectl apply' without
// --server-side, [Lab.Patch] is a JSON patch, merge patch or strategic merge patch,
// [Lab.Update] is a PUT and [Lab.Create] a POST. Each changes one object. [Lab.Run]
// performs any of them for several documents, which it matches with the live objects by
// group, kind, namespace and name.
//
// # Results
//
// A [Result] holds the object before and after, each an [Object] with its owners.
// [Result.Changes] lists the fields that differ, and [Result.Reasons] the rule behind each. A
// change that the API server would refuse is an *[Error] with the status code, the invalid
// fields with their positions, and the conflicts with other field managers. The function
// StatusError of package clientobject converts it for apierrors.IsConflict and the like.
//
// Nothing is stored: the next change begins with what it is given as the live object, such as
// Result.After. The resourceVersion does not advance either, so that an update of an object that was
// read before another change is not refused. Packages cluster and scenario have concurrent writers.
//
// The fields of results and errors have the values of Secrets, like those of other objects: a program
// that prints them has to mask these. The message of an Error has none.
package patchlab
