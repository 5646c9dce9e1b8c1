package kinds

import (
	"path"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// persistentVolumeStrategy is the strategy of v1 PersistentVolume.
var persistentVolumeStrategy = Strategy{
	Resource:      "persistentvolumes",
	Name:          subdomainName,
	metadataAgain: wholeTwice,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}

const accessModes = "ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod"

// amountSign returns -1, 0 or 1 for a quantity that is negative, zero or positive.
func amountSign(v document.Value) int {
	return quantity.Sign(strings.TrimSpace(v.StringOr(v.NumberText())))
}

func validatePersistentVolume(c *check, object, old field) {
	name := object.get("metadata.name")
	spec := object.get("spec")
	mark := len(c.errs)
	validatePersistentVolumeSpec(c, spec, name.text(), false)
	end := len(c.errs)
	c.mountOptions(object.get("metadata.annotations"), spec)
	if old.isSet() {
		c.metadataAt = len(c.errs)
		c.again(mark, end)
		validatePersistentVolumeUpdate(c, object, old)
	}
}

// betaMountOptions is the annotation that spec.mountOptions has replaced.
const betaMountOptions = "volume.beta.kubernetes.io/mount-options"

// mountOptions refuses the annotation with mount options for volumes that have none
// (pkg/volume/validation, checkMountOption).
func (c *check) mountOptions(annotations, spec field) {
	options := annotations.key(betaMountOptions)
	if !options.Exists() {
		return
	}
	for _, source := range [...]string{"gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi", "cinder",
		"cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"} {
		if spec.get(source).isSet() {
			return
		}
	}
	c.errs = append(c.errs, schema.FieldError{Type: schema.ErrorForbidden, Path: options.path(),
		Field: annotations.pathText() + "." + betaMountOptions, Detail: "may not specify mount options for this volume type"})
}

// persistentVolumeSources returns the fields of which a persistent volume must have exactly
// one, in the order in which kube-apiserver checks them.
func persistentVolumeSources() []string {
	return []string{
		"hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte", "cephfs", "iscsi",
		"cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk", "scaleIO",
		"local", "storageos", "csi",
	}
}

// validatePersistentVolumeSpec validates the spec of a persistent volume or, with inline, of
// the volume in a VolumeAttachment, which allows few fields beside csi.
func validatePersistentVolumeSpec(c *check, spec field, name string, inline bool) {
	if inline {
		validateInlineVolume(c, spec)
	}
	if modes := spec.get("accessModes"); modes.items() == 0 {
		c.required(modes, "")
	} else {
		validateAccessModes(c, modes)
	}
	reclaim, affinity := spec.get("persistentVolumeReclaimPolicy"), spec.get("nodeAffinity")
	if !inline {
		validateCapacity(c, spec.get("capacity"))
	}
	switch {
	case reclaim.isEmpty():
	case !inline:
		c.oneOf(reclaim, "Delete,Recycle,Retain")
	case reclaim.text() != "Retain":
		c.forbidden(reclaim, "may only be Retain in the context of inline volumes")
	}
	switch {
	case !affinity.isSet():
	case inline:
		c.forbidden(affinity, notInline)
	default:
		validateVolumeNodeAffinity(c, affinity)
	}
	validateOneVolumeSource(c, spec, name, affinity.isSet() && !inline)
	hostPath := spec.get("hostPath.path")
	if reclaim.text() == "Recycle" && path.Clean(hostPath.text()) == "/" {
		c.forbidden(reclaim, "may not be 'recycle' for a hostPath mount of '/'")
	}
	validateVolumeClass(c, spec, inline)
}

const notInline = "may not be specified in the context of inline volumes"

// validateInlineVolume validates the fields that only an inline volume forbids or requires.
func validateInlineVolume(c *check, spec field) {
	if claim := spec.get("claimRef"); claim.isSet() {
		c.forbidden(claim, notInline)
	}
	if capacity := spec.get("capacity"); capacity.Len() > 0 {
		c.forbidden(capacity, notInline)
	}
	if csi := spec.get("csi"); !csi.isSet() {
		c.required(csi, "has to be specified in the context of inline volumes")
	}
}

// validateVolumeClass validates the class, mode and attributes of a volume.
func validateVolumeClass(c *check, spec field, inline bool) {
	class, mode := spec.get("storageClassName"), spec.get("volumeMode")
	if inline {
		if !class.isEmpty() {
			c.forbidden(class, notInline)
		}
		if mode.isSet() && mode.text() != "Filesystem" {
			c.forbidden(mode, "may not specify volumeMode other than Filesystem in the context of inline volumes")
		}
		return
	}
	c.syntaxIfSet(class, names.DNSSubdomain)
	c.oneOfIfSet(mode, "Block,Filesystem")
	if attributes := spec.get("volumeAttributesClassName"); attributes.isSet() && c.kind.Since("1.31") { // 1.30 stores any
		if c.needWith(attributes, "an empty string is disallowed") {
			c.syntax(attributes, names.DNSSubdomain)
		}
		if csi := spec.get("csi"); !csi.isSet() {
			c.required(csi, "has to be specified when using volumeAttributesClassName")
		}
	}
}

// validateAccessModes requires known access modes. ReadWriteOncePod must be the only one.
func validateAccessModes(c *check, modes field) {
	alone, others := false, false
	for i := range modes.items() {
		mode := modes.hiddenItem(i)
		c.oneOf(mode, accessModes)
		alone = alone || mode.text() == "ReadWriteOncePod"
		others = others || mode.text() != "ReadWriteOncePod" && among(mode.text(), accessModes)
	}
	if alone && others {
		c.forbidden(modes, "may not use ReadWriteOncePod with other access modes")
	}
}

// validateCapacity requires the resource storage and no other.
func validateCapacity(c *check, capacity field) {
	if capacity.Len() == 0 {
		c.required(capacity, "")
	}
	if storage := capacity.key("storage"); !storage.Exists() || capacity.Len() > 1 {
		c.notSupported(capacity, "storage")
	}
	for i := range capacity.members() {
		amount, _ := capacity.memberAt(i)
		c.basicAmount(amount)
		c.positive(amount, aboveZero)
	}
}

func validateVolumeNodeAffinity(c *check, affinity field) {
	if required := affinity.get("required"); required.isSet() {
		validateNodeSelector(c, required)
	} else {
		c.required(required, "must specify required node constraints")
	}
}

func validateOneVolumeSource(c *check, spec field, name string, hasAffinity bool) {
	count := 0
	for _, source := range persistentVolumeSources() {
		n := spec.get(source)
		switch {
		case !n.isSet():
			continue
		case count > 0 && source != "flexVolume":
			if source == "cephfs" {
				n = spec.getAs(source, "cephFS")
			}
			c.forbidden(n, "may not specify more than 1 volume type")
			continue
		case source == "gcePersistentDisk":
			n = spec.getAs(source, "persistentDisk")
		}
		count++
		validatePersistentVolumeSource(c, source, n, name)
		if affinity := spec.get("nodeAffinity"); source == "local" && !hasAffinity {
			c.required(affinity, "Local volume requires node affinity")
		}
	}
	if count == 0 {
		c.required(spec, "must specify a volume type")
	}
}

// validatePersistentVolumeSource validates the source of a PersistentVolume with the name volume.
func validatePersistentVolumeSource(c *check, source string, n field, volume string) {
	if c.volumeSource(source, n) {
		return
	}
	switch source {
	case "glusterfs":
		validatePersistentGlusterfs(c, n)
	case "iscsi":
		validateISCSI(c, n, volume, true)
	case "cinder":
		c.need(n.get("volumeID"))
		c.secretIn(n.get("secretRef"), false)
	case "azureFile":
		c.needEach(n, "secretName,shareName")
		if namespace := n.get("secretNamespace"); namespace.isSet() {
			c.need(namespace)
		}
	case "local":
		if path := n.get("path"); c.need(path) {
			c.noBackSteps(path)
		}
	case "storageos":
		c.needSyntax(n.get("volumeName"), names.DNSLabel)
		c.syntaxIfSet(n.get("volumeNamespace"), names.DNSLabel)
		c.secretIn(n.get("secretRef"), false)
	case "csi":
		c.csiDriverName(n.get("driver"))
		c.need(n.get("volumeHandle"))
		c.secretIn(n.get("controllerPublishSecretRef"), true)
		c.secretIn(n.get("controllerExpandSecretRef"), true)
		c.secretIn(n.get("nodePublishSecretRef"), true)
		c.secretIn(n.get("nodeExpandSecretRef"), true)
	}
}

func validatePersistentGlusterfs(c *check, n field) {
	c.needEach(n, "endpoints,path")
	switch namespace := n.get("endpointsNamespace"); {
	case namespace.isEmpty() && namespace.isSet():
		c.invalid(namespace, "if the endpointnamespace is set, it must be a valid namespace name")
	case namespace.isSet():
		c.syntax(namespace, names.DNSLabel)
	}
}

// validatePersistentVolumeUpdate requires that the source of a volume does not change, except
// that a CSI volume may get a secret for its expansion.
func validatePersistentVolumeUpdate(c *check, object, old field) {
	spec, was := object.get("spec"), old.get("spec")
	for _, source := range persistentVolumeSources() {
		next, stored := spec.get(source), was.get(source)
		if secret := stored.get("controllerExpandSecretRef"); source == "csi" && stored.isSet() && !secret.isSet() {
			next.Value = next.Value.Without("controllerExpandSecretRef")
		}
		if !c.same(next, stored) {
			c.forbiddenChange(object.getAs("spec", "spec.persistentvolumesource"), "spec.persistentvolumesource is immutable after creation")
			break
		}
	}
	if !c.same(spec.get("volumeMode"), was.get("volumeMode")) {
		c.invalidChange(object.getAs("spec.volumeMode", "volumeMode"), isImmutable)
	}
	if affinity := was.get("nodeAffinity"); affinity.isSet() {
		validateVolumeAffinityUpdate(c, object, affinity)
	}
	class, next := was.get("volumeAttributesClassName"), spec.get("volumeAttributesClassName")
	if !c.kind.Since("1.34") && !c.same(next, class) {
		c.forbidden(next, "update is forbidden when the VolumeAttributesClass feature gate is disabled")
	}
	if class.isSet() && !next.isSet() {
		c.forbidden(next, "update from non-nil value to nil is forbidden")
	}
}

func warnPersistentVolume(a *advice, object, _ field) {
	annotations, spec := object.get("metadata.annotations"), object.get("spec")
	if class := annotations.key(names.BetaStorageClass); class.Exists() {
		a.warn(class, `deprecated since v1.8; use "storageClassName" attribute instead`)
	}
	if options := annotations.key(betaMountOptions); options.Exists() && a.check.kind.Since("1.31") {
		a.warn(options, `deprecated since v1.31; use "mountOptions" attribute instead`)
	}
	if policy := spec.get("persistentVolumeReclaimPolicy"); policy.text() == "Recycle" {
		a.warn(policy, "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	}
	a.nodeSelectorTerms(spec.get("nodeAffinity.required.nodeSelectorTerms"))
	for _, removed := range removedVolumes {
		switch removed[0] {
		case "flocker", "quobyte": // these have no warning in a PersistentVolume
		default:
			a.removedVolume(spec, removed[0], removed[1])
		}
	}
}
