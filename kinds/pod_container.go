package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// The fields with containers in a pod spec.
const (
	containers          = "containers"
	initContainers      = "initContainers"
	ephemeralContainers = "ephemeralContainers"
)

// eachContainer calls f for the containers of all lists.
func (p *podCheck) eachContainer(f func(container field)) {
	for _, name := range [...]string{initContainers, containers, ephemeralContainers} {
		list := p.spec.get(name)
		for i := range list.items() {
			f(list.item(i))
		}
	}
}

func (p *podCheck) checkContainers() {
	list := p.spec.get(containers)
	if list.items() == 0 {
		p.required(list, "")
	}
	seen, ports := seenTexts{}, seenTexts{}
	valid := p.validContainers()
	for i := range list.items() {
		c := list.item(i)
		changed := !document.SameNode(c.Value, itemOf(valid, i))
		if changed {
			p.checkContainer(c)
		}
		if name := c.get("name"); seen.add(name.text()) {
			p.duplicate(name)
		}
		if changed {
			p.checkLifecycle(c)
			p.checkRestartPolicy(c)
		}
		p.checkHostPorts(c, c, &ports)
	}
}

func (p *podCheck) checkInitContainers() {
	list := p.spec.get(initContainers)
	seen := p.namesIn(containers)
	for i := range list.items() {
		c := list.item(i)
		p.checkContainer(c)
		p.checkInitRestart(c)
		if name := c.get("name"); name.text() != "" && seen.add(name.text()) || name.text() == "" && seen.has("") {
			p.duplicate(name)
		}
		// Host ports are compared within one container, which errors report with index 0.
		ports := seenTexts{}
		p.checkHostPorts(c, list.itemAt(i, 0), &ports)
		if c.get("restartPolicy").text() == "Always" {
			p.checkLifecycle(c)
		} else {
			p.checkNoSidecar(c)
		}
	}
}

// checkNoSidecar forbids an init container that does not run beside the others to have what only a
// running container needs.
func (p *podCheck) checkNoSidecar(c field) {
	for _, name := range [...]string{"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"} {
		if part := c.get(name); part.isSet() {
			p.forbidden(part, "may not be set for init containers without restartPolicy=Always")
		}
	}
	policies := c.get("resizePolicy")
	for j := range policies.items() {
		if policy := policies.item(j).get("restartPolicy"); policy.text() == "RestartContainer" && p.kind.Since("1.36") {
			p.invalid(policy, "must not be set to 'RestartContainer' for non-sidecar initContainers")
		}
	}
}

// namesIn returns the names of the containers in some lists.
func (p *podCheck) namesIn(lists ...string) seenTexts {
	seen := seenTexts{}
	for _, name := range lists {
		for _, c := range p.spec.Get(name).Items() {
			seen.add(c.Get("name").StringOr(""))
		}
	}
	return seen
}

// notEphemeral are the fields that are forbidden in an ephemeral container, also if they are empty,
// in the order of their Go struct.
var notEphemeral = [...]string{
	"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
}

func (p *podCheck) checkEphemeralContainers() {
	list := p.spec.get(ephemeralContainers)
	if list.items() == 0 {
		return
	}
	others, all := p.namesIn(containers, initContainers), p.namesIn(containers, initContainers)
	for i := range list.items() {
		c := list.item(i)
		p.checkContainer(c)
		p.checkImageSpace(c)
		if name := c.get("name"); all.add(name.text()) {
			p.duplicate(name)
		}
		if target := c.get("targetContainerName"); target.text() != "" && !others.has(target.text()) {
			p.notFound(target)
		}
		p.checkOnlyEphemeral(c)
	}
}

// checkOnlyEphemeral forbids the fields that an ephemeral container cannot have.
func (p *podCheck) checkOnlyEphemeral(c field) {
	const why = "cannot be set for an Ephemeral Container"
	for _, name := range notEphemeral {
		part := c.get(name)
		written := part.isWritten()
		if name == "resources" { // a struct is set if one of its fields is
			written = !part.isEmpty() || part.get("limits").wasEmpty() || part.get("requests").wasEmpty() ||
				part.get("claims").wasEmpty() && p.kind.Since("1.34")
		}
		if written {
			p.forbidden(part, why)
		}
	}
	mounts := c.get("volumeMounts")
	for j := range mounts.items() {
		for _, name := range [...]string{"subPath", "subPathExpr"} {
			if path := mounts.item(j).get(name); path.text() != "" {
				p.forbidden(path, why)
			}
		}
	}
}

// checkImageSpace forbids leading and trailing space in an image name, which only templates
// may have.
func (p *podCheck) checkImageSpace(c field) {
	if image := c.get("image"); strings.TrimSpace(image.text()) != image.text() {
		p.invalid(image, "must not have leading or trailing whitespace")
	}
}

