package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

func (p *podCheck) checkAffinity() {
	affinity := p.spec.get("affinity")
	node := affinity.get("nodeAffinity")
	if required := node.get("requiredDuringSchedulingIgnoredDuringExecution"); required.isSet() {
		terms := required.get("nodeSelectorTerms")
		if terms.items() == 0 {
			p.required(terms, "must have at least one node selector term")
		}
		for i := range terms.items() {
			p.nodeTerm(terms.item(i), true)
		}
	}
	preferred := node.get("preferredDuringSchedulingIgnoredDuringExecution")
	for i := range preferred.items() {
		term := preferred.item(i)
		p.weight(term.get("weight"))
		p.nodeTerm(term.get("preference"), false)
	}
	for _, name := range [...]string{"podAffinity", "podAntiAffinity"} {
		pods := affinity.get(name)
		required := pods.get("requiredDuringSchedulingIgnoredDuringExecution")
		for i := range required.items() {
			p.podTerm(required.item(i))
		}
		preferred := pods.get("preferredDuringSchedulingIgnoredDuringExecution")
		for i := range preferred.items() {
			p.weight(preferred.item(i).get("weight"))
			p.podTerm(preferred.item(i).get("podAffinityTerm"))
		}
	}
}

func (c *check) weight(f field) {
	if n := f.number(); n < 1 || n > 100 {
		c.invalid(f, "must be in the range 1-100")
	}
}

// nodeTerm validates a node selector term. Only in required terms, and from Kubernetes 1.33 on, are
// values checked that cannot be label values.
func (c *check) nodeTerm(term field, required bool) {
	if required && c.kind.Since("1.33") {
		validateNodeSelectorTerm(c, term)
		return
	}
	expressions, fields := term.get("matchExpressions"), term.get("matchFields")
	for i := range expressions.items() {
		requirement := expressions.item(i)
		mark := len(c.errs)
		validateNodeRequirement(c, requirement)
		c.dropLabelValues(mark, requirement)
	}
	for i := range fields.items() {
		validateNodeFieldRequirement(c, fields.item(i))
	}
}

// dropLabelValues removes errors for single values of a requirement.
func (c *check) dropLabelValues(mark int, requirement field) {
	prefix := requirement.pathText() + ".values["
	kept := c.errs[:mark]
	for _, e := range c.errs[mark:] {
		if !strings.HasPrefix(e.Field, prefix) {
			kept = append(kept, e)
		}
	}
	c.errs = kept
}

func (p *podCheck) podTerm(term field) {
	p.labelSelector(term.get("labelSelector"))
	p.labelSelector(term.get("namespaceSelector"))
	namespaces := term.get("namespaces")
	for i := range namespaces.items() {
		if name := namespaces.item(i).text(); names.DNSLabel(name) != "" {
			p.unmetText(term.getAs("namespaces", "namespace"), name, names.DNSLabel(name))
		}
	}
	p.labelKeys(term, term.get("matchLabelKeys"), term.get("mismatchLabelKeys"), term.get("labelSelector"))
	key := term.get("topologyKey")
	p.needWith(key, "can not be empty")
	p.syntax(key, names.QualifiedName)
}

// labelKeys validates matchLabelKeys and mismatchLabelKeys, whose values a selector takes from
// the pod's labels.
func (c *check) labelKeys(term, match, mismatch, selector field) {
	c.labelNames(match, selector)
	c.labelNames(mismatch, selector)
	if selector.isSet() {
		c.selectedTwice(term, match, selector)
	}
	for i, excluded := 0, textsOf(mismatch.Value); i < match.items(); i++ {
		if key := match.item(i); excluded.has(key.text()) {
			c.invalid(key, "exists in both matchLabelKeys and mismatchLabelKeys")
		}
	}
}

// labelNames requires names of labels, and a selector if there are any.
func (c *check) labelNames(list, selector field) {
	if list.items() > 0 && !selector.isSet() {
		c.forbidden(list, "must not be specified when labelSelector is not set")
		return
	}
	for i := range list.items() {
		c.syntax(list.item(i), names.QualifiedName)
	}
}

