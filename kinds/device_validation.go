package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// noExpression is the error of CEL's parser for an empty text. Other expressions are compiled in
// package admission.
const noExpression = "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

// Rules of the group resource.k8s.io that several of its kinds share
// (pkg/apis/resource/validation of Kubernetes 1.36). CEL expressions are not compiled.

const (
	allocationModes    = "All,ExactCount"
	maxDeviceRequests  = 32
	maxDeviceConfigs   = 32
	maxDeviceSelectors = 32
	maxSubrequests     = 8
	maxRawBytes        = 10 << 10
)

// itemsWithin limits the length of a list. It reports whether the list's items are to be
// validated, which they are not if it is too long, except before Kubernetes 1.35.
func (c *check) itemsWithin(list field, limit int) bool {
	if list.items() > limit {
		c.tooMany(list, limit)
		return !c.kind.Since("1.35")
	}
	return true
}

// distinct requires that no earlier item has the key. Errors are reported for the item.
func (c *check) distinct(item field, key string, seen *seenTexts) {
	if seen.add(key) {
		c.addValue(schema.ErrorDuplicate, item, key, "")
	}
}

func validateDeviceClaim(c *check, devices field) {
	requests, constraints, configs := devices.get("requests"), devices.get("constraints"), devices.get("config")
	known := requestNames(requests.Value)
	if c.itemsWithin(requests, maxDeviceRequests) {
		var seen seenTexts
		for i := range requests.items() {
			request := requests.item(i)
			validateDeviceRequest(c, request)
			c.distinctItem(request, "name", &seen)
		}
	}
	if c.itemsWithin(constraints, maxDeviceConfigs) {
		for i := range constraints.items() {
			validateDeviceConstraint(c, constraints.item(i), known)
		}
	}
	if c.itemsWithin(configs, maxDeviceConfigs) {
		for i := range configs.items() {
			config := configs.item(i)
			validateRequestRefs(c, config.get("requests"), known)
			validateDeviceConfig(c, config)
		}
	}
}

// requestNames returns the names with which the requests of a claim can be referred to:
// REQUEST, and REQUEST/SUBREQUEST for its alternatives. Of several requests with a name, the last counts.
func requestNames(requests document.Value) map[string]bool {
	last := map[string]document.Value{}
	for _, request := range requests.Items() {
		last[request.Get("name").StringOr("")] = request
	}
	known := map[string]bool{}
	for name, request := range last {
		known[name] = true
		for _, sub := range request.Get("firstAvailable").Items() {
			known[name+"/"+sub.Get("name").StringOr("")] = true
		}
	}
	return known
}

func validateDeviceRequest(c *check, request field) {
	c.syntax(request.get("name"), names.DNSLabel)
	exactly, alternatives := request.get("exactly"), request.get("firstAvailable")
	switch {
	case !exactly.isSet() && alternatives.items() == 0:
		c.required(request, "exactly one of `exactly` or `firstAvailable` is required")
	case exactly.isSet() && alternatives.items() > 0:
		bothForms(c, exactly, alternatives)
		c.invalidValue(request, document.NewNull(), "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set")
		if c.kind.Since("1.37") {
			c.declaredRequests(exactly, alternatives)
		}
	case exactly.isSet():
		validateExactRequest(c, exactly)
	default:
		validateAlternatives(c, alternatives)
	}
}

func validateAlternatives(c *check, alternatives field) {
	if !c.itemsWithin(alternatives, maxSubrequests) {
		return
	}
	var seen seenTexts
	for i := range alternatives.items() {
		alternative := alternatives.item(i)
		name := alternative.get("name")
		c.syntax(name, names.DNSLabel)
		validateExactRequest(c, alternative)
		c.distinctItem(alternative, "name", &seen)
	}
}

func validateExactRequest(c *check, request field) {
	mode, count, selectors, tolerations := request.get("allocationMode"), request.get("count"), request.get("selectors"), request.get("tolerations")
	c.needSyntax(request.get("deviceClassName"), names.DNSSubdomain)
	validateDeviceSelectors(c, selectors)
	switch mode.text() {
	case "All":
		if count.number() != 0 {
			c.invalid(count, "must not be specified when allocationMode is 'All'")
		}
	case "ExactCount":
		if count.number() <= 0 {
			c.invalid(count, "must be greater than zero")
		}
	default:
		c.notSupported(mode, allocationModes)
	}
	for i := range tolerations.items() {
		validateDeviceToleration(c, tolerations.item(i))
	}
}