// validContainers returns the containers of the object that is known to be valid if nothing
// else in the spec has changed, otherwise it is absent. The rules for a container depend only
// on that container and on parts of the spec outside the containers, so containers that both
// objects share need not be validated again.
func (p *podCheck) validContainers() document.Value {
	valid := p.check.valid
	if !valid.Exists() || p.claims.at != 0 && !p.claims.unchanged() {
		return document.Value{}
	}
	spec := p.spec.in(valid)
	if spec.Len() != p.spec.Len() {
		return document.Value{}
	}
	for i := range spec.Len() {
		key := spec.Key(i)
		if key != p.spec.Key(i) || key != containers && !document.SurelyIdentical(spec.At(i), p.spec.At(i)) {
			return document.Value{}
		}
	}
	return spec.Get(containers)
}

// itemOf returns the i-th item of a list, absent if there is none.
func itemOf(list document.Value, i int) document.Value {
	if i >= list.Len() {
		return document.Value{}
	}
	return list.At(i)
}

// checkContainer applies the rules for containers of all three lists.
func (p *podCheck) checkContainer(c field) {
	p.needSyntax(c.get("name"), names.DNSLabel)
	p.need(c.get("image"))
	p.needOneOf(c.get("terminationMessagePolicy"), "File,FallbackToLogsOnError")
	p.checkPorts(c.get("ports"))
	p.checkEnv(c.get("env"))
	p.checkEnvFrom(c.get("envFrom"))
	p.checkMounts(c)
	p.checkDevices(c)
	p.needOneOf(c.get("imagePullPolicy"), pullPolicies)
	p.resources(c.get("resources"), false)
	p.resourceClaims(c.get("resources.claims"))
	p.checkResizePolicy(c.get("resizePolicy"))
	p.checkSecurityContext(c.get("securityContext"))
}

func (p *podCheck) checkPorts(list field) {
	seen := seenTexts{}
	for i := range list.items() {
		port := list.item(i)
		if name := port.get("name"); name.text() != "" && p.syntax(name, names.PortName) && seen.add(name.text()) {
			p.duplicate(name)
		}
		if number := port.get("containerPort"); number.number() == 0 {
			p.required(number, "")
		} else {
			p.port(number)
		}
		if number := port.get("hostPort"); number.number() != 0 {
			p.port(number)
		}
		p.needOneOf(port.get("protocol"), "SCTP,TCP,UDP")
	}
}

// checkHostPorts requires that containers use different host ports. Errors are reported below
// shown.
func (p *podCheck) checkHostPorts(c, shown field, seen *seenTexts) {
	list := c.get("ports")
	for i := range list.items() {
		port := list.At(i)
		n, _ := port.Get("hostPort").Int()
		if n == 0 {
			continue
		}
		text := port.Get("protocol").StringOr("") + "/" + port.Get("hostIP").StringOr("") + "/" + strconv.FormatInt(n, 10)
		if seen.add(text) {
			p.addValue("FieldValueDuplicate", shown.get("ports").item(i).get("hostPort"), text, "")
		}
	}
}

// checkMounts requires that each mount refers to a volume of the pod and has a path that no
// other mount or block device has.
func (p *podCheck) checkMounts(c field) {
	list := c.get("volumeMounts")
	paths, devices := seenTexts{}, pathsByName(c.get("volumeDevices"), "devicePath")
	privileged := c.get("securityContext.privileged").isTrue()
	for i := range list.items() {
		mount := list.item(i)
		name, path := mount.get("name"), mount.get("mountPath")
		p.need(name)
		if _, ok := p.volume(name.text()); !ok {
			p.notFound(name)
		}
		p.need(path)
		if paths.add(path.text()) {
			p.invalid(path, "must be unique")
		}
		if _, ok := devices[name.text()]; ok {
			p.invalid(name, "must not already exist in volumeDevices")
		}
		if hasPath(devices, path.text()) {
			p.invalid(path, "must not already exist as a path in volumeDevices")
		}
		// Some errors are reported without the index of the mount.
		sub, expr := mount.get("subPath"), mount.get("subPathExpr")
		hidden := list.hiddenItem(i)
		if sub.text() != "" {
			p.relativePath(hidden.get("subPath"))
		}
		if expr.text() != "" {
			if sub.text() != "" {
				p.invalid(expr, "subPathExpr and subPath are mutually exclusive")
			}
			p.relativePath(hidden.get("subPathExpr"))
		}
		p.checkPropagation(hidden, privileged)
	}
}

// pathsByName returns the paths of mounts or devices by the names of their volumes, nil if there are
// none. Of several with the same name, the last one counts.
func pathsByName(list field, key string) map[string]string {
	if list.items() == 0 {
		return nil
	}
	paths := map[string]string{}
	for i := range list.items() {
		item := list.item(i)
		paths[item.get("name").text()] = item.get(key).text()
	}
	return paths
}

func hasPath(paths map[string]string, path string) bool {
	for _, other := range paths {
		if other == path {
			return true
		}
	}
	return false
}

