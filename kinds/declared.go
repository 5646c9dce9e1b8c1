//go:build !js

package kinds

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// Rules that types declare from Kubernetes 1.37 on (declarative validation, KEP-5073), where their
// messages or what they hold for differ from those of the functions that they replace. The engine of the
// page leaves them out for its size.

// distinctItem requires that no earlier item of a list has the same value of the field named key. The
// error is that of the field before Kubernetes 1.35, then that of the item, and from 1.37 on, when the type
// of the list declares its key, it shows the whole item.
func (c *check) distinctItem(item field, key string, seen *seenTexts) {
	mark, part := len(c.errs), item.get(key)
	if !c.kind.Since("1.35") {
		c.distinct(part, part.text(), seen)
		return
	}
	if c.distinct(item, part.text(), seen); len(c.errs) > mark && c.kind.Since("1.37") {
		c.errs[mark].BadValue = item.Value
	}
}

// declaredDriverName is csiDriverName for a field whose type declares that from Kubernetes 1.37 on.
func (c *check) declaredDriverName(f field) {
	if !c.kind.Since("1.37") {
		c.csiDriverName(f)
		return
	}
	if !c.need(f) {
		return
	}
	c.syntax(f, names.CaselessSubdomain)
	mark := len(c.errs)
	if c.maxBytes(f, names.MaxLabel); utf8.RuneCountInString(f.text()) > names.MaxLabel { // the type declares a limit of characters
		c.errs[mark].Detail = strings.Replace(c.errs[mark].Detail, "bytes", "characters", 1)
	}
}

// unmetSegment is unmetText for the part of f's text with index i.
func (c *check) unmetSegment(f field, part, why string, i int, declared bool) {
	segment := "segment " + strconv.Itoa(i) + ": "
	switch {
	case !declared:
		c.unmetText(f, part, why)
	case part == "":
		c.invalid(f, segment+"must not be empty")
	default:
		c.unmetText(f, part, segment+strings.ReplaceAll(why, "\n", "\n"+segment))
	}
}

// declaredRequests checks what the types of the two forms of a request declare from Kubernetes 1.37
// on, also of a request that has both.
func (c *check) declaredRequests(exactly, alternatives field) {
	c.declaredRequest(exactly)
	if !c.itemsWithin(alternatives, maxSubrequests) {
		return
	}
	var seen seenTexts
	for i := range alternatives.items() {
		alternative := alternatives.item(i)
		c.needSyntax(alternative.get("deviceClassName"), names.DNSSubdomain)
		c.declaredRequest(alternative)
		c.distinctItem(alternative, "name", &seen)
	}
}

func (c *check) declaredRequest(request field) {
	c.maxItems(request.get("selectors"), maxDeviceSelectors)
	if mode := request.get("allocationMode"); !mode.isEmpty() {
		c.oneOf(mode, allocationModes)
	}
}

// declaredResponse checks what the type of a limitResponse declares from Kubernetes 1.37 on, also
// where a priority level may not have it.
func (c *check) declaredResponse(limited field) {
	if !limited.isSet() || !c.kind.Since("1.37") {
		return
	}
	response := limited.get("limitResponse")
	kind, queuing := response.get("type"), response.get("queuing")
	c.need(kind)
	switch queues := kind.text() == "Queue"; {
	case queues && !queuing.isSet():
		c.required(queuing, "")
	case !queues && queuing.isSet():
		c.forbidden(queuing, "")
	}
}

// extendedName requires the name of an extended resource.
func (c *check) extendedName(f field) {
	if !c.kind.Since("1.37") {
		if !podresources.IsExtended(f.text()) {
			c.invalid(f, notExtended)
		}
		return
	}
	const native, requests = "kubernetes.io/", "requests."
	switch name := f.text(); {
	case !strings.Contains(name, "/"):
		c.invalid(f, "a name must be a domain-prefixed path, such as 'example.com/my-prop'")
	case strings.Contains(name, native):
		c.invalid(f, `must not have "`+native+`" domain`)
	}
	if strings.HasPrefix(f.text(), requests) {
		c.invalid(f, `must not have "`+requests+`" prefix`)
	}
	if why := names.QualifiedName(requests + f.text()); why != "" {
		c.unmet(f, why)
	}
}

// declaredLabel requires that a text is a DNS label: that of f, or a key of the map f. Types that
// declare that, from Kubernetes 1.37 on, limit its bytes.
func declaredLabel(c *check, f field, text string) {
	why := names.DNSLabel(text)
	if c.kind.Since("1.37") {
		why = strings.Replace(why, "no more than 63 characters", "no more than 63 bytes", 1)
	}
	if why != "" {
		c.unmetText(f, text, why)
	}
}

// oneValue reports an attribute that does not have one value. From Kubernetes 1.37 on, its type declares
// that. The error of the type replaces the other one where both have the same path, which
// differs for a name that only the latter shows without its middle.
func oneValue(c *check, attribute, whole field, values []string) {
	declared := c.kind.Since("1.37")
	if !declared || len(attribute.pathText()) != len(whole.pathText()) {
		notOneValue(c, attribute, values)
	}
	if !declared {
		return
	}
	const all = ": `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`"
	if len(values) == 0 {
		c.invalidText(whole, "", "must specify one of"+all)
		return
	}
	c.invalidText(whole, "{"+strings.Join(values, ", ")+"}", "must specify exactly one of"+all)
}

// declaredExclusive reports that a CertificateSigningRequest is both approved and denied, which from Kubernetes
// 1.37 on the type of the conditions declares, and returns whether it does.
func declaredExclusive(c *check, conditions field) bool {
	if !c.kind.Since("1.37") {
		return false
	}
	const approved, denied = `conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`
	c.invalidText(conditions, "{"+approved+", "+denied+"}", "must specify at most one of: `"+approved+"`, `"+denied+"`")
	return true
}

// notOneValue reports an attribute with no value or with several.
func notOneValue(c *check, attribute field, values []string) {
	const why = "exactly one value must be specified"
	switch {
	case len(values) > 0:
		c.invalid(attribute, why)
	case c.kind.Since("1.35"):
		c.invalidText(attribute, "", why)
	default:
		c.required(attribute, why)
	}
}

// bothForms validates both forms of a request that has both, as Kubernetes does before 1.35.
func bothForms(c *check, exactly, alternatives field) {
	if !c.kind.Since("1.35") {
		validateAlternatives(c, alternatives)
		validateExactRequest(c, exactly)
	}
}
