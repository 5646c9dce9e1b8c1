package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// noAccessMode is the detail of the error for a claim without access modes.
const noAccessMode = "at least 1 access mode is required"

// claimSpec validates the spec of a PersistentVolumeClaim, of an ephemeral volume, or of a
// StatefulSet's claim template.
func (c *check) claimSpec(spec field) {
	validateAccessModes(c, spec.get("accessModes"), noAccessMode)
	c.labelSelector(spec.get("selector"))
	storage := spec.get("resources.requests").Get("storage")
	shown := spec.get("resources").key("storage") // messages do not contain "requests"
	shown.Value = storage
	switch {
	case !storage.Exists():
		c.required(shown, "")
	case amountSign(storage) <= 0:
		c.invalidText(shown, storage.StringOr(""), "must be greater than zero")
	}
	c.syntaxIfSet(spec.get("storageClassName"), names.DNSSubdomain)
	c.oneOfIfSet(spec.get("volumeMode"), "Block,Filesystem")
	source, ref := spec.get("dataSource"), spec.get("dataSourceRef")
	c.dataSource(source)
	c.dataSource(ref)
	if namespace := ref.get("namespace"); namespace.text() != "" {
		c.syntax(namespace, names.DNSLabel)
		if source.isSet() {
			c.invalid(spec, "may not be specified when dataSourceRef.namespace is specified")
		}
	} else if source.isSet() && ref.isSet() && !sameSource(source.Value, ref.Value) {
		c.invalid(spec, "must match dataSourceRef")
	}
	c.syntaxIfSet(spec.get("volumeAttributesClassName"), names.DNSSubdomain)
}

func (c *check) dataSource(source field) {
	if !source.isSet() {
		return
	}
	c.need(source.get("name"))
	kind, group := source.get("kind"), source.get("apiGroup")
	c.need(kind)
	if group.text() == "" {
		if kind.text() != "PersistentVolumeClaim" {
			c.invalidText(source, kind.text(), "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
		}
		return
	}
	c.syntax(group, names.DNSSubdomain)
}

func sameSource(a, b document.Value) bool {
	for _, name := range [...]string{"apiGroup", "kind", "name"} {
		if a.Get(name).StringOr("") != b.Get(name).StringOr("") {
			return false
		}
	}
	return true
}
