package kinds

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// mutatingWebhookConfigurationStrategy is the strategy of admissionregistration.k8s.io/v1 MutatingWebhookConfiguration.
var mutatingWebhookConfigurationStrategy = Strategy{
	Group:           "admissionregistration.k8s.io",
	Resource:        "mutatingwebhookconfigurations",
	AnyFinalizer:    true,
	Name:            subdomainName,
	metadataAgain:   repeatsWhole,
	Generation:      []string{"webhooks"},
	ExactGeneration: true,
	RequireVersion:  true,
}

// validatingWebhookConfigurationStrategy is the strategy of admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration.
var validatingWebhookConfigurationStrategy = Strategy{
	Group:           "admissionregistration.k8s.io",
	Resource:        "validatingwebhookconfigurations",
	AnyFinalizer:    true,
	Name:            subdomainName,
	metadataAgain:   repeatsWhole,
	Generation:      []string{"webhooks"},
	ExactGeneration: true,
	RequireVersion:  true,
}

// validateWebhookConfiguration checks webhook configurations of both kinds. A rule
// that the stored object breaks anywhere does not hold for the new one either, as
// configurations of older API versions could break it.
func validateWebhookConfiguration(c *check, object, old field) {
	c.notStatic(object, old)
	hooks, before := object.get("webhooks"), old.get("webhooks")
	known := webhookHistory{unique: true, accepted: true}
	for i := range before.items() {
		known.note(before.item(i))
	}
	seen := seenTexts{}
	for i := range hooks.items() {
		hook := hooks.item(i)
		c.webhook(hook, &known)
		c.reviewVersions(hook.get("admissionReviewVersions"), known.accepted)
		if name := hook.get("name"); known.unique && name.text() != "" && seen.add(name.text()) {
			c.duplicate(name)
		}
	}
}

// webhookHistory records the rules that all webhooks of the stored object comply with.
type webhookHistory struct {
	names            seenTexts
	unique, accepted bool
	// sideEffects reports that one has or may have side effects.
	sideEffects bool
}

func (h *webhookHistory) note(hook field) {
	if h.names.add(hook.get("name").text()) {
		h.unique = false
	}
	if versions := hook.get("admissionReviewVersions"); versions.items() > 0 && !hasReviewVersion(versions) {
		h.accepted = false
	}
	if !among(hook.get("sideEffects").text(), noSideEffects) {
		h.sideEffects = true
	}
}

const (
	noSideEffects  = "None,NoneOnDryRun"
	anySideEffects = "None,NoneOnDryRun,Some,Unknown"
)

func (c *check) webhook(hook field, known *webhookHistory) {
	c.webhookName(hook.get("name"))
	rules := hook.get("rules")
	for i := range rules.items() {
		c.ruleWithOperations(rules.item(i))
	}
	c.oneOfIfSet(hook.get("failurePolicy"), "Fail,Ignore")
	c.oneOfIfSet(hook.get("matchPolicy"), "Equivalent,Exact")
	effects, allowed := hook.get("sideEffects"), noSideEffects
	if known.sideEffects {
		allowed = anySideEffects
	}
	if !effects.isSet() {
		c.required(effects, "must specify one of "+strings.ReplaceAll(allowed, ",", ", "))
	} else {
		c.oneOf(effects, allowed)
	}
	if seconds := hook.get("timeoutSeconds"); seconds.isSet() && (seconds.number() < 1 || seconds.number() > 30) {
		c.invalid(seconds, "the timeout value must be between 1 and 30 seconds")
	}
	c.labelSelector(hook.get("namespaceSelector"))
	c.labelSelector(hook.get("objectSelector"))
	c.oneOfIfSet(hook.get("reinvocationPolicy"), "IfNeeded,Never")
	c.webhookClient(hook.get("clientConfig"))
	c.matchConditions(hook.get("matchConditions"))
}

// webhookName requires a name of at least three segments.
func (c *check) webhookName(name field) {
	if !c.need(name) || !c.syntax(name, names.DNSSubdomain) {
		return
	}
	if strings.Count(name.text(), ".") < 2 {
		c.invalid(name, "should be a domain with at least three segments separated by dots")
	}
}

func hasReviewVersion(versions field) bool {
	for i := range versions.items() {
		if among(versions.item(i).text(), "v1,v1beta1") {
			return true
		}
	}
	return false
}

// reviewVersions checks the versions of reviews that a webhook understands; one of
// the API server's must be among them where known is required.
func (c *check) reviewVersions(versions field, known bool) {
	if versions.items() == 0 {
		c.required(versions, "must specify one of v1, v1beta1")
		return
	}
	seen := seenTexts{}
	for i := range versions.items() {
		version := versions.item(i)
		if seen.add(version.text()) {
			c.invalid(version, "duplicate version")
			continue
		}
		c.syntax(version, names.DNSLabel1035)
	}
	if known && !hasReviewVersion(versions) {
		c.invalid(versions, "must include at least one of v1, v1beta1")
	}
}

