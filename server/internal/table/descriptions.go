package table

import (
	_ "embed"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// descriptionsJSON has the descriptions of the columns of built-in kinds in Kubernetes 1.36, as
// kube-apiserver returns them: by resource and group ("deployments.apps"), or "scale", and by column. Those
// of Name, Age and Created At, which are the same for all kinds, are not in it.
//
//go:embed descriptions.json
var descriptionsJSON []byte

// descriptions parses descriptionsJSON when the first table is requested.
var descriptions = sync.OnceValue(func() document.Value {
	d, err := document.Parse(descriptionsJSON, document.Options{})
	if err != nil {
		panic(err) // the embedded file is damaged
	}
	return d.Root
})

// nameDescription is the description of the column Name, which is that of the field of ObjectMeta.
const nameDescription = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"

// ageDescription is the description of the columns Age and Created At, also that of the field of ObjectMeta.
const ageDescription = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

// described returns the columns of a built-in resource, or of "scale", with their descriptions.
func described(columns []Column, group, resource string) []Column {
	key := resource
	if group != "" {
		key += "." + group
	}
	texts := descriptions().Get(key)
	for i := range columns {
		if c := &columns[i]; c.Description == "" {
			c.Description = texts.Get(c.Name).StringOr("")
		}
	}
	return columns
}
