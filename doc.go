// Package patchlab tells what Kubernetes will do with a change to an object,
// without a cluster: what becomes of the object, who owns which field afterwards,
// and who conflicts with whom.
//
//	lab, err := patchlab.New(patchlab.Options{KubernetesVersion: "1.36", CRDs: os.DirFS("crds")})
//	result, err := lab.Apply(live, manifest, patchlab.ApplyOptions{FieldManager: "gitops"})
//	var conflicts *patchlab.Conflicts
//	if errors.As(err, &conflicts) { … }
//	fmt.Printf("%s", result.Object().YAML())
//
// A [Lab] knows the built-in kinds of a Kubernetes version and the custom
// resources that it was given. It answers as kube-apiserver 1.36 does, by the
// request pipeline of the package cluster: decoding, defaults, merging, field
// management, resets by the endpoint, validation.
//
// # Objects in
//
// What a Lab takes is an [Input]:
//
//   - [Bytes]: YAML or JSON, one document or several, Lists too;
//   - [Named]: the same with the name of a file, for positions in errors;
//   - [Files]: files of a file system;
//   - *[document.Document] and [document.Value]: what is parsed already;
//   - *[Object]: what a Lab returned, with its owners decoded;
//   - the results of the package clientobject: typed and unstructured objects of
//     client-go.
//
// nil is no object: what is applied is created then.
//
// # Changes
//
// [Lab.Apply] is server-side apply, [Lab.ClientApply] what kubectl apply does
// without --server-side, [Lab.Patch] a JSON patch, merge patch or strategic merge
// patch, [Lab.Update] a PUT and [Lab.Create] a POST. Each changes one object.
// [Lab.Run] carries out any of them for several documents, which it matches with
// the live objects by group, kind, namespace and name.
//
// # Answers
//
// A [Result] has the object before and after, each an [Object] with its owners,
// and the fields that changed. A change that the API server would refuse is an
// *[Error] with the status code, the fields that are wrong and their positions,
// and the conflicts with other field managers.
package patchlab
