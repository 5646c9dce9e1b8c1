package table

import (
	_ "embed"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// descriptionsJSON has the descriptions of the columns of built-in kinds in Kubernetes 1.36, as
// kube-apiserver returns them: by resource and group ("deployments.apps"), or "scale", and by column. Those
// of Name, Age and Created At, which are the same for all kinds, are not in it.
//
//go:embed descriptions.json
var descriptionsJSON []byte

// laterDescriptionsJSON has in the same form the descriptions that Kubernetes 1.37 has added or changed.
//
//go:embed descriptions-1.37.json
var laterDescriptionsJSON []byte

// descriptions parses descriptionsJSON when the first table is requested, and laterDescriptions
// laterDescriptionsJSON.
var (
	descriptions      = sync.OnceValue(func() document.Value { return parsed(descriptionsJSON) })
	laterDescriptions = sync.OnceValue(func() document.Value { return parsed(laterDescriptionsJSON) })
)

func parsed(embedded []byte) document.Value {
	d, err := document.Parse(embedded, document.Options{})
	if err != nil {
		panic(err) // the embedded file is damaged
	}
	return d.Root
}

// nameDescription is the description of the column Name, which is that of the field of ObjectMeta.
const nameDescription = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"

// ageDescription is the description of the columns Age and Created At, also that of the field of ObjectMeta.
const ageDescription = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

// described returns the columns of a built-in kind's resource, or of "scale", with their descriptions.
func described(columns []Column, k *schema.Kind, key string) []Column {
	texts, later := descriptions().Get(key), document.Value{}
	if k.Since("1.37") {
		later = laterDescriptions().Get(key)
	}
	for i := range columns {
		if c := &columns[i]; c.Description == "" {
			c.Description = later.Get(c.Name).StringOr(texts.Get(c.Name).StringOr(""))
		}
	}
	return columns
}
