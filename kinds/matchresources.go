package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules of admissionregistration.k8s.io for the selection of requests, which webhooks,
// policies and bindings share.

const operations = "*,CONNECT,CREATE,DELETE,UPDATE"

// ruleWithOperations validates the operations and resources of a rule.
func (c *check) ruleWithOperations(rule field) {
	ops := rule.get("operations")
	c.need(ops)
	c.alone(ops, "operations")
	for i := range ops.items() {
		c.oneOf(ops.item(i), operations)
	}
	c.need(rule.get("apiGroups"))
	c.alone(rule.get("apiGroups"), "API groups")
	versions := rule.get("apiVersions")
	c.need(versions)
	c.alone(versions, "API versions")
	for i := range versions.items() {
		c.need(versions.item(i))
	}
	c.ruleResources(rule.get("resources"))
	c.oneOfIfSet(rule.get("scope"), "*,Cluster,Namespaced")
}

// alone requires that '*' is the only item of a list that contains it.
func (c *check) alone(list field, what string) {
	if list.items() > 1 && hasItem(list, "*") {
		c.invalid(list, "if '*' is present, must not specify other "+what)
	}
}

func hasItem(list field, text string) bool {
	for i := range list.items() {
		if list.item(i).text() == text {
			return true
		}
	}
	return false
}

// ruleResources validates resources and subresources ("pods/log"), either of which may be '*'.
// Resources that a wildcard covers must not be listed in addition.
func (c *check) ruleResources(list field) {
	c.need(list)
	var resources, subresources seenTexts // combined with a wildcard
	plain := false                        // the last one without "/" is not '*'
	for i := range list.items() {
		item := list.item(i)
		text := item.text()
		if text == "" {
			c.required(item, "")
			continue
		}
		resource, sub, slash := strings.Cut(text, "/")
		if !slash {
			plain = text != "*"
			continue
		}
		if resources.has(resource) {
			c.invalid(item, "if '"+resource+"/*' is present, must not specify "+text)
		}
		if subresources.has(sub) {
			c.invalid(item, "if '*/"+sub+"' is present, must not specify "+text)
		}
		if sub == "*" {
			resources.add(resource)
		}
		if resource == "*" {
			subresources.add(sub)
		}
	}
	if list.items() > 1 && hasItem(list, "*/*") {
		c.invalid(list, "if '*/*' is present, must not specify other resources")
	}
	if plain && hasItem(list, "*") {
		c.invalid(list, "if '*' is present, must not specify other resources without subresources")
	}
}

// matchResources validates the match constraints of a policy or binding; absent ones are
// valid.
func (c *check) matchResources(match field) {
	if !match.isSet() {
		return
	}
	c.chosen(match.get("matchPolicy"), "Equivalent,Exact")
	for _, name := range [...]string{"namespaceSelector", "objectSelector"} {
		if selector := match.get(name); selector.isSet() {
			c.labelSelector(selector)
		} else {
			c.required(selector, "")
		}
	}
	for _, name := range [...]string{"resourceRules", "excludeResourceRules"} {
		rules := match.get(name)
		for i := range rules.items() {
			c.namedRule(rules.item(i))
		}
	}
}

func (c *check) namedRule(rule field) {
	list, seen := rule.get("resourceNames"), seenTexts{}
	for i := range list.items() {
		name := list.item(i)
		c.syntax(name, names.PathSegment)
		if seen.add(name.text()) {
			c.duplicate(name)
		}
	}
	c.ruleWithOperations(rule)
}

// mutableOperations forbids operations that have no object to mutate.
func (c *check) mutableOperations(match field) {
	rules := match.get("resourceRules")
	for i := range rules.items() {
		ops := rules.item(i).get("operations")
		for j := range ops.items() {
			op := ops.item(j).text()
			if supported := "*,CONNECT,CREATE,UPDATE"; !among(op, supported) {
				// The path in the message has no indexes for the rule and the operation.
				c.addValue(schema.ErrorNotSupported, match.get("resourceRules.operations"), op, supportedValues(supported))
			}
		}
	}
}

// matchConditions validates match conditions without compiling their expressions.
func (c *check) matchConditions(list field) {
	c.maxItems(list, 64)
	seen := seenTexts{}
	for i := range list.items() {
		condition := list.item(i)
		c.needText(condition.get("expression"), "")
		name := condition.get("name")
		if !c.need(name) {
			continue
		}
		c.syntax(name, names.QualifiedName)
		if seen.add(name.text()) {
			c.duplicate(name)
		}
	}
}

// needText requires a string that does not consist of white space only.
func (c *check) needText(f field, detail string) bool {
	if strings.TrimSpace(f.text()) == "" {
		c.required(f, detail)
		return false
	}
	return true
}
