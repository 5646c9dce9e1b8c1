package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// A podCheck validates a pod spec: of a pod, or of the template of a workload
// (k8s.io/kubernetes/pkg/apis/core/validation, ValidatePodSpec). Its rules are in the
// files pod_*.go, by subject.
type podCheck struct {
	*check
	spec field
	// metadata and annotations are those of the pod or the template.
	metadata, annotations field
	// isPod is true for a pod and false for a template, for which fewer fields are required.
	isPod bool
	// claims are the volumeClaimTemplates if the template is a StatefulSet's.
	claims field
	// inSet skips the fields that the StatefulSet controller sets itself: hostname and
	// subdomain.
	inSet   bool
	volumes []podVolume
	// claimNames are the names that knownClaims returns, once it has been called.
	claimNames *seenTexts
	// containers holds the containers of a kind by their names, once one of them is looked up.
	containers map[string]map[string]document.Value
}

// podName returns the name of a pod, "" for a template.
func (p *podCheck) podName() string {
	if !p.isPod {
		return ""
	}
	return p.metadata.get("name").text()
}

// podTemplate validates the pod template of a workload.
func (c *check) podTemplate(template field) {
	if template.unchanged() {
		return
	}
	p := c.templateCheck(template)
	p.checkTemplate(template)
}

func (c *check) templateCheck(template field) *podCheck {
	metadata := template.getAs("metadata", "")
	return &podCheck{check: c, spec: template.get("spec"), metadata: metadata, annotations: metadata.get("annotations"), claims: c.root(document.Value{})}
}

func (p *podCheck) checkTemplate(template field) {
	p.checkTemplateMetadata()
	p.checkSpec()
	p.checkProfileAnnotations()
	if list := template.get("spec.ephemeralContainers"); list.items() > 0 {
		p.forbidden(list, "ephemeral containers not allowed in pod template")
	}
}

// checkTemplateMetadata validates the metadata of a pod template.
func (p *podCheck) checkTemplateMetadata() {
	p.labels(p.metadata.get("labels"))
	p.check.annotations(p.annotations)
	p.checkAnnotations()
}

func (p *podCheck) checkSpec() {
	p.need(p.spec.get("terminationGracePeriodSeconds"))
	p.checkVolumes()
	p.checkPodClaims()
	p.checkContainers()
	p.checkInitContainers()
	p.checkEphemeralContainers()
	p.checkPodResources()
	p.checkHostNetwork()
	p.needOneOf(p.spec.get("restartPolicy"), "Always,OnFailure,Never")
	p.needOneOf(p.spec.get("dnsPolicy"), "ClusterFirstWithHostNet,ClusterFirst,Default,None")
	p.labels(p.spec.get("nodeSelector"))
	p.checkPodSecurity()
	p.checkAffinity()
	p.checkDNS()
	p.checkGates()
	p.checkSpread()
	p.checkHostProcess()
	p.checkHostUsers()
	p.checkHostName()
	p.checkNames()
	p.between(p.spec.get("activeDeadlineSeconds"), 1, maxInt32)
	p.tolerations(p.spec.get("tolerations"))
	p.checkHostAliases()
	if policy := p.spec.get("preemptionPolicy"); policy.isSet() {
		p.needOneOf(policy, "PreemptLowerPriority,Never")
	}
	p.checkOverhead()
	p.checkOS()
	if group := p.spec.get("schedulingGroup"); group.isSet() {
		if name := group.get("podGroupName"); !name.isSet() {
			p.invalidText(name, "", "must specify one of: `podGroupName`")
		} else {
			p.syntax(name, names.DNSSubdomain)
		}
	}
}

// checkNames validates references to objects by name, and the pod's hostname and subdomain.
func (p *podCheck) checkNames() {
	for _, name := range [...]string{"serviceAccountName", "nodeName", "priorityClassName"} {
		p.syntaxIfSet(p.spec.get(name), names.DNSSubdomain)
	}
	if class := p.spec.get("runtimeClassName"); class.isSet() {
		p.syntax(class, names.DNSSubdomain)
	}
	if p.inSet {
		return
	}
	p.syntaxIfSet(p.spec.get("hostname"), names.DNSLabel)
	p.syntaxIfSet(p.spec.get("subdomain"), names.DNSLabel)
}

