package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

func (p *podCheck) checkEnv(list field) {
	for i := range list.items() {
		variable := list.item(i)
		p.needSyntax(variable.get("name"), p.variableName())
		from := variable.get("valueFrom")
		if !from.isSet() {
			continue
		}
		sources := 0
		for _, kind := range [...]string{"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"} {
			if source := from.get(kind); source.isSet() {
				sources++
				p.valueSource(kind, source)
			}
		}
		switch {
		case sources == 0:
			p.invalidText(from, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`")
		case variable.get("value").text() != "":
			p.invalidText(from, "", "may not be specified when `value` is not empty")
		case sources > 1:
			p.invalidText(from, "", "may not have more than one field specified at a time")
		}
	}
}

// variableName returns the rule for names of environment variables, which is stricter until
// Kubernetes 1.31.
func (p *podCheck) variableName() func(string) string {
	if p.kind.Since("1.32") {
		return names.EnvironmentVariable
	}
	return names.FormerEnvironmentVariable
}

func (p *podCheck) valueSource(kind string, source field) {
	switch kind {
	case "fieldRef":
		p.fieldRef(source, variableFieldPaths)
	case "resourceFieldRef":
		p.resourceFieldRef(source, false)
	case "configMapKeyRef", "secretKeyRef":
		p.syntax(source.get("name"), names.DNSSubdomain)
		p.needSyntax(source.get("key"), names.ConfigMapKey)
	case "fileKeyRef":
		p.fileKeyRef(source)
	}
}

// fileKeyRef requires a reference to a variable in a file of one of the pod's emptyDir
// volumes.
func (p *podCheck) fileKeyRef(source field) {
	volume, path := source.get("volumeName"), source.get("path")
	p.needSyntax(source.get("key"), names.EnvironmentVariable)
	p.needSyntax(volume, names.DNSLabel)
	p.need(path)
	p.noBackSteps(path)
	var found field
	list := p.spec.get("volumes")
	for i := range list.items() {
		if v := list.item(i); v.get("name").text() == volume.text() {
			found = v
		}
	}
	switch {
	case !found.isSet():
		p.notFound(volume)
	case !found.get("emptyDir").isSet():
		p.invalid(volume, "referenced volume must be of type emptyDir")
	}
}

func (p *podCheck) checkEnvFrom(list field) {
	for i := range list.items() {
		from := list.item(i)
		p.syntaxIfSet(from.get("prefix"), p.variableName())
		sources := 0
		for _, kind := range [...]string{"configMapRef", "secretRef"} {
			if source := from.get(kind); source.isSet() {
				sources++
				if name := source.get("name"); p.need(name) {
					if why := subdomainName(name.text(), true); why != "" {
						p.unmet(name, why)
					}
				}
			}
		}
		switch { // without the index
		case sources == 0:
			p.invalidText(list, "", "must specify one of: `configMapRef` or `secretRef`")
		case sources > 1:
			p.invalidText(list, "", "may not have more than one field specified at a time")
		}
	}
}

// The fields of a pod that environment variables and downward API files can refer to.
const (
	variableFieldPaths = "metadata.name,metadata.namespace,metadata.uid,spec.nodeName,spec.serviceAccountName,status.hostIP,status.hostIPs,status.podIP,status.podIPs"
	volumeFieldPaths   = "metadata.annotations,metadata.labels,metadata.name,metadata.namespace,metadata.uid"
	podFieldPaths      = "metadata.annotations,metadata.labels,metadata.name,metadata.namespace,metadata.uid,spec.nodeName,spec.restartPolicy,spec.serviceAccountName," +
		"spec.schedulerName,status.phase,status.hostIP,status.hostIPs,status.podIP,status.podIPs,spec.host"
)

// fieldRef requires a reference to a field of the pod. supported are the valid paths; labels
// and annotations may also be selected by key.
func (c *check) fieldRef(ref field, supported string) {
	version, path := ref.get("apiVersion"), ref.get("fieldPath")
	if !c.need(version) || !c.need(path) {
		return
	}
	text := path.text()
	base, key, selected := strings.Cut(strings.TrimSuffix(text, "']"), "['")
	selected = selected && base != "" && strings.HasSuffix(text, "']")
	switch {
	case version.text() != "v1":
		c.invalid(path, "error converting fieldPath: unsupported pod version: "+version.text())
	case selected && base == "metadata.annotations":
		c.keyInRef(ref, strings.ToLower(key))
	case selected && base == "metadata.labels":
		c.keyInRef(ref, key)
	case selected:
		c.invalid(path, "error converting fieldPath: field label does not support subscript: "+text)
	case !among(text, podFieldPaths):
		c.invalid(path, "error converting fieldPath: field label not supported: "+text)
	case text == "spec.host": // which is converted to the path of today
		if !among("spec.nodeName", supported) {
			c.addValue(schema.ErrorNotSupported, path, "spec.nodeName", supportedValues(supported))
		}
	case !among(text, supported):
		c.notSupported(path, supported)
	}
}

func (c *check) keyInRef(ref field, key string) {
	if why := names.QualifiedName(key); why != "" {
		c.unmetText(ref, key, why)
	}
}

const containerResourcePaths = "limits.cpu,limits.ephemeral-storage,limits.memory,requests.cpu,requests.ephemeral-storage,requests.memory"

// resourceFieldRef requires a reference to a resource of a container. In a volume
// containerName is required.
func (c *check) resourceFieldRef(ref field, volume bool) {
	container, resource := ref.get("containerName"), ref.get("resource")
	name := resource.text()
	huge := strings.HasPrefix(name, "limits.hugepages-") || strings.HasPrefix(name, "requests.hugepages-")
	switch {
	case volume && container.text() == "":
		c.required(container, "")
	case !c.need(resource):
	case !huge:
		c.oneOf(resource, containerResourcePaths)
	}
	divisor := ref.get("divisor")
	text := amountOf(divisor.Value).String()
	switch {
	case amountSign(divisor.Value) == 0:
	case !huge && !among(name, containerResourcePaths):
	case name == "limits.cpu", name == "requests.cpu":
		if !among(text, "1,1m") {
			c.invalidText(divisor, name, "only divisor's values 1m and 1 are supported with the cpu resource")
		}
	default:
		if !among(text, "1,1k,1M,1G,1T,1P,1E,1Ki,1Mi,1Gi,1Ti,1Pi,1Ei") {
			_, of, _ := strings.Cut(name, ".")
			switch {
			case huge:
				of = "hugepages"
			case of == "ephemeral-storage":
				of = "local ephemeral storage"
			}
			c.invalidText(divisor, name, "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the "+of+" resource")
		}
	}
}
