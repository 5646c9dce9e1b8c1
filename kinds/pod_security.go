package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

const maxInt32 = 1<<31 - 1

// userOrGroup requires the id of a user or a group.
func (c *check) userOrGroup(id field) { c.between(id, 0, maxInt32) }

// checkPodSecurity validates the pod's securityContext.
func (p *podCheck) checkPodSecurity() {
	s := p.spec.get("securityContext")
	for _, name := range [...]string{"fsGroup", "runAsUser", "runAsGroup"} {
		p.userOrGroup(s.get(name))
	}
	groups := s.get("supplementalGroups")
	for i := range groups.items() {
		p.userOrGroup(groups.item(i))
	}
	if share := p.spec.get("shareProcessNamespace"); share.isTrue() && p.spec.get("hostPID").isTrue() {
		if !p.kind.Since("1.37") {
			share = s.get("shareProcessNamespace")
		}
		p.invalidValue(share, document.NewBool(true), "ShareProcessNamespace and HostPID cannot both be enabled")
	}
	p.checkSysctls(s.get("sysctls"))
	p.oneOfIfSet(s.get("fsGroupChangePolicy"), "Always,OnRootMismatch")
	p.seccomp(s.get("seccompProfile"))
	p.windowsOptions(s.get("windowsOptions"))
	p.appArmor(s.get("appArmorProfile"))
	p.oneOfIfSet(s.get("supplementalGroupsPolicy"), "Merge,Strict")
	p.checkSELinuxChangePolicy(s.get("seLinuxChangePolicy"))
}

// checkSELinuxChangePolicy permits MountOption if the feature SELinuxMount is enabled, which it is
// from Kubernetes 1.37 on, or if the old object has any policy, so that it remains updatable
// (k8s.io/kubernetes/pkg/api/pod, useOnlyRecursiveSELinuxChangePolicy).
func (p *podCheck) checkSELinuxChangePolicy(policy field) {
	policies := "Recursive"
	if p.kind.Since("1.37") || policy.in(p.old).Exists() {
		policies = "MountOption,Recursive"
	}
	p.oneOfIfSet(policy, policies)
}

