package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// podVolume is a valid volume of a pod, to which containers can refer.
type podVolume struct {
	name string
	// claim is true for a PersistentVolumeClaim, which can be a block device.
	claim bool
}

// volume returns a volume by name.
func (p *podCheck) volume(name string) (podVolume, bool) {
	for _, v := range p.volumes {
		if v.name == name {
			return v, true
		}
	}
	return podVolume{}, false
}

// checkVolumes validates the volumes and collects the valid ones. A StatefulSet's claim
// templates precede them and replace volumes of the same names; they count in the indexes that
// errors report.
func (p *podCheck) checkVolumes() {
	claims := 0
	var named seenTexts // of templates with the same name, which may be empty, only one counts
	for i := range p.claims.items() {
		name := p.claims.item(i).get("metadata.name")
		if named.add(name.text()) {
			continue
		}
		if volume := p.spec.get("volumes").item(claims); name.text() == "" {
			p.required(volume.get("persistentVolumeClaim.claimName"), "") // sources are validated before names
			p.required(volume.get("name"), "")
		} else if why := names.DNSLabel(name.text()); why != "" {
			p.unmetText(volume.get("name"), name.text(), why)
		} else {
			p.volumes = append(p.volumes, podVolume{name.text(), true})
		}
		claims++
	}
	list := p.spec.get("volumes")
	shown := claims
	for i := range list.items() {
		if named.has(list.At(i).Get("name").StringOr("")) {
			continue
		}
		p.checkVolume(list.itemAt(i, shown))
		shown++
	}
}

func (p *podCheck) checkVolume(v field) {
	mark := len(p.errs)
	name := v.get("name")
	p.checkVolumeSource(v, name.text())
	if p.need(name) {
		p.syntax(name, names.DNSLabel)
	}
	if _, taken := p.volume(name.text()); taken {
		p.duplicate(name)
	}
	if !p.failed(mark) {
		p.volumes = append(p.volumes, podVolume{name.text(), v.get("persistentVolumeClaim").isSet() || v.get("ephemeral").isSet()})
	}
	claim := v.get("persistentVolumeClaim.claimName")
	if pod := p.podName(); pod != "" && claim.text() != "" && p.createsClaim(claim.text(), pod) {
		p.invalid(claim, "must not reference a PVC that gets created for an ephemeral volume")
	}
}

// createsClaim reports whether the claim is created for an ephemeral volume of the pod.
func (p *podCheck) createsClaim(claim, pod string) bool {
	for _, v := range p.spec.get("volumes").Items() {
		if v.Get("ephemeral").Exists() && pod+"-"+v.Get("name").StringOr("") == claim {
			return true
		}
	}
	return false
}

// volumeSources are the volume sources in the order in which kube-apiserver checks them. If
// several are set, all but the first are errors.
var volumeSources = [...]string{
	"emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs", "flocker",
	"persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume", "configMap", "azureFile",
	"vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk", "storageos", "projected", "scaleIO", "csi", "ephemeral", "image",
}

func (p *podCheck) checkVolumeSource(v field, name string) {
	found := false
	for _, kind := range volumeSources {
		source := v.get(kind)
		if !source.isSet() {
			continue
		}
		if found {
			p.forbidden(v.getAs(kind, shownSource(kind)), "may not specify more than 1 volume type")
		} else {
			p.checkSource(v, kind, source, name)
		}
		found = true
		if kind == "iscsi" && source.get("initiatorName").isSet() && len(name)+1+len(source.get("targetPortal").text()) > 64 {
			p.invalid(v.get("name"), "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.")
		}
	}
	if !found {
		p.required(v, "must specify a volume type")
	}
}

// shownSource returns the path of a surplus volume source in kube-apiserver's messages.
func shownSource(kind string) string {
	switch kind {
	case "cephfs":
		return "cephFS"
	case "downwardAPI":
		return "downwarAPI"
	}
	return kind
}

// checkSource validates the source of a pod's volume.
func (p *podCheck) checkSource(v field, kind string, source field, name string) {
	c := p.check
	if kind == "gcePersistentDisk" {
		source = v.getAs(kind, "persistentDisk")
	}
	if c.volumeSource(kind, source) {
		return
	}
	switch kind {
	case "emptyDir":
		if limit := source.get("sizeLimit"); amountSign(limit.Value) < 0 {
			c.forbidden(limit, "SizeLimit field must be a valid resource quantity")
		}
	case "gitRepo":
		c.need(source.get("repository"))
		c.relativePath(source.get("directory"))
	case "glusterfs":
		c.needEach(source, "endpoints,path")
	case "persistentVolumeClaim":
		c.need(source.get("claimName"))
	case "azureFile":
		c.needEach(source, "secretName,shareName")
	case "secret":
		c.need(source.get("secretName"))
		c.keysToPaths(source)
	case "configMap":
		c.need(source.get("name"))
		c.keysToPaths(source)
	case "iscsi":
		validateISCSI(c, source, name, false)
	case "cinder":
		c.need(source.get("volumeID"))
		c.secretName(source.get("secretRef"))
	case "downwardAPI":
		c.fileMode(source.get("defaultMode"))
		c.downwardFiles(source, source.get("items"))
	case "storageos":
		c.needSyntax(source.get("volumeName"), names.DNSLabel)
		c.syntaxIfSet(source.get("volumeNamespace"), names.DNSLabel)
		c.secretName(source.get("secretRef"))
	case "projected":
		c.fileMode(source.get("defaultMode"))
		c.projectedSources(source)
	case "csi":
		p.checkCSI(source)
	case "ephemeral":
		p.checkEphemeral(v, source, name)
	case "image":
		if p.isPod || p.kind.Since("1.37") {
			c.need(source.get("reference"))
		}
		c.needOneOf(source.get("pullPolicy"), pullPolicies)
	}
}