func validateDeviceSelectors(c *check, selectors field) {
	if !c.itemsWithin(selectors, maxDeviceSelectors) {
		return
	}
	for i := range selectors.items() {
		cel := selectors.item(i).get("cel")
		expression := cel.get("expression")
		switch {
		case !cel.isSet():
			c.required(cel, "")
		case expression.isEmpty():
			c.invalid(expression, noExpression)
		default:
			c.maxBytes(expression, maxRawBytes)
		}
	}
}

func validateDeviceToleration(c *check, toleration field) {
	operator, value, effect := toleration.get("operator"), toleration.get("value"), toleration.get("effect")
	c.syntaxIfSet(toleration.get("key"), names.QualifiedName)
	switch operator.text() {
	case "Exists":
		if !value.isEmpty() {
			c.invalid(value, "must be empty for operator `Exists`")
		}
	case "Equal":
		c.syntax(value, names.LabelValue)
	default:
		c.needOneOf(operator, "Equal,Exists")
	}
	if !effect.isEmpty() {
		c.oneOf(effect, "NoExecute,NoSchedule,None")
	}
}

func validateDeviceConstraint(c *check, constraint field, known map[string]bool) {
	validateRequestRefs(c, constraint.get("requests"), known)
	match, distinct := constraint.get("matchAttribute"), constraint.get("distinctAttribute")
	switch {
	case match.isSet() && distinct.isSet() && c.kind.Since("1.37"):
		c.deviceAttributeName(match)
		c.deviceAttributeName(distinct)
	case match.isSet():
		c.deviceAttributeName(match)
	case distinct.isSet():
		c.deviceAttributeName(distinct)
	case !c.kind.Since("1.36"): // without the feature DRAConsumableCapacity
		c.required(match, "")
	default:
		c.required(constraint, `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`)
	}
}

// deviceAttributeName requires a domain and a name, such as example.com/model.
func (c *check) deviceAttributeName(f field) {
	c.deviceQualifiedName(f, f.text(), c.kind.Since("1.37"))
	if !strings.Contains(f.text(), "/") {
		c.invalid(f, "a fully qualified name must be a domain and a name separated by a slash")
	}
}

// deviceQualifiedName requires a C identifier of at most 32 characters, optionally prefixed
// with a domain, which declared validation requires to have no upper case. Errors are reported
// for f.
func (c *check) deviceQualifiedName(f field, text string, declared bool) {
	const maxID = 32
	domain, id, qualified := strings.Cut(text, "/")
	if !qualified {
		id = text
	} else if strings.Contains(id, "/") {
		return // kube-apiserver does not validate such names
	}
	noDomain, noName := "the domain must not be empty", "the name must not be empty"
	if declared {
		noDomain, noName = "prefix must not be empty", "name must not be empty"
	}
	switch {
	case qualified && domain == "":
		c.invalidText(f, "", noDomain)
	case qualified && declared && len(domain) <= names.MaxLabel:
		if why := names.DNSSubdomain(domain); why != "" {
			c.invalidText(f, domain, "prefix: "+why)
		}
	case qualified:
		c.driverName(f, domain)
	}
	if qualified && id == "" {
		c.invalidText(f, "", noName)
		return
	}
	if len(id) > maxID {
		c.tooLong(f, maxID)
	}
	if why := names.CIdentifier(id); why != "" {
		c.invalidText(f, id, why)
	}
}

// driverName is csiDriverName for a part of f's text.
func (c *check) driverName(f field, text string) {
	f.Value = document.NewString(text)
	c.csiDriverName(f)
}

func validateRequestRefs(c *check, refs field, known map[string]bool) {
	if !c.itemsWithin(refs, maxDeviceRequests) {
		return
	}
	var seen seenTexts
	for i := range refs.items() {
		ref := refs.item(i)
		validateRequestRef(c, ref, known)
		c.distinct(ref, ref.text(), &seen)
	}
}

// validateRequestRef requires the name of a request, or REQUEST/SUBREQUEST for one of its
// alternatives.
func validateRequestRef(c *check, ref field, known map[string]bool) {
	const why = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
	if strings.Count(ref.text(), "/") > 1 {
		c.invalid(ref, why)
		return
	}
	for part := range strings.SplitSeq(ref.text(), "/") {
		if problem := names.DNSLabel(part); problem != "" {
			c.unmetText(ref, part, problem)
		}
	}
	if !known[ref.text()] {
		c.invalid(ref, why)
	}
}