// checkSecurityContext validates a container's securityContext. Whether privileged containers
// are allowed is configured in kube-apiserver.
func (p *podCheck) checkSecurityContext(s field) {
	if !s.isSet() {
		return
	}
	p.userOrGroup(s.get("runAsUser"))
	p.userOrGroup(s.get("runAsGroup"))
	if mount := s.get("procMount"); mount.isSet() {
		p.oneOf(mount, "Default,Unmasked")
		if users := p.spec.get("hostUsers"); mount.text() == "Unmasked" && (!users.isSet() || users.isTrue()) {
			p.invalid(mount, "`hostUsers` must be false to use `Unmasked`")
		}
	}
	p.seccomp(s.get("seccompProfile"))
	if escalation := s.get("allowPrivilegeEscalation"); escalation.isSet() && !escalation.isTrue() {
		if s.get("privileged").isTrue() {
			p.invalid(s, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
		}
		for _, capability := range s.get("capabilities.add").Items() {
			if capability.StringOr("") == "CAP_SYS_ADMIN" {
				p.invalid(s, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN")
			}
		}
	}
	p.windowsOptions(s.get("windowsOptions"))
	p.appArmor(s.get("appArmorProfile"))
}

func (c *check) seccomp(profile field) {
	if !profile.isSet() {
		return
	}
	kind, local := profile.get("type"), profile.get("localhostProfile")
	if c.needWith(kind, "type is required when seccompProfile is set") {
		c.oneOf(kind, "Localhost,RuntimeDefault,Unconfined")
	}
	switch {
	case kind.text() != "Localhost" && local.isSet():
		c.invalidValue(local, profile.Value, "can only be set when seccomp type is Localhost")
	case kind.text() != "Localhost":
	case !local.isSet():
		c.required(local, "must be set when seccomp type is Localhost")
	default:
		c.relativePath(local)
	}
}

func (c *check) appArmor(profile field) {
	if !profile.isSet() {
		return
	}
	const longest = 4095 // PATH_MAX without the terminating zero
	kind, local := profile.get("type"), profile.get("localhostProfile")
	switch kind.text() {
	case "Localhost":
		switch text := local.text(); {
		case text == "":
			c.required(local, "must be set when AppArmor type is Localhost")
		case strings.TrimSpace(text) != text:
			c.invalid(local, "must not be padded with whitespace")
		}
		c.maxBytes(local, longest)
	case "RuntimeDefault", "Unconfined":
		if local.isSet() {
			c.invalid(local, "can only be set when AppArmor type is Localhost")
		}
	case "":
		c.required(kind, "type is required when appArmorProfile is set")
	default:
		c.notSupported(kind, "Localhost,RuntimeDefault,Unconfined")
	}
}

func (p *podCheck) checkSysctls(list field) {
	seen := seenTexts{}
	for i := range list.items() {
		name := list.item(i).get("name")
		text := name.text()
		switch {
		case !p.need(name):
		case !isSysctl(text):
			p.invalid(name, "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$")
		case seen.has(text):
			p.duplicate(name)
		}
		seen.add(text)
		switch space := sysctlSpace(text); {
		case space == "net" && p.spec.get("hostNetwork").isTrue():
			p.invalid(name, "may not be specified when 'hostNetwork' is true")
		case space == "ipc" && p.spec.get("hostIPC").isTrue():
			p.invalid(name, "may not be specified when 'hostIPC' is true")
		}
	}
}

func isSysctl(name string) bool {
	if len(name) > names.MaxSubdomain {
		return false
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(name, "/", "."), ".") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" ||
			strings.ContainsAny(part[:1]+part[len(part)-1:], "-_") {
			return false
		}
	}
	return true
}

// sysctlSpace returns the namespace of a sysctl: "net", "ipc" or "".
func sysctlSpace(name string) string {
	if i := strings.IndexAny(name, "./"); i >= 0 && name[i] == '/' { // slashes and dots are exchanged
		name = strings.Map(func(r rune) rune {
			switch r {
			case '/':
				return '.'
			case '.':
				return '/'
			}
			return r
		}, name)
	}
	switch {
	case strings.HasPrefix(name, "net."):
		return "net"
	case strings.HasPrefix(name, "kernel.shm"), strings.HasPrefix(name, "kernel.msg"), strings.HasPrefix(name, "fs.mqueue."), name == "kernel.sem":
		return "ipc"
	}
	return ""
}

// windowsOptions validates windowsOptions of a security context.
func (c *check) windowsOptions(o field) {
	if !o.isSet() {
		return
	}
	if name := o.get("gmsaCredentialSpecName"); name.isSet() {
		c.syntax(name, names.DNSSubdomain)
	}
	const longest = 64 << 10
	switch spec := o.get("gmsaCredentialSpec"); {
	case spec.isSet() && spec.text() == "":
		c.invalid(spec, "gmsaCredentialSpec cannot be an empty string")
	case len(spec.text()) > longest:
		c.invalid(spec, "gmsaCredentialSpec size must be under 64 KiB")
	}
	if user := o.get("runAsUserName"); user.isSet() {
		c.windowsUser(user)
	}
}

// windowsUser requires DOMAIN\USER or USER.
func (c *check) windowsUser(name field) {
	const longestDomain, longestUser = 256, 104
	text := name.text()
	domain, user, found := strings.Cut(text, `\`)
	switch {
	case text == "":
		c.invalid(name, "runAsUserName cannot be an empty string")
		return
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		c.invalid(name, "runAsUserName cannot contain control characters")
		return
	case strings.Contains(user, `\`):
		c.invalid(name, "runAsUserName cannot contain more than one backslash")
		return
	case !found:
		domain, user = "", text
	}
	if len(domain) >= longestDomain {
		c.invalid(name, "runAsUserName's Domain length must be under "+strconv.Itoa(longestDomain)+" characters")
	}
	if found && !isNetBIOS(domain) && !isWindowsDomain(domain) {
		c.invalid(name, "runAsUserName's Domain doesn't match the NetBios nor the DNS format")
	}
	switch {
	case user == "":
		c.invalid(name, "runAsUserName's User cannot be empty")
	case len(user) > longestUser:
		c.invalid(name, "runAsUserName's User length must not be longer than "+strconv.Itoa(longestUser)+" characters")
	}
	if user != "" && strings.Trim(user, ". ") == "" {
		c.invalid(name, "runAsUserName's User cannot contain only periods or spaces")
	}
	if strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`) {
		c.invalid(name, `runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]`)
	}
}

func isNetBIOS(s string) bool {
	n := len([]rune(s))
	return n >= 1 && n <= 15 && s[0] != '.' && !strings.ContainsAny(s, "\\/:*?\"<>|")
}

func isWindowsDomain(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if names.DNSLabel(strings.ToLower(label)) != "" {
			return false
		}
	}
	return true
}