const pullPolicies = "Always,IfNotPresent,Never"

func (p *podCheck) checkCSI(source field) {
	p.csiDriverName(source.get("driver"))
	if secret := source.get("nodePublishSecretRef"); secret.isSet() {
		if name := secret.get("name"); p.need(name) {
			if why := names.DNSSubdomain(name.text()); why != "" {
				p.unmet(source.getAs("nodePublishSecretRef.name", "name"), why)
			}
		}
	}
}

func (p *podCheck) checkEphemeral(v, source field, name string) {
	template := source.get("volumeClaimTemplate")
	if !template.isSet() {
		p.required(template, "")
	} else {
		p.templateMetadata(template.get("metadata"))
		validateClaimSpec(p.check, template.get("spec"), false)
	}
	if pod := p.podName(); pod != "" && name != "" {
		if why := names.DNSSubdomain(pod + "-" + name); why != "" {
			start := "PVC name " + strconv.Quote(pod+"-"+name) + ": "
			p.unmet(v.get("name"), start+strings.ReplaceAll(why, "\n", "\n"+start))
		}
	}
}

// templateMetadata forbids all metadata of a claim template except labels and annotations.
func (c *check) templateMetadata(metadata field) {
	c.labels(metadata.get("labels"))
	c.annotations(metadata.get("annotations"))
	for i := range metadata.members() {
		key := metadata.Key(i)
		if key == "labels" || key == "annotations" || metadata.At(i).IsNull() || isZero(metadata.At(i)) && key != "deletionGracePeriodSeconds" {
			continue
		}
		shown := key
		if key == "uid" {
			shown = "uID"
		}
		c.forbidden(metadata.getAs(key, shown), "cannot be set")
	}
	for _, name := range [...]string{"ownerReferences", "finalizers", "managedFields"} {
		if list := metadata.get(name); list.wasEmpty() {
			c.forbidden(list, "cannot be set")
		}
	}
}

// isZero reports whether a value is the zero value of its type: "", 0 or false. An
// empty list is not.
func isZero(v document.Value) bool {
	if text, ok := v.Text(); ok {
		return text == ""
	}
	if n, ok := v.Int(); ok {
		return n == 0
	}
	yes, ok := v.Bool()
	return ok && !yes
}

// secretName requires the name in a reference to a Secret.
func (c *check) secretName(ref field) {
	if ref.isSet() {
		c.need(ref.get("name"))
	}
}

// fileMode limits a file mode to the permission bits.
func (c *check) fileMode(mode field) {
	if n, ok := mode.Int(); ok && (n < 0 || n > 0o777) {
		c.invalid(mode, "must be a number between 0 and 0777 (octal), both inclusive")
	}
}

// relativePath requires a path without ".." that does not begin with a slash.
func (c *check) relativePath(path field) {
	if strings.HasPrefix(path.text(), "/") {
		c.invalid(path, "must be a relative path")
	}
	c.noBackSteps(path)
}

// filePath is relativePath for a file within a volume, where names that begin with ".." are
// reserved.
func (c *check) filePath(path field) {
	c.relativePath(path)
	if text := path.text(); strings.HasPrefix(text, "..") && !strings.HasPrefix(text, "../") {
		c.invalid(path, "must not start with '..'")
	}
}

func (c *check) keysToPaths(source field) {
	c.fileMode(source.get("defaultMode"))
	items := source.get("items")
	for i := range items.items() {
		c.keyToPath(items.item(i))
	}
}

func (c *check) keyToPath(item field) {
	c.need(item.get("key"))
	path := item.get("path")
	c.need(path)
	c.filePath(path)
	c.fileMode(item.get("mode"))
}

// downwardFiles validates the files of a downward API volume. Errors are reported for the
// volume.
func (c *check) downwardFiles(source, items field) {
	for i := range items.items() {
		item := items.item(i)
		file := field{item.Value, c, source.at}
		path := file.get("path")
		c.need(path)
		c.filePath(path)
		ref, resource := file.get("fieldRef"), file.get("resourceFieldRef")
		switch {
		case ref.isSet():
			c.fieldRef(ref, volumeFieldPaths)
			if resource.isSet() {
				c.addValue(schema.ErrorInvalid, file, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
			}
		case resource.isSet():
			c.resourceFieldRef(resource, true)
		default:
			c.required(file, "one of fieldRef and resourceFieldRef is required")
		}
		c.fileMode(file.get("mode"))
	}
}
