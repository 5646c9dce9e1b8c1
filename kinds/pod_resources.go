package kinds

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// resources validates the requests and limits of a container or, with pod, of a whole pod.
func (c *check) resources(r field, pod bool) {
	c.resourceLists(r, r.get("limits"), r.get("requests"), pod)
}

// resourceLists validates limits and requests, which may be absent; r is the field that has
// them.
func (c *check) resourceLists(r, limits, requests field, pod bool) {
	computes, huge := false, false
	for which, list := range [...]field{limits, requests} {
		for i := range list.members() {
			amount, name := list.memberAt(i)
			if pod {
				c.podResource(amount, name)
			} else {
				c.containerResource(amount, name)
			}
			c.resourceAmount(amount, name)
			if which == 1 {
				c.requestWithinLimit(limits, requests, i)
			}
			if podresources.IsHugePages(name) {
				huge = true
				if !isMultipleOfPage(name, amount.Value) {
					c.invalid(amount, notPages(name, amount))
				}
			}
			computes = computes || name == "cpu" || name == "memory"
		}
	}
	if huge && !computes {
		c.forbidden(r, "HugePages require cpu or memory")
	}
}

// requestWithinLimit requires that a request does not exceed the limit, and equals it for
// resources that cannot be overcommitted.
func (c *check) requestWithinLimit(limits, requests field, i int) {
	name := requests.Key(i)
	request, limit := amountOf(requests.At(i)), limits.Get(name)
	exclusive := !podresources.IsNative(name) || podresources.IsHugePages(name)
	switch order := request.Cmp(amountOf(limit)); {
	case !limit.Exists():
		if exclusive {
			c.required(limits, "Limit must be set for non overcommitable resources")
		}
	case exclusive && order != 0:
		c.invalidText(requests, request.String(), "must be equal to "+name+" limit of "+limit.StringOr(""))
	case order > 0:
		c.invalidText(requests, request.String(), "must be less than or equal to "+name+" limit of "+limit.StringOr(""))
	}
}

// podResource requires a resource that can be set for a whole pod.
func (c *check) podResource(amount field, name string) {
	if c.resourceName(amount, name) && !podresources.IsPodLevel(name) {
		c.addValue("FieldValueNotSupported", amount, name, supportedValues("cpu,hugepages-,memory"))
	}
}

// isMultipleOfPage reports whether an amount of huge pages is a multiple of the page size,
// which is the suffix of the resource name. Great amounts lose their upper bits, as in
// kube-apiserver.
func isMultipleOfPage(name string, amount document.Value) bool {
	page, err := quantity.Parse(strings.TrimPrefix(name, "hugepages-"))
	size := page.Wrapped(0)
	if err != nil || size <= 0 || page.Wrapped(-3)%1000 != 0 {
		return false
	}
	return amountOf(amount).Wrapped(0)%size == 0
}

// notPages returns the detail of the error for an amount that isMultipleOfPage refuses.
func notPages(name string, amount field) string {
	return amount.amount() + " is not positive integer multiple of " + name
}

// resourceClaims requires that a container's claims are claims of the pod, without duplicates:
// a whole claim, or requests within it.
func (p *podCheck) resourceClaims(list field) {
	known := p.spec.get("resourceClaims")
	var earlier claimed
	detail := ""
	for i := range list.items() {
		claim := list.item(i)
		name, request := claim.get("name").text(), claim.get("request")
		if name == "" {
			p.required(claim, "")
			continue
		}
		if request.text() != "" {
			p.syntax(request, names.DNSLabel)
		}
		text, times := earlier.add(name, request.text())
		for range times {
			p.addValue(schema.ErrorDuplicate, claim, text, "")
		}
		if !p.knownClaims().has(name) {
			if detail == "" {
				detail = unknownClaim(known)
			}
			p.addValue(schema.ErrorNotFound, claim, name, detail)
		}
	}
}

// knownClaims returns the names in spec.resourceClaims.
func (p *podCheck) knownClaims() *seenTexts {
	if p.claimNames == nil {
		p.claimNames = fieldTexts(p.spec.Get("resourceClaims"), "name")
	}
	return p.claimNames
}

// claimed holds a container's claims.
type claimed struct {
	seen     seenTexts      // claims, and requests as "claim/request"
	requests map[string]int // the number of requests of a claim
}