func validateDeviceConfig(c *check, config field) {
	opaque := config.get("opaque")
	if !opaque.isSet() {
		c.required(opaque, "")
		return
	}
	c.declaredDriverName(opaque.get("driver"))
	c.rawObject(opaque.get("parameters"), maxRawBytes)
}

// rawObject requires a JSON object of limited size.
func (c *check) rawObject(f field, limit int) {
	switch {
	case !f.isSet():
		c.required(f, "")
	case len(f.Value.AppendJSON(nil)) > limit:
		c.tooLong(f, limit)
	case f.Kind() != document.Object:
		c.invalidText(f, valueOmitted, "must be a valid JSON object")
	}
}

// poolName requires DNS subdomains separated by slashes. Messages of declared validation name the
// one that is invalid.
func (c *check) poolName(f field, declared bool) {
	if !c.need(f) {
		return
	}
	if len(f.text()) > names.MaxSubdomain {
		c.tooLong(f, names.MaxSubdomain)
	}
	i := 0
	for part := range strings.SplitSeq(f.text(), "/") {
		if why := names.DNSSubdomain(part); why != "" {
			c.unmetSegment(f, part, why, i, declared)
		}
		i++
	}
}

// shareID requires a UUID in lower case, in the form in which RFC 4122 writes it.
func (c *check) shareID(f field) {
	text := f.text()
	why := notUUID(text)
	switch normal := why == "" && len(text) == 36 && text == strings.ToLower(text); {
	case !f.isSet() || normal:
	case c.kind.Since("1.37"):
		c.invalid(f, "must be a lowercase UUID in 8-4-4-4-12 format")
	case why != "":
		c.invalid(f, "error validating uid: "+why)
	default:
		c.invalid(f, "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters")
	}
}

// notUUID returns why a text is no UUID, in the words of the library that kube-apiserver uses; "" if it is one.
// A UUID can be in braces, a URN, or without hyphens.
func notUUID(text string) string {
	const urn = "urn:uuid:"
	switch len(text) {
	case 32, 36:
	case 36 + len("{}"):
		if text[0] != '{' || text[37] != '}' {
			return "invalid bracketed UUID format"
		}
		text = text[1:37]
	case 36 + len(urn):
		if !strings.EqualFold(text[:len(urn)], urn) {
			return "invalid urn prefix: " + strconv.Quote(text[:len(urn)])
		}
		text = text[len(urn):]
	default:
		return "invalid UUID length: " + strconv.Itoa(len(text))
	}
	for i := range len(text) {
		hyphen := len(text) == 36 && (i == 8 || i == 13 || i == 18 || i == 23)
		if hyphen && text[i] != '-' || !hyphen && strings.IndexByte("0123456789abcdefABCDEF", text[i]) < 0 {
			return "invalid UUID format"
		}
	}
	return ""
}

// bindingConditions validates a device's bindingConditions and bindingFailureConditions: both
// or neither must be set, and they must not overlap.
func (c *check) bindingConditions(of field) {
	const limit = 4
	wait, fail := of.get("bindingConditions"), of.get("bindingFailureConditions")
	for _, list := range [...]field{wait, fail} {
		if c.itemsWithin(list, limit) {
			for i := range list.items() {
				c.syntax(list.item(i), names.QualifiedName)
			}
		}
		var seen seenTexts
		for i := range list.items() {
			condition := list.item(i)
			c.distinct(condition, condition.text(), &seen)
		}
	}
	if fail.items() > 0 {
		waited := textsOf(wait.Value)
		for i := range fail.items() {
			if condition := fail.item(i); waited.has(condition.text()) {
				c.invalid(condition, "bindingFailureConditions must not overlap with bindingConditions")
			}
		}
	}
	switch {
	case wait.items() == 0 && fail.items() > 0:
		c.invalid(wait, "bindingConditions are required to use bindingFailureConditions")
	case fail.items() == 0 && wait.items() > 0:
		c.invalid(fail, "bindingFailureConditions are required to use bindingConditions")
	}
}

// deviceTaint validates a taint of a device.
func (c *check) deviceTaint(taint field) {
	c.syntax(taint.get("key"), names.QualifiedName)
	c.syntaxIfSet(taint.get("value"), names.LabelValue)
	c.needOneOf(taint.get("effect"), "NoExecute,NoSchedule,None")
}