// checkHostNetwork requires that host ports equal container ports. In a template they may be
// unset.
func (p *podCheck) checkHostNetwork() {
	if !p.spec.get("hostNetwork").isTrue() {
		return
	}
	list := p.spec.get(containers)
	for i := range list.items() {
		ports := list.item(i).get("ports")
		for j := range ports.items() {
			port := ports.item(j)
			host := port.get("hostPort")
			if n := host.number(); (p.isPod || n != 0) && n != port.get("containerPort").number() {
				p.invalid(host, "must match `containerPort` when `hostNetwork` is true")
			}
		}
	}
}

func (p *podCheck) checkGates() {
	readiness := p.spec.get("readinessGates")
	for i := range readiness.items() {
		p.syntax(readiness.item(i).get("conditionType"), names.QualifiedName)
	}
	gates := p.spec.get("schedulingGates")
	seen := seenTexts{}
	for i := range gates.items() {
		gate := gates.item(i)
		name := gate.get("name").text()
		if why := names.QualifiedName(name); why != "" {
			p.unmetText(gate, name, why)
		}
		if seen.add(name) {
			p.addValue("FieldValueDuplicate", gate, name, "")
		}
	}
}

func (p *podCheck) checkHostName() {
	const longest = 64
	name := p.spec.get("hostnameOverride")
	if !name.isSet() {
		return
	}
	if p.spec.get("setHostnameAsFQDN").isTrue() {
		p.forbidden(name, "may not be specified when setHostnameAsFQDN is true")
	}
	if p.spec.get("hostNetwork").isTrue() {
		p.forbidden(name, "may not be specified when hostNetwork is true")
	}
	p.maxBytes(name, longest)
	p.syntax(name, names.DNSSubdomain)
}

func (p *podCheck) checkHostAliases() {
	list := p.spec.get("hostAliases")
	for i := range list.items() {
		p.address(list.item(i).get("ip"))
		hosts := list.item(i).get("hostnames")
		for j := range hosts.items() {
			p.syntax(hosts.item(j), names.DNSSubdomain)
		}
	}
}

// checkOverhead validates overhead as limits of a container, with the paths that
// kube-apiserver reports.
func (p *podCheck) checkOverhead() {
	overhead := p.spec.get("overhead")
	if !overhead.isSet() {
		return
	}
	shown := overhead.getAs("", "limits")
	shown.Value = overhead.Value
	huge, computes := false, false
	for i := range shown.members() {
		amount, name := shown.memberAt(i)
		p.containerResource(amount, name)
		p.resourceAmount(amount, name)
		huge = huge || podresources.IsHugePages(name)
		computes = computes || name == "cpu" || name == "memory"
		if podresources.IsHugePages(name) && !isMultipleOfPage(name, amount.Value) {
			p.invalid(amount, notPages(name, amount))
		}
	}
	if huge && !computes {
		p.forbidden(overhead, "HugePages require cpu or memory")
	}
}

const (
	appArmorAnnotation         = "container.apparmor.security.beta.kubernetes.io/"
	seccompPodAnnotation       = "seccomp.security.alpha.kubernetes.io/pod"
	seccompContainerAnnotation = "container.seccomp.security.alpha.kubernetes.io/"
	tolerationsAnnotation      = "scheduler.alpha.kubernetes.io/tolerations"
	deletionCost               = "controller.kubernetes.io/pod-deletion-cost"
)

// checkAnnotations validates annotations that correspond to fields of the spec.
func (p *podCheck) checkAnnotations() {
	if p.annotations.members() == 0 {
		return
	}
	if mirror := p.annotations.key(names.MirrorPod); mirror.isSet() && p.spec.get("nodeName").isEmpty() {
		p.invalid(mirror, "must set spec.nodeName if mirror pod annotation is set")
	}
	p.tolerationsIn(p.annotations.key(tolerationsAnnotation))
	if cost := p.annotations.key(deletionCost); cost.isSet() && !isCost(cost.text()) {
		p.invalid(cost, "must be a 32bit integer")
	}
	for i := range p.annotations.members() {
		annotation, key := p.annotations.memberAt(i)
		if key == seccompPodAnnotation || strings.HasPrefix(key, seccompContainerAnnotation) {
			named, _ := p.annotations.fieldAt(i) // messages have these keys like names of fields
			p.seccompText(named)
		}
		if name, ok := strings.CutPrefix(key, appArmorAnnotation); ok {
			if !p.hasContainer(name) {
				p.invalidText(annotation, name, "container not found")
			}
			if text := annotation.text(); text != "" && text != "runtime/default" && text != "unconfined" && !strings.HasPrefix(text, "localhost/") {
				p.invalid(annotation, "invalid AppArmor profile name: "+strconv.Quote(annotation.text()))
			}
		}
	}
}