// add adds a claim, or a request within it. It returns of what it is a duplicate and how many
// times: a request is one of the whole claim, and a whole claim of each request.
func (c *claimed) add(claim, request string) (of string, times int) {
	if request == "" {
		if c.seen.add(claim) {
			return claim, 1
		}
		return claim, c.requests[claim]
	}
	key := claim + "/" + request
	if c.seen.add(key) {
		return key, 1
	}
	if c.requests == nil {
		c.requests = map[string]int{}
	}
	c.requests[claim]++
	if c.seen.has(claim) {
		return claim, 1
	}
	return "", 0
}

// unknownClaim returns the detail of the error for a claim that is none of the pod's.
func unknownClaim(known field) string {
	const longest = 256 // bytes of names, since each container may have many such claims
	var claims []string
	for i := range known.items() {
		if name := known.At(i).Get("name").StringOr(""); name != "" {
			claims = append(claims, name)
		}
	}
	slices.Sort(claims)
	names := strings.Join(slices.Compact(claims), ", ")
	switch {
	case names == "":
		return "must be one of the names in pod.spec.resourceClaims which is empty"
	case len(names) > longest:
		names = strings.ToValidUTF8(names[:longest], "") + "…"
	}
	return "must be one of the names in pod.spec.resourceClaims: " + names
}

// checkPodClaims validates spec.resourceClaims.
func (p *podCheck) checkPodClaims() {
	list := p.spec.get("resourceClaims")
	seen := seenTexts{}
	for i := range list.items() {
		claim := list.item(i)
		if p.isPod && p.annotations.get(names.MirrorPod).Exists() {
			p.forbidden(p.root(p.object).getAs("", "[]"), "static pods do not support resource claims")
			continue
		}
		name := claim.get("name")
		switch {
		case !p.need(name):
		case seen.has(name.text()):
			p.duplicate(name)
		default:
			p.syntax(name, names.DNSLabel)
			seen.add(name.text())
		}
		direct, template := claim.get("resourceClaimName"), claim.get("resourceClaimTemplateName")
		switch {
		case direct.isSet() && template.isSet():
			p.invalid(claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
		case !direct.isSet() && !template.isSet():
			p.invalid(claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
		}
		for _, ref := range [...]field{direct, template} {
			if ref.isSet() {
				p.syntax(ref, names.DNSSubdomain)
			}
		}
	}
}

// checkPodResources validates pod-level requests and limits, which must cover those of the
// containers (KEP-2837).
func (p *podCheck) checkPodResources() {
	r := p.spec.get("resources")
	if !r.isSet() {
		return
	}
	if p.spec.get("os.name").text() == "windows" {
		p.forbidden(r, "may not be set for a windows pod")
		return
	}
	if claims := r.get("claims"); claims.isWritten() {
		p.forbidden(claims, "claims may not be set for Resources at pod-level")
	}
	p.check.resources(r, true)
	p.resourceClaims(r.get("claims"))
	p.withinPod(r.get("requests"), podresources.OfContainers(p.spec.Value, "requests"), false)
	p.withinPod(r.get("limits"), podresources.OfContainers(p.spec.Value, "limits"), true)
	limits := r.get("limits")
	list := p.spec.get(containers)
	for i := range list.items() {
		own := list.item(i).get("resources.limits")
		for j := range own.members() {
			name := own.Key(j)
			if limit := limits.Get(name); limit.Exists() && amountOf(own.At(j)).Cmp(amountOf(limit)) > 0 {
				shown := r.get("containers").item(i).key(name).get("limits") // the path that kube-apiserver reports
				p.invalidText(shown, own.At(j).StringOr(""), "must be less than or equal to pod limits of "+limit.StringOr(""))
			}
		}
	}
}

// withinPod requires that the sum over the containers does not exceed the pod-level amount.
// With huge it checks only huge pages.
func (p *podCheck) withinPod(own field, sum podresources.Amounts, huge bool) {
	for i := range own.members() {
		amount, name := own.memberAt(i)
		if total, ok := sum[name]; ok && (!huge || podresources.IsHugePages(name)) && total.Cmp(amountOf(amount.Value)) > 0 {
			p.invalid(amount, "must be greater than or equal to aggregate container "+own.lastName()+" of "+total.String())
		}
	}
}