// checkHostProcess requires that all containers or none are HostProcess containers (Windows),
// and that a pod with such containers uses the host's network.
func (p *podCheck) checkHostProcess() {
	pod := p.spec.get("securityContext.windowsOptions.hostProcess")
	count, host := 0, 0
	p.eachContainer(func(c field) {
		count++
		own := c.get("securityContext.windowsOptions.hostProcess")
		if pod.isSet() && own.isSet() && pod.isTrue() != own.isTrue() {
			p.invalid(own, "pod hostProcess value must be identical if both are specified, was "+strconv.FormatBool(pod.isTrue()))
		}
		if own.isTrue() || !own.isSet() && pod.isTrue() {
			host++
		}
	})
	if host == 0 {
		return
	}
	if host != count {
		p.invalidText(p.spec, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers")
	}
	if network := p.spec.get("hostNetwork"); !network.isTrue() {
		p.invalidValue(network, document.NewBool(false), "hostNetwork must be true if pod contains any hostProcess containers")
	}
}

// checkOS forbids fields that the pod's operating system does not support.
func (p *podCheck) checkOS() {
	os := p.spec.get("os")
	if !os.isSet() {
		return
	}
	switch name := os.get("name"); name.text() {
	case "":
		p.required(name, "")
	case "linux":
		p.forbidSecurity("windows options cannot be set for a linux pod", "securityContext.windowsOptions", "windowsOptions")
	case "windows":
		p.forbidSecurity("cannot be set for a windows pod", "securityContext.appArmorProfile,securityContext.seLinuxOptions,hostUsers,hostPID,hostIPC,"+
			"securityContext.seccompProfile,securityContext.fsGroup,securityContext.fsGroupChangePolicy,securityContext.sysctls,shareProcessNamespace,"+
			"securityContext.runAsUser,securityContext.runAsGroup,securityContext.supplementalGroups,securityContext.supplementalGroupsPolicy,securityContext.seLinuxChangePolicy",
			"appArmorProfile,seLinuxOptions,seccompProfile,capabilities,readOnlyRootFilesystem,privileged,allowPrivilegeEscalation,procMount,runAsUser,runAsGroup")
	default:
		p.addValue("FieldValueNotSupported", os, name.text(), supportedValues("linux,windows"))
	}
}

// forbidSecurity forbids fields of the pod, and fields of the security contexts of its containers, in the
// order of the lists. The flags hostPID and hostIPC may be false.
func (p *podCheck) forbidSecurity(why, pod, container string) {
	forbid := func(in field, list string) {
		for name := range strings.SplitSeq(list, ",") {
			part := in.get(name)
			found := part.isWritten()
			switch name {
			case "hostPID", "hostIPC":
				found = part.isTrue()
			case "securityContext.sysctls":
				found = part.items() > 0
			}
			if found {
				p.forbidden(part, why)
			}
		}
	}
	forbid(p.spec, pod)
	p.eachContainer(func(c field) { forbid(c.get("securityContext"), container) })
}

// checkHostUsers forbids host namespaces, and from Kubernetes 1.34 on block devices, for a pod with
// hostUsers=false.
func (p *podCheck) checkHostUsers() {
	users := p.spec.get("hostUsers")
	if !users.isSet() || users.isTrue() {
		return
	}
	const why = "when `hostUsers` is false"
	for _, names := range [...][2]string{{"hostNetwork", "hostNetwork"}, {"hostPID", "HostPID"}, {"hostIPC", "HostIPC"}} {
		if part := p.spec.getAs(names[0], names[1]); part.isTrue() {
			p.forbidden(part, why)
		}
	}
	p.eachContainer(func(c field) {
		if devices := c.get("volumeDevices"); devices.items() > 0 && p.kind.Since("1.34") {
			p.forbidden(devices, why)
		}
	})
}