// spreadKeys validates the matchLabelKeys of a topology spread constraint. Before Kubernetes 1.34,
// kube-apiserver does not add them to the selector, which therefore may not contain them.
func (c *check) spreadKeys(constraint, match, selector field) {
	if c.kind.Since("1.34") {
		c.labelKeys(constraint, match, field{}, selector)
		return
	}
	c.labelNames(match, selector)
	for i := range match.items() {
		key := match.item(i)
		selected := selector.Value.Lookup("matchLabels", key.text()).Exists()
		for _, expression := range selector.Get("matchExpressions").Items() {
			selected = selected || expression.Get("key").StringOr("") == key.text()
		}
		if selected {
			c.invalid(key, keysTwice)
		}
	}
}

const keysTwice = "exists in both matchLabelKeys and labelSelector"

// selectedTwice forbids keys of matchLabelKeys that the selector contains in an expression
// other than the one that kube-apiserver itself has added. Errors are reported for the item of
// the term.
func (c *check) selectedTwice(term, match, selector field) {
	seen := seenTexts{}
	for key := range selector.Get("matchLabels").Members() {
		seen.add(key)
	}
	last := map[string]int{} // the last index of each key in match
	for i := range match.items() {
		last[match.item(i).text()] = i
	}
	for _, expression := range selector.Get("matchExpressions").Items() {
		key := expression.Get("key").StringOr("")
		if i, ok := last[key]; seen.add(key) && ok {
			c.invalidText(term.item(i), key, keysTwice)
		}
	}
}

func (p *podCheck) checkSpread() {
	list := p.spec.get("topologySpreadConstraints")
	last := map[[2]string]int{} // by key and action, of which a later constraint may not have the same
	for i, constraint := range list.Items() {
		last[[2]string{constraint.Get("topologyKey").StringOr(""), constraint.Get("whenUnsatisfiable").StringOr("")}] = i
	}
	for i := range list.items() {
		constraint := list.item(i)
		key, action, domains := constraint.get("topologyKey"), constraint.get("whenUnsatisfiable"), constraint.get("minDomains")
		if skew := constraint.get("maxSkew"); skew.number() <= 0 {
			p.invalid(skew, aboveZero)
		}
		p.needWith(key, "can not be empty")
		p.oneOf(action, "DoNotSchedule,ScheduleAnyway")
		if last[[2]string{key.text(), action.text()}] > i {
			p.addValue("FieldValueDuplicate", constraint.getAs("", "{topologyKey, whenUnsatisfiable}"), "{"+key.text()+", "+action.text()+"}", "")
		}
		if domains.isSet() {
			if domains.number() <= 0 {
				p.invalid(domains, aboveZero)
			}
			if action.text() != "DoNotSchedule" {
				p.invalid(domains, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "+action.text())
			}
		}
		p.oneOfIfSet(constraint.get("nodeAffinityPolicy"), "Honor,Ignore")
		p.oneOfIfSet(constraint.get("nodeTaintsPolicy"), "Honor,Ignore")
		p.spreadKeys(constraint, constraint.get("matchLabelKeys"), constraint.get("labelSelector"))
		p.labelSelector(constraint.get("labelSelector"))
	}
}

func (p *podCheck) checkDNS() {
	const mostServers, mostSearches, mostCharacters = 3, 32, 2048
	config := p.spec.get("dnsConfig")
	servers, searches, options := config.get("nameservers"), config.get("searches"), config.get("options")
	if p.spec.get("dnsPolicy").text() == "None" {
		if !config.isSet() {
			p.required(config, "must provide `dnsConfig` when `dnsPolicy` is None")
			return
		}
		if servers.items() == 0 {
			p.required(servers, "must provide at least one DNS nameserver when `dnsPolicy` is None")
			return
		}
	}
	if servers.items() > mostServers {
		p.invalid(servers, "must not have more than 3 nameservers")
	}
	for i := range servers.items() {
		p.address(servers.item(i))
	}
	if searches.items() > mostSearches {
		p.invalid(searches, "must not have more than 32 search paths")
	}
	length := searches.items() - 1
	for i := range searches.items() {
		search := searches.item(i)
		length += len(search.text())
		relaxed, path := p.kind.Since("1.33"), strings.TrimSuffix(search.text(), ".")
		if search.text() == "." && relaxed {
			continue
		}
		rule := names.DNSSubdomain
		if relaxed {
			rule = names.SearchPath
		}
		if why := rule(path); why != "" {
			p.unmetText(search, path, why)
		}
	}
	if length > mostCharacters {
		p.invalid(searches, "must not have more than 2048 characters (including spaces) in the search list")
	}
	for i := range options.items() {
		if option := options.item(i); option.get("name").isEmpty() {
			p.required(option, "must not be empty")
		}
	}
}