func (p *podCheck) checkPropagation(mount field, privileged bool) {
	propagation := mount.get("mountPropagation")
	if propagation.isSet() {
		p.oneOf(propagation, "Bidirectional,HostToContainer,None")
		if propagation.text() == "Bidirectional" && !privileged {
			p.forbidden(propagation, "Bidirectional mount propagation is available only to privileged containers")
		}
	}
	recursive := mount.get("recursiveReadOnly")
	switch {
	case !recursive.isSet() || recursive.text() == "Disabled":
	case recursive.text() == "Enabled" || recursive.text() == "IfPossible":
		if !mount.get("readOnly").isTrue() {
			p.forbidden(recursive, "may only be specified when readOnly is true")
		}
		if propagation.isSet() && propagation.text() != "None" {
			p.forbidden(recursive, "may only be specified when mountPropagation is None or not specified")
		}
	default:
		p.notSupported(recursive, "Disabled,Enabled,IfPossible")
	}
}

func (p *podCheck) checkDevices(c field) {
	list := c.get("volumeDevices")
	if list.items() == 0 {
		return
	}
	mounts := pathsByName(c.get("volumeMounts"), "mountPath")
	deviceNames, paths := seenTexts{}, seenTexts{}
	for i := range list.items() {
		device := list.item(i)
		name, path := device.get("name"), device.get("devicePath")
		volume, known := p.volume(name.text())
		p.need(name)
		if deviceNames.has(name.text()) {
			p.invalid(name, "must be unique")
		}
		switch {
		case !known:
			p.notFound(name)
		case !volume.claim:
			p.invalid(name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		p.need(path)
		if paths.has(path.text()) {
			p.invalid(path, "must be unique")
		}
		if hasBackStep(path.text()) {
			p.invalid(path, "can not contain backsteps ('..')")
		} else {
			paths.add(path.text())
		}
		if _, ok := mounts[name.text()]; ok {
			p.invalid(name, "must not already exist in volumeMounts")
		}
		if hasPath(mounts, path.text()) {
			p.invalid(path, "must not already exist as a path in volumeMounts")
		}
		if name.text() != "" {
			deviceNames.add(name.text())
		}
	}
}

// checkResizePolicy validates the resizePolicy of a container. Errors are reported for the
// list, except for duplicate resources.
func (p *podCheck) checkResizePolicy(list field) {
	seen := seenTexts{}
	for i := range list.items() {
		policy := list.item(i)
		resource, restart := policy.get("resourceName").text(), policy.get("restartPolicy").text()
		if seen.add(resource) {
			p.addValue("FieldValueDuplicate", policy, resource, "")
		}
		p.listedOneOf(list, resource, "cpu,memory")
		p.listedOneOf(list, restart, "NotRequired,RestartContainer")
		if p.spec.get("restartPolicy").text() == "Never" && restart != "NotRequired" {
			of := ""
			if p.kind.Since("1.36") {
				of = "pod "
			}
			p.invalidText(list, restart, "must be 'NotRequired' when "+of+"`restartPolicy` is 'Never'")
		}
	}
}

// listedOneOf is needOneOf for an item of a list. Errors are reported for the list.
func (c *check) listedOneOf(list field, text, supported string) {
	switch {
	case text == "":
		c.required(list, "")
	case !among(text, supported):
		c.addValue("FieldValueNotSupported", list, text, supportedValues(supported))
	}
}

// checkInitRestart is checkRestartPolicy for an init container. Its restartPolicyRules are
// validated only if it has a restartPolicy.
func (p *podCheck) checkInitRestart(c field) {
	policy, rules := c.get("restartPolicy"), c.get("restartPolicyRules")
	if !p.kind.Since("1.34") {
		p.oneOfIfSet(policy, "Always")
	} else if policy.text() == "Always" && !p.kind.Since("1.36") {
		if rules.items() > 0 {
			p.forbidden(rules, "restartPolicyRules are not allowed for init containers with restart policy Always")
		}
	} else if policy.isSet() {
		p.checkRestartPolicy(c)
	} else if rules.items() > 0 {
		p.required(policy, "must specify restartPolicy when restart rules are used")
	}
}

// checkRestartPolicy validates the restartPolicy and restartPolicyRules of a container, which only
// init containers have before Kubernetes 1.34.
func (p *podCheck) checkRestartPolicy(c field) {
	policy, rules := c.get("restartPolicy"), c.get("restartPolicyRules")
	switch {
	case policy.isSet() && !p.kind.Since("1.34"):
		p.forbidden(policy, "may not be set for non-init containers")
	case policy.isSet():
		p.oneOf(policy, "Always,Never,OnFailure")
	case rules.items() > 0:
		p.required(policy, "must specify restartPolicy when restart rules are used")
	}
	p.maxItems(rules, 20)
	actions := "Restart"
	if p.kind.Since("1.36") {
		actions = "Restart,RestartAllContainers"
	}
	for i := range rules.items() {
		rule := rules.item(i)
		p.oneOf(rule.get("action"), actions)
		codes := rule.get("exitCodes")
		if !codes.isSet() {
			p.required(codes, "must be specified")
			continue
		}
		p.oneOf(codes.get("operator"), "In,NotIn")
		p.maxItems(codes.get("values"), 255)
	}
}