// webhookClient requires a URL or a service.
func (c *check) webhookClient(client field) {
	address, service := client.get("url"), client.get("service")
	switch {
	case address.isSet() == service.isSet():
		c.required(client, "exactly one of url or service is required")
	case address.isSet():
		c.webhookURL(address)
	default:
		// kube-apiserver calls the name namespace and the other way round.
		if service.get("namespace").isEmpty() {
			c.required(service.get("name"), "")
		}
		if service.get("name").isEmpty() {
			c.required(service.get("namespace"), "")
		}
		c.servicePort(service.get("port"))
		c.webhookPath(service.get("path"))
	}
}

func (c *check) webhookURL(address field) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(address.text())
	if err != nil {
		c.required(address, "url must be a valid URL: "+err.Error()+form)
		return
	}
	if u.Scheme != "https" {
		c.invalidText(address, u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		c.invalidText(address, "", "host must be specified"+form)
	}
	for _, part := range [...]struct{ text, why string }{
		{u.User.String(), "user information is not permitted in the URL"},
		{u.Fragment, "fragments are not permitted in the URL"},
		{u.RawQuery, "query parameters are not permitted in the URL"},
	} {
		if part.text != "" {
			c.invalidText(address, part.text, part.why)
		}
	}
}

// webhookPath requires a path of names.
func (c *check) webhookPath(path field) {
	text := path.text()
	switch {
	case text == "" || text == "/":
		return
	case text == "//":
		c.invalid(path, "segment[0] may not be empty")
		return
	case text[0] != '/':
		c.invalid(path, "must start with a '/'")
	}
	for i, segment := range strings.Split(strings.TrimSuffix(text[1:], "/"), "/") {
		at := "segment[" + strconv.Itoa(i) + "]"
		if segment == "" {
			c.invalid(path, at+" may not be empty")
		} else if why := names.DNSSubdomain(segment); why != "" {
			c.unmet(path, at+": "+strings.ReplaceAll(why, "\n", "\n"+at+": "))
		}
	}
}

// Names that are reserved for configurations in files of the API server
// (ManifestBasedAdmissionControlConfig): from Kubernetes 1.36 on with a warning, and from 1.37 on new objects may
// not have them.
const (
	staticSuffix = ".static.k8s.io"
	isStatic     = `names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`
)

func (c *check) notStatic(object, old field) {
	if name := object.get("metadata.name"); !old.isSet() && c.kind.Since("1.37") && strings.HasSuffix(name.text(), staticSuffix) {
		c.invalid(name, isStatic)
	}
}

func warnStaticName(a *advice, object, _ field) {
	if name := object.get("metadata.name"); a.check.kind.Since("1.36") && strings.HasSuffix(name.text(), staticSuffix) {
		a.warn(name, isStatic)
	}
}

// warnStaticStatus is warnStaticName for a write of the status.
func warnStaticStatus(a *advice, object field) { warnStaticName(a, object, field{}) }

// warnWebhooks warns about a reserved name, and from Kubernetes 1.37 on about rules that name
// reviews, for which webhooks are not called (ExcludeAdmissionWebhookVirtualResources).
func warnWebhooks(a *advice, object, old field) {
	warnStaticName(a, object, old)
	if !a.check.kind.Since("1.37") {
		return
	}
	for hooks, i := object.get("webhooks"), 0; i < hooks.items() && !a.full(); i++ {
		for rules, j := hooks.item(i).get("rules"), 0; j < rules.items() && !a.full(); j++ {
			a.warnReviews(rules.item(j))
		}
	}
}

// warnReviews warns about the reviews that a rule names. One with a wildcard may be meant for
// other resources.
func (a *advice) warnReviews(rule field) {
	groups, resources := texts(rule.Get("apiGroups")), texts(rule.Get("resources"))
	if slices.Contains(groups, "*") || slices.Contains(resources, "*") {
		return
	}
	var seen []string // has only groups with reviews, which are few
	for _, group := range groups {
		if slices.Contains(seen, group) || Find(func(s *Strategy) bool { return s.Group == group && s.Review != nil }) == nil {
			continue
		}
		seen = append(seen, group)
		for _, resource := range resources {
			if IsReview(group, resource) {
				a.warn(rule, resource+"."+group+" is excluded from admission webhooks; this rule will have no effect")
			}
		}
	}
}

func texts(list document.Value) []string {
	out := make([]string, 0, list.Len())
	for _, text := range list.Items() {
		out = append(out, text.StringOr(""))
	}
	return out
}