// isCost reports whether a text is a 32-bit integer that begins with neither a plus sign nor a
// leading zero. Zeros after a minus sign are permitted (validFirstDigit of pkg/apis/core/helper).
func isCost(text string) bool {
	_, err := strconv.ParseInt(text, 10, 32)
	return err == nil && text[0] != '+' && (text[0] != '0' || text == "0")
}

func (p *podCheck) tolerationsIn(annotation field) {
	if annotation.text() == "" {
		return
	}
	tolerations, ok := tolerationList.read(annotation.text())
	if !ok {
		p.invalidText(p.annotations, tolerationsAnnotation, jsonError(annotation.text(), &tolerationList, "must be a list of tolerations in JSON"))
		return
	}
	list := p.annotations.getAs("", tolerationsAnnotation)
	list.Value = tolerations
	p.tolerations(list)
}

func (p *podCheck) seccompText(annotation field) {
	text := annotation.text()
	if text == "runtime/default" || text == "docker/default" || text == "unconfined" {
		return
	}
	if path, ok := strings.CutPrefix(text, "localhost/"); ok {
		if strings.HasPrefix(path, "/") {
			p.invalidText(annotation, path, "must be a relative path")
		}
		for part := range strings.SplitSeq(path, "/") {
			if part == ".." {
				p.invalidText(annotation, path, "must not contain '..'")
				break
			}
		}
		return
	}
	p.invalid(annotation, "must be a valid seccomp profile")
}

// hasContainer reports whether the pod has a container with the name.
func (p *podCheck) hasContainer(name string) bool {
	found := false
	p.eachContainer(func(c field) { found = found || c.get("name").text() == name })
	return found
}

// checkProfileAnnotations requires that profiles in annotations equal those in fields.
func (p *podCheck) checkProfileAnnotations() {
	if !p.hasProfileAnnotation() {
		return
	}
	context := p.spec.get("securityContext")
	p.sameSeccomp(p.annotations.key(seccompPodAnnotation), context.get("seccompProfile"))
	p.eachContainer(func(c field) {
		own, name := c.get("securityContext"), c.get("name").text()
		p.sameSeccomp(p.annotations.key(seccompContainerAnnotation+name), own.get("seccompProfile"))
		profile := own.get("appArmorProfile")
		if !profile.isSet() { // the pod's profile applies to the container
			profile.Value = context.get("appArmorProfile").Value
		}
		if p.spec.get("os.name").text() != "windows" {
			p.sameProfile(p.annotations.key(appArmorAnnotation+name), profile, "apparmor", "runtime/default")
		}
	})
}

func (p *podCheck) hasProfileAnnotation() bool {
	for i := range p.annotations.members() {
		key := p.annotations.Key(i)
		if key == seccompPodAnnotation || strings.HasPrefix(key, seccompContainerAnnotation) || strings.HasPrefix(key, appArmorAnnotation) {
			return true
		}
	}
	return false
}

func (p *podCheck) sameSeccomp(annotation, profile field) {
	runtime := "runtime/default"
	if annotation.text() == "docker/default" {
		runtime = "docker/default"
	}
	p.sameProfile(annotation, profile, "seccomp", runtime)
}

func (c *check) sameProfile(annotation, profile field, what, runtime string) {
	if !annotation.isSet() || !profile.isSet() {
		return
	}
	// The profile may be the pod's, so its fields are read from the value.
	text, kind, local := annotation.text(), profile.Get("type").StringOr(""), profile.Get("localhostProfile").StringOr("")
	path, isLocal := strings.CutPrefix(text, "localhost/")
	switch {
	case kind == "Unconfined" && text != "unconfined", kind == "RuntimeDefault" && text != runtime, kind == "Localhost" && !isLocal:
		c.forbidden(profile.get("type"), what+" type in annotation and field must match")
	case kind == "Localhost" && path != local:
		c.forbidden(profile.get("localhostProfile"), what+" profile in annotation and field must match")
	}
}
