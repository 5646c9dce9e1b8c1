package kinds

import (
	"fmt"
	"strconv"
	"strings"
)

// warnPod warns about a new pod. Updates of pods have no warnings.
func warnPod(a *advice, object, old field) {
	if old.isSet() {
		return
	}
	a.podNames(object, old, "the Pod's hostname")
	a.podSpec(object, false)
}

// warnAppArmor warns about the deprecated annotations of a pod before they are copied to fields
// (pkg/registry/core/pod, applyAppArmorVersionSkew).
func warnAppArmor(a *advice, pod field) {
	annotations := pod.get("metadata.annotations")
	if annotations.members() == 0 || pod.get("spec.os.name").text() == "windows" {
		return
	}
	eachContainer(pod.get("spec"), func(container field) {
		a.appArmorAnnotation(annotations.key(appArmorAnnotation+container.get("name").text()), container, pod)
	})
}

func warnPodStatus(a *advice, object field) {
	for _, name := range [...]string{"podIPs", "hostIPs"} {
		list := object.get("status." + name)
		for i := range list.items() {
			a.address(list.item(i).get("ip"))
		}
	}
}

// template warns about the pod template of an object whose generation has changed.
func (a *advice) template(object, old field, path string) {
	if respecified(object, old) {
		a.podSpec(object.get(path), true)
	}
}

// podSpec warns about a pod or a pod template (pkg/api/pod, GetWarningsForPod and
// GetWarningsForPodTemplate).
func (a *advice) podSpec(pod field, isTemplate bool) {
	spec := pod.get("spec")
	a.nodeSelection(spec)
	a.spreading(spec.get("topologySpreadConstraints"))
	a.deprecatedAnnotations(pod.get("metadata.annotations"))
	a.volumes(spec.get("volumes"))
	a.duplicateNames(spec)
	for _, name := range [...]string{"memory", "ephemeral-storage"} {
		a.wholeBytes(spec.get("overhead").key(name))
	}
	a.podSeccomp(pod)
	eachContainer(spec, func(c field) { a.container(pod, c, isTemplate) })
	a.ports(spec)
	if period := spec.get("terminationGracePeriodSeconds"); period.number() < 0 {
		a.warn(period, "must be >= 0; negative values are invalid and will be treated as 1")
	}
	a.podAffinity(spec.get("affinity.podAffinity"))
	a.podAffinity(spec.get("affinity.podAntiAffinity"))
	servers, aliases := spec.get("dnsConfig.nameservers"), spec.get("hostAliases")
	for i := range servers.items() {
		a.address(servers.item(i))
	}
	for i := range aliases.items() {
		a.address(aliases.item(i).get("ip"))
	}
}

// eachContainer calls f for the containers of all lists of a pod spec.
func eachContainer(spec field, f func(container field)) {
	for _, name := range [...]string{initContainers, containers, ephemeralContainers} {
		list := spec.get(name)
		for i := range list.items() {
			f(list.item(i))
		}
	}
}

// nodeSelection warns about deprecated node labels, and about invalid values of preferred ones.
func (a *advice) nodeSelection(spec field) {
	selector := spec.get("nodeSelector")
	for i := range selector.members() {
		a.nodeLabel(selector.memberAt(i))
	}
	affinity := spec.get("affinity.nodeAffinity")
	if !affinity.isSet() {
		return
	}
	a.nodeSelectorTerms(affinity.get("requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"))
	preferred := affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
	for i := range preferred.items() {
		list := preferred.item(i).get("preference.matchExpressions")
		for j := range list.items() {
			a.preferredLabel(list.item(j))
		}
	}
}

// nodeSelectorTerms warns about deprecated node labels in the terms of a node selector.
func (a *advice) nodeSelectorTerms(terms field) {
	for i := range terms.items() {
		a.labelKeys(terms.item(i).get("matchExpressions"))
	}
}

