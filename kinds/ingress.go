package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// ingressStrategy is the strategy of networking.k8s.io/v1 Ingress.
var ingressStrategy = Strategy{
	Group:         "networking.k8s.io",
	Resource:      "ingresses",
	Storage:       "ingress",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	Generation:    []string{"spec"},
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}

func validateIngress(c *check, object, old field) {
	spec, was := object.get("spec"), old.get("spec")
	rules, backend, tls, class := spec.get("rules"), spec.get("defaultBackend"), spec.get("tls"), spec.get("ingressClassName")
	if rules.items() == 0 && !backend.isSet() {
		c.invalidValue(spec, c.absent(rules.path()), "either `defaultBackend` or `rules` must be specified")
	}
	label := names.DNSLabel
	if !c.kind.Since("1.36") {
		label = names.DNSLabel1035
	}
	if backend.isSet() {
		validateIngressBackend(c, backend, label)
	}
	lenient := old.isSet() && hasInvalidWildcardRule(c.kind, was)
	for i := range rules.items() {
		validateIngressRule(c, rules.item(i), label, lenient)
	}
	lenient = hasInvalidSecretName(was.Value)
	for i := range tls.items() {
		validateIngressTLS(c, tls.item(i), lenient)
	}
	if class.isSet() {
		c.syntax(class, names.DNSSubdomain)
	}
	annotations := object.getAs("metadata.annotations", "annotations")
	annotation := annotations.getAs("kubernetes\u002eio/ingress\u002eclass", "kubernetes.io/ingress.class")
	annotation.Value = annotations.Value.Get("kubernetes.io/ingress.class")
	if !old.isSet() && annotation.isSet() && class.isSet() && annotation.text() != class.text() {
		c.invalidText(annotation, annotation.text(), "must match `ingressClassName` when both are specified")
	}
}

// hasInvalidWildcardRule reports whether the stored object has a rule with a wildcard host
// whose paths are invalid by current rules; it may keep them. The names of Services that only
// Kubernetes 1.36 permits, such as 1st, count as invalid here.
func hasInvalidWildcardRule(kind *schema.Kind, spec field) bool {
	rules := spec.get("rules")
	for i := range rules.items() {
		rule := rules.item(i)
		host := rule.get("host")
		if strings.Contains(host.text(), "*") {
			trial := check{kind: kind, object: rule.Value}
			validateIngressPaths(&trial, rule.get("http"), names.DNSLabel1035)
			if trial.failed(0) {
				return true
			}
		}
	}
	return false
}

func hasInvalidSecretName(spec document.Value) bool {
	for _, tls := range spec.Get("tls").Items() {
		if name := tls.Get("secretName").StringOr(""); name != "" && names.DNSSubdomain(name) != "" {
			return true
		}
	}
	return false
}

func validateIngressTLS(c *check, n field, anySecretName bool) {
	hosts := n.get("hosts")
	for i := range hosts.items() {
		c.hostName(hosts.item(i))
	}
	if !anySecretName {
		c.syntaxIfSet(n.get("secretName"), names.DNSSubdomain)
	}
}

func validateIngressRule(c *check, n field, label func(string) string, lenient bool) {
	host := n.get("host")
	if !host.isEmpty() {
		if _, ok := parseAddress(host.text(), true); ok {
			c.invalid(host, "must be a DNS name, not an IP address")
		}
		c.hostName(host)
	}
	if !lenient || !strings.Contains(host.text(), "*") {
		validateIngressPaths(c, n.get("http"), label)
	}
}

// validateIngressPaths validates paths; label is the rule for the names of their Services.
func validateIngressPaths(c *check, http field, label func(string) string) {
	if !http.isSet() {
		return
	}
	paths := http.get("paths")
	if paths.items() == 0 {
		c.required(paths, "")
	}
	for i := range paths.items() {
		validateIngressPath(c, paths.item(i), label)
	}
}

func validateIngressPath(c *check, n field, label func(string) string) {
	kind, path := n.get("pathType"), n.get("path")
	if !kind.isSet() {
		c.required(kind, "pathType must be specified")
		return
	}
	text := path.text()
	switch kind.text() {
	case "Exact", "Prefix":
		if !strings.HasPrefix(text, "/") {
			c.invalid(path, "must be an absolute path")
		}
		for _, sequence := range [...]string{"//", "/./", "/../", "%2f", "%2F"} {
			if strings.Contains(text, sequence) {
				c.invalid(path, "must not contain '"+sequence+"'")
			}
		}
		for _, suffix := range [...]string{"/..", "/."} {
			if strings.HasSuffix(text, suffix) {
				c.invalid(path, "cannot end with '"+suffix+"'")
			}
		}
	case "ImplementationSpecific":
		if text != "" && text[0] != '/' {
			c.invalid(path, "must be an absolute path")
		}
	default:
		c.notSupported(kind, "Exact,ImplementationSpecific,Prefix")
	}
	validateIngressBackend(c, n.get("backend"), label)
}

func validateIngressBackend(c *check, n field, label func(string) string) {
	resource, service := n.get("resource"), n.get("service")
	switch {
	case resource.isSet() && service.isSet():
		c.invalidText(n, "", "cannot set both resource and service backends")
	case resource.isSet():
		validateTypedReference(c, resource)
	case service.isSet():
		validateServiceBackend(c, n, service, label)
	default:
		c.invalidText(n, "", "resource or service backend is required")
	}
}

func validateServiceBackend(c *check, backend, service field, label func(string) string) {
	name, number := service.get("port.name"), service.get("port.number")
	c.needSyntax(service.get("name"), label)
	switch hasNumber := number.number() != 0; {
	case !name.isEmpty() && hasNumber:
		c.invalidText(backend, "", "cannot set both port name & port number")
	case !name.isEmpty():
		c.syntax(name, names.PortName)
	case hasNumber:
		c.port(number)
	default:
		c.required(backend, "port name or number is required")
	}
}

// validateTypedReference validates a reference to an object of any kind.
func validateTypedReference(c *check, n field) {
	if group := n.get("apiGroup"); group.isSet() {
		c.syntax(group, names.DNSSubdomain)
	}
	c.needSyntax(n.get("kind"), names.PathSegment)
	c.needSyntax(n.get("name"), names.PathSegment)
}

func validateIngressStatus(c *check, object, old field) {
	validateLoadBalancerAddresses(c, object.get("status.loadBalancer.ingress"), old.get("status.loadBalancer.ingress"))
}

// validateLoadBalancerAddresses validates the IPs and host names of a load balancer. Unchanged
// IPs are not validated.
func validateLoadBalancerAddresses(c *check, list, old field) {
	stored := fieldTexts(old.Value, "ip")
	for i := range list.items() {
		n := list.item(i)
		address, host := n.get("ip"), n.get("hostname")
		if !address.isEmpty() && !stored.has(address.text()) {
			c.address(address)
		}
		if !host.isEmpty() {
			c.syntax(host, names.DNSSubdomain)
			if _, ok := parseAddress(host.text(), true); ok {
				c.invalid(host, "must be a DNS name, not an IP address")
			}
		}
	}
}

// warnIngress warns about the annotation of the class of a new Ingress.
func warnIngress(a *advice, object, old field) {
	const class = "kubernetes.io/ingress.class"
	if !old.isSet() && object.get("metadata.annotations").key(class).Exists() && !object.get("spec.ingressClassName").isSet() {
		a.say(`annotation "` + class + `" is deprecated, please use 'spec.ingressClassName' instead`)
	}
}
