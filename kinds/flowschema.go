package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// flowSchemaStrategy is the strategy of flowcontrol.apiserver.k8s.io/v1 FlowSchema.
var flowSchemaStrategy = Strategy{
	Group:         "flowcontrol.apiserver.k8s.io",
	Resource:      "flowschemas",
	Name:          subdomainName,
	metadataAgain: repeatsWhole,
	Generation:    []string{"spec"},
	Reset:         []string{"status"},
	ResetStatus:   []string{"metadata", "spec"},
}

const requestVerbs = "create,delete,deletecollection,get,list,patch,proxy,update,watch"

func validateFlowSchema(c *check, object, _ field) {
	const maxPrecedence = 10000
	spec, name := object.get("spec"), object.get("metadata.name")
	precedence, method, level, rules := spec.get("matchingPrecedence"), spec.get("distinguisherMethod"), spec.get("priorityLevelConfiguration.name"), spec.get("rules")
	switch n := precedence.number(); {
	case n <= 0:
		c.invalid(precedence, "must be a positive value")
	case n > maxPrecedence:
		c.invalid(precedence, "must not be greater than "+strconv.Itoa(maxPrecedence))
	case n == 1 && name.text() != "exempt":
		c.invalid(precedence, "only the schema named 'exempt' may have matchingPrecedence 1")
	}
	const methods = "ByNamespace,ByUser"
	if kind := method.get("type"); method.isSet() && !among(kind.text(), methods) {
		kind.Value = method.Value // which kube-apiserver shows
		c.notSupported(kind, methods)
	}
	if c.needWith(level, "must reference a priority level") {
		c.syntax(level, names.DNSSubdomain)
	}
	for i := range rules.items() {
		validateFlowRule(c, rules.item(i))
	}
	if fixed := mandatoryFlowSchema(name.text()); fixed.Exists() && !c.sameAs(spec, spec.Value, c.root(fixed)) {
		c.invalid(spec, "spec of '"+name.text()+"' must equal the fixed value")
	}
	c.typedConditions(object.get("status.conditions"))
}

// typedConditions requires each condition to have a type that is not empty and that no other
// condition has.
func (c *check) typedConditions(conditions field) {
	var seen seenTexts
	for i := range conditions.items() {
		condition := conditions.item(i)
		kind := condition.get("type")
		if seen.add(kind.text()) {
			c.duplicate(kind)
		}
		c.need(kind)
	}
}

func validateFlowSchemaStatus(c *check, object, _ field) {
	c.typedConditions(object.get("status.conditions"))
}

func validateFlowRule(c *check, rule field) {
	subjects, resources, others := rule.get("subjects"), rule.get("resourceRules"), rule.get("nonResourceRules")
	if subjects.items() == 0 {
		c.required(subjects, "subjects must contain at least one value")
	}
	for i := range subjects.items() {
		validateFlowSubject(c, subjects.item(i))
	}
	if resources.items() == 0 && others.items() == 0 {
		c.required(rule, "at least one of resourceRules and nonResourceRules has to be non-empty")
	}
	for i := range resources.items() {
		validateFlowResourceRule(c, resources.item(i))
	}
	for i := range others.items() {
		validateFlowURLRule(c, others.item(i))
	}
}

// validateFlowSubject requires the field of a subject that matches its kind, and forbids the
// others.
func validateFlowSubject(c *check, n field) {
	kind := n.get("kind")
	wanted := flowSubjectField(kind.text())
	if wanted == "" {
		c.notSupported(kind, "Group,ServiceAccount,User")
		return
	}
	for i, other := range [...]string{kind.text(), "ServiceAccount", "User", "Group"} {
		field := flowSubjectField(other)
		if i > 0 && field == wanted {
			continue
		}
		part := n.get(field)
		switch {
		case field != wanted && part.isSet():
			c.forbidden(part, field+" is forbidden when subject kind is not '"+other+"'")
		case field == wanted && !part.isSet():
			c.required(part, field+" is required when subject kind is '"+kind.text()+"'")
		case field == "serviceAccount" && field == wanted:
			name := part.get("name")
			if name.text() != "*" {
				c.needSyntax(name, names.DNSSubdomain)
			}
			if namespace := part.get("namespace"); c.needWith(namespace, "must specify namespace for service account") {
				c.syntax(namespace, names.DNSLabel)
			}
		case field == wanted:
			c.need(part.get("name"))
		}
	}
}

// flowSubjectField returns the field of a kind of subject, "" for an unknown kind.
func flowSubjectField(kind string) string {
	switch kind {
	case "ServiceAccount":
		return "serviceAccount"
	case "User":
		return "user"
	case "Group":
		return "group"
	}
	return ""
}

func validateFlowResourceRule(c *check, rule field) {
	c.verbs(rule.get("verbs"))
	c.wildcardAlone(rule.get("apiGroups"), "resource rules must supply at least one api group", "api groups")
	c.wildcardAlone(rule.get("resources"), "resource rules must supply at least one resource", "resources")
	namespaces, cluster := rule.get("namespaces"), rule.get("clusterScope")
	if namespaces.items() == 0 {
		if !cluster.isTrue() {
			c.required(namespaces, "resource rules that are not cluster scoped must supply at least one namespace")
		}
		return
	}
	if hasText(namespaces.Value, "*") {
		c.wildcardAlone(namespaces, "", "namespaces")
		return
	}
	for i := range namespaces.items() {
		item := namespaces.item(i)
		if why := names.DNSLabel(item.text()); why != "" {
			const start = "each member of this list must be '*' or a DNS-1123 label; "
			c.unmet(item, start+strings.ReplaceAll(why, "\n", "\n"+start))
		}
	}
}

// wildcardAlone requires at least one item, and that "*" is the only item if present; missing and
// others are parts of the messages.
func (c *check) wildcardAlone(list field, missing, others string) bool {
	switch {
	case list.items() == 0:
		c.required(list, missing)
	case list.items() > 1 && hasText(list.Value, "*"):
		c.invalid(list, "if '*' is present, must not specify other "+others)
	default:
		return true
	}
	return false
}

func (c *check) verbs(list field) {
	if !c.wildcardAlone(list, "verbs must contain at least one value", "verbs") || hasText(list.Value, "*") {
		return
	}
	for i := range list.items() {
		if verb := list.item(i); !among(verb.text(), requestVerbs) {
			c.notSupported(list, requestVerbs)
			return
		}
	}
}

func validateFlowURLRule(c *check, rule field) {
	c.verbs(rule.get("verbs"))
	urls := rule.get("nonResourceURLs")
	if !c.wildcardAlone(urls, "nonResourceURLs must contain at least one value", "non-resource URLs") || hasText(urls.Value, "*") {
		return
	}
	for i := range urls.items() {
		url := urls.item(i)
		if why := urlPattern(url.text()); why != "" {
			c.invalid(url, why)
		}
	}
}

// urlPattern requires an absolute path that may end with "/*".
func urlPattern(path string) string {
	stars := strings.Count(path, "*")
	switch {
	case path == "/":
		return ""
	case path == "":
		return "must not be empty"
	case path[0] != '/':
		return "must start with slash"
	case strings.Contains(path, " "):
		return "must not contain white-space"
	case strings.Contains(path, "//"):
		return "must not contain double slash"
	case stars > 1 || stars == 1 && !strings.HasSuffix(path, "/*"):
		return "wildcard can only do suffix matching"
	}
	return ""
}