func (a *advice) preferredLabel(requirement field) {
	a.labelKey(requirement.get("key"))
	values := requirement.get("values")
	for i := range values.items() {
		a.labelValue(values.item(i))
	}
}

func (a *advice) spreading(constraints field) {
	for i := range constraints.items() {
		a.labelKey(constraints.item(i).get("topologyKey"))
		a.selectsNothing(constraints.item(i).get("labelSelector"))
	}
}

// selectsNothing warns about an absent label selector.
func (a *advice) selectsNothing(selector field) {
	if !selector.isSet() {
		a.warn(selector, "a null labelSelector results in matching no pod")
	}
}

func (a *advice) podAffinity(affinity field) {
	if !affinity.isSet() {
		return
	}
	required := affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
	for i := range required.items() {
		a.selectsNothing(required.item(i).get("labelSelector"))
	}
	preferred := affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
	for i := range preferred.items() {
		a.selectsNothing(preferred.item(i).get("podAffinityTerm.labelSelector"))
	}
}

// deprecatedPodAnnotations are annotations of pods that have become fields.
var deprecatedPodAnnotations = [...][2]string{
	{"scheduler.alpha.kubernetes.io/critical-pod", `non-functional in v1.16+; use the "priorityClassName" field instead`},
	{"security.alpha.kubernetes.io/sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
	{"security.alpha.kubernetes.io/unsafe-sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
}

func (a *advice) deprecatedAnnotations(annotations field) {
	if annotations.members() == 0 {
		return
	}
	for _, deprecated := range deprecatedPodAnnotations {
		if annotation := annotations.key(deprecated[0]); annotation.Exists() {
			a.warn(annotation, deprecated[1])
		}
	}
}

// duplicateNames warns about repeated IP addresses of host aliases, and about repeated and
// empty names of pull secrets.
func (a *advice) duplicateNames(spec field) {
	var ips, secrets seenTexts
	aliases, pulls := spec.get("hostAliases"), spec.get("imagePullSecrets")
	for i := range aliases.items() {
		if ip := aliases.item(i).get("ip"); ips.add(ip.text()) {
			a.warn(ip, "duplicate ip "+strconv.Quote(ip.text()))
		}
	}
	for i := range pulls.items() {
		if name := pulls.item(i).get("name"); secrets.add(name.text()) {
			a.warn(name, "duplicate name "+strconv.Quote(name.text()))
		}
	}
	for i := range pulls.items() {
		if name := pulls.item(i).get("name"); name.text() == "" {
			a.warn(name, `invalid empty name ""`)
		}
	}
}

const useSeccompField = `non-functional in v1.27+; use the "seccompProfile" field instead`

func (a *advice) podSeccomp(pod field) {
	annotation := pod.get("metadata.annotations").key("seccomp.security.alpha.kubernetes.io/pod")
	if annotation.Exists() && !pod.get("spec.securityContext.seccompProfile").isSet() {
		a.warn(annotation, useSeccompField)
	}
}

// container warns about the profiles, resources and variables of one container.
func (a *advice) container(pod, container field, inTemplate bool) {
	if annotations := pod.get("metadata.annotations"); annotations.members() > 0 {
		name := container.get("name").text()
		seccomp := annotations.key("container.seccomp.security.alpha.kubernetes.io/" + name)
		if seccomp.Exists() && !container.get("securityContext.seccompProfile").isSet() {
			a.warn(seccomp, useSeccompField)
		}
		if inTemplate {
			a.appArmorAnnotation(annotations.key(appArmorAnnotation+name), container, pod)
		}
	}
	for _, name := range [...]string{"memory", "ephemeral-storage"} {
		a.wholeBytes(container.get("resources.limits").key(name))
		a.wholeBytes(container.get("resources.requests").key(name))
	}
	a.variables(container.get("env"))
}

// appArmorAnnotation warns about the deprecated annotation of a container without the field,
// unless it equals the profile of the pod.
func (a *advice) appArmorAnnotation(annotation, container, pod field) {
	if !annotation.Exists() || container.get("securityContext.appArmorProfile").isSet() {
		return
	}
	profile := pod.get("spec.securityContext.appArmorProfile")
	local, isLocal := strings.CutPrefix(annotation.text(), "localhost/")
	var same bool
	switch {
	case !profile.isSet():
	case annotation.text() == "unconfined":
		same = profile.get("type").text() == "Unconfined" && !profile.get("localhostProfile").isSet()
	case annotation.text() == "runtime/default":
		same = profile.get("type").text() == "RuntimeDefault" && !profile.get("localhostProfile").isSet()
	case isLocal && local != "" && strings.TrimSpace(local) == local: // others make no profile
		same = profile.get("type").text() == "Localhost" && profile.get("localhostProfile").text() == local
	}
	if !same {
		a.warn(annotation, `deprecated since v1.30; use the "appArmorProfile" field instead`)
	}
}

// variables warns about an environment variable that replaces a previous one instead of
// extending it.
func (a *advice) variables(env field) {
	if env.items() < 2 {
		return
	}
	var seen seenTexts
	for i := range env.items() {
		variable := env.item(i)
		name := variable.get("name").text()
		if !seen.add(name) {
			continue
		}
		value, previous := variable.get("value").text(), "$("+name+")"
		if variable.get("valueFrom").isSet() || value == previous || !strings.Contains(value, previous) {
			a.warn(variable, "hides previous definition of "+strconv.Quote(name)+", which may be dropped when using apply")
		}
	}
}

// ports warns about ports of containers that are the same, or the same but for their host port
// or host address, and about repeated names.
func (a *advice) ports(spec field) {
	var all []field
	eachContainer(spec, func(container field) {
		list := container.get("ports")
		for i := range list.items() {
			all = append(all, list.item(i))
		}
	})
	type key struct {
		port     int64
		protocol string
	}
	var seen map[key][]field
	if len(all) > 1 {
		seen = map[key][]field{}
	}
	for _, port := range all {
		if port.get("hostIP").text() != "" && port.get("hostPort").number() == 0 {
			a.warn(port, "hostIP set without hostPort: "+portText(port))
		}
		if seen == nil {
			return
		}
		k := key{port.get("containerPort").number(), port.get("protocol").text()}
		for _, other := range seen[k] {
			if a.full() {
				return
			}
			a.samePort(port, other)
		}
		seen[k] = append(seen[k], port)
	}
	a.portNames(all)
}

func (a *advice) samePort(port, other field) {
	n, m := port.get("hostPort").number(), other.get("hostPort").number()
	ip, otherIP := port.get("hostIP").text(), other.get("hostIP").text()
	switch {
	case n == m && ip == otherIP:
		a.warn(port, "duplicate port definition with "+other.pathText())
	case n == 0 || m == 0:
		a.warn(port, "overlapping port definition with "+other.pathText())
	case n == m && (ip == "") != (otherIP == ""):
		a.warn(port, "dangerously ambiguous port definition with "+other.pathText())
	}
}

// portText returns the text of a port in kube-apiserver's warnings: that of a Go struct.
func portText(port field) string {
	return fmt.Sprintf("{Name:%s HostPort:%d ContainerPort:%d Protocol:%s HostIP:%s}", port.get("name").text(),
		port.get("hostPort").number(), port.get("containerPort").number(), port.get("protocol").text(), port.get("hostIP").text())
}

func (a *advice) portNames(ports []field) {
	seen := map[string]field{}
	for _, port := range ports {
		name := port.get("name").text()
		if name == "" {
			continue
		}
		if other, ok := seen[name]; ok {
			first := other.pathText()
			a.warn(port, "duplicate port name "+strconv.Quote(name)+" with "+first+", services and probes that select ports by name will use "+first)
			continue
		}
		seen[name] = port
	}
}
