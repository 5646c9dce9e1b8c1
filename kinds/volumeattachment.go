package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// volumeAttachmentStrategy is the strategy of storage.k8s.io/v1 VolumeAttachment.
var volumeAttachmentStrategy = Strategy{
	Group:             "storage.k8s.io",
	Resource:          "volumeattachments",
	Name:              subdomainName,
	validatedOnce:     "1.35",
	metadataAgain:     repeatsWhole,
	partMetadataAgain: repeatsWhole,
	RequireVersion:    true,
	ReturnDeleted:     true,
	Reset:             []string{"status"},
	ResetStatus:       []string{"metadata", "spec"},
}

func validateVolumeAttachment(c *check, object, old field) {
	spec := object.get("spec")
	attacher := spec.get("attacher")
	lenient := !c.kind.Since("1.36")
	if lenient {
		c.need(attacher)
	}
	switch { // the stricter rules are those of new objects, not of updates that are validated twice
	case !c.old.Exists():
		c.declaredDriverName(attacher)
	case !lenient: // declared rules do not hold within a spec that may not change
		c.csiDriverName(attacher)
	}
	validateAttachmentSource(c, spec.get("source"))
	c.syntax(spec.get("nodeName"), names.DNSSubdomain)
	validateVolumeAttachmentStatus(c, object, old)
	if name := spec.get("source.persistentVolumeName"); name.isSet() {
		c.syntax(name, names.DNSSubdomain)
	}
	if old.isSet() {
		c.declaredImmutable(spec, old.get("spec"))
	}
}

func validateAttachmentSource(c *check, source field) {
	inline, name := source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
	switch {
	case !inline.isSet() && !name.isSet():
		c.required(source, "must specify exactly one of inlineVolumeSpec and persistentVolumeName")
	case inline.isSet() && name.isSet():
		c.forbidden(source, "must specify exactly one of inlineVolumeSpec and persistentVolumeName")
	case inline.isSet():
		validatePersistentVolumeSpec(c, inline, "", true)
	case name.text() == "":
		c.required(name, "must specify non empty persistentVolumeName")
	}
}

// validateVolumeAttachmentStatus checks what a driver reports of an attachment.
func validateVolumeAttachmentStatus(c *check, object, _ field) {
	const maxMetadata, maxMessage = 256 << 10, 1024
	status := object.get("status")
	metadata := status.get("attachmentMetadata")
	size := 0
	for i := range metadata.Len() {
		size += len(metadata.Value.Key(i)) + len(metadata.Value.At(i).StringOr(""))
	}
	if size > maxMetadata {
		c.tooLong(metadata, maxMetadata)
	}
	for _, field := range [...]string{"attachError", "detachError"} {
		failure := status.get(field)
		message, code := failure.get("message"), failure.get("errorCode")
		if len(message.text()) > maxMessage {
			c.tooLong(message, maxMetadata) // the limit that kube-apiserver names
		}
		c.atMostInt32(code, 0)
	}
}
