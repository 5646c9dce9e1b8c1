package kinds

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// An advice collects the warnings of a resource's strategy about an object: those about a valid
// one (WarningsOnCreate and WarningsOnUpdate in pkg/registry/*/strategy.go), and those that its
// preparation adds before it is validated (PrepareForCreate). The API server sends them with the
// response, and kubectl prints them.
type advice struct {
	check *check
	texts []string
}

// maxTexts is more than the number of warnings that fit into a response: the API server
// truncates them to 4096 characters in total, and none has less than 40.
const maxTexts = 200

// A warning holds the functions that warn about the objects of a resource.
type warning struct {
	strategy *Strategy
	// object warns about a create, for which old is absent, or an update.
	object func(a *advice, object, old field)
	// status warns about an update through the status subresource; nil never does.
	status func(a *advice, object field)
	// preparation warns about a new object before the strategy prepares it; nil never does.
	preparation func(a *advice, object field)
}

// PreparationWarnings returns the warnings about a new object of kind k that its strategy adds
// when it prepares the object, which is given as it was before. The API server sends them even if
// the object is refused afterwards.
func (s *Strategy) PreparationWarnings(k *schema.Kind, object document.Value) []string {
	w := s.warning()
	if w == nil || w.preparation == nil {
		return nil
	}
	a := advice{check: newCheck(k, "", object)}
	defer a.check.release()
	w.preparation(&a, a.check.root(object))
	return a.texts
}

// Warnings returns the warnings about a valid object of kind k that is written through a
// subresource ("" for the object itself), with its defaults and metadata. old is the live
// object, absent for a new one.
func (s *Strategy) Warnings(k *schema.Kind, subresource string, object, old document.Value) []string {
	if subresource == "scale" || !old.Exists() {
		subresource = "" // the API server writes the object with its own strategy, and creates one so in any case
	}
	w := s.warning()
	if w == nil || subresource != "" && (subresource != "status" || w.status == nil) {
		return nil
	}
	a := advice{check: newCheck(k, subresource, object)}
	defer a.check.release()
	if subresource == "" {
		w.object(&a, a.check.root(object), a.check.root(old))
	} else {
		w.status(&a, a.check.root(object))
	}
	return a.texts
}

// warning returns the warnings of a strategy's resource, nil if it has none.
func (s *Strategy) warning() *warning {
	for i := range warnings {
		if of := warnings[i].strategy; of == s || of.changed == s {
			return &warnings[i]
		}
	}
	return nil
}

// full reports whether there are enough warnings, so that the others need not be found.
func (a *advice) full() bool { return len(a.texts) >= maxTexts }

// say adds a warning. The API server sends each one once.
func (a *advice) say(text string) {
	if !a.full() && !slices.Contains(a.texts, text) {
		a.texts = append(a.texts, text)
	}
}

// warn adds a warning about f.
func (a *advice) warn(f field, text string) {
	if !a.full() {
		a.say(f.pathText() + ": " + text)
	}
}

// respecified reports whether the object is new or its generation has changed. The warnings of
// workloads depend on it, so that a change of their labels or replicas' status has none.
func respecified(object, old field) bool {
	return !old.isSet() || object.get("metadata.generation").number() != old.get("metadata.generation").number()
}

// podNames warns about the name of a new object from which names of pods are formed, if it is
// no DNS label; use is what it is used for.
func (a *advice) podNames(object, old field, use string) {
	name := object.get("metadata.name").text()
	if why := names.DNSLabel(name); !old.isSet() && why != "" {
		a.say("metadata.name: this is used in " + use + ", which can result in surprising behavior; a DNS label is recommended: [" + joined(why, " ") + "]")
	}
}

// podsAndHosts is the use of the names of most workloads, for podNames.
const podsAndHosts = "Pod names and hostnames"

// wholeBytes warns about an amount of bytes that is not an integer. The warning has the
// amount's canonical form, however the request spells it: .5 is 500m.
func (a *advice) wholeBytes(amount field) {
	if !amount.isSet() {
		return
	}
	if bytes := amountOf(amount.Value); bytes.Wrapped(-3)%1000 != 0 {
		a.warn(amount, "fractional byte value "+strconv.Quote(bytes.String())+" is invalid, must be an integer")
	}
}

// deprecatedLabels are node labels with their replacements (pkg/api/node, deprecatedNodeLabels).
var deprecatedLabels = map[string]string{
	"beta.kubernetes.io/arch":                       `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                         `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region":      `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":        `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type":              `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
	"app.kubernetes.io/created-by":                  `deprecated since v1.9`,
	"scheduler.alpha.kubernetes.io/preferAvoidPods": `deprecated since v1.22; use Taints and Tolerations instead`,
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}

// deprecatedLabel returns why a node label is deprecated, "" if it is not. Until Kubernetes 1.30,
// only labels of beta versions are.
func (a *advice) deprecatedLabel(key string) string {
	if !a.check.kind.Since("1.31") && !strings.Contains(key, "beta.") {
		return ""
	}
	return deprecatedLabels[key]
}

// nodeLabel warns about a field if a node label in it is deprecated.
func (a *advice) nodeLabel(f field, key string) {
	if why := a.deprecatedLabel(key); why != "" {
		a.warn(f, why)
	}
}

// labelKey warns about a field that contains the key of a deprecated node label.
func (a *advice) labelKey(f field) {
	if why := a.deprecatedLabel(f.text()); why != "" {
		a.warn(f, f.text()+" is "+why)
	}
}

// labelKeys warns about deprecated node labels in the keys of a list of requirements.
func (a *advice) labelKeys(requirements field) {
	for i := range requirements.items() {
		a.labelKey(requirements.item(i).get("key"))
	}
}

// labelValue warns about an invalid value of a label (apimachinery, IsLabelValue).
func (a *advice) labelValue(f field) {
	text := f.text()
	if why := names.LabelValue(text); why != "" {
		for _, requirement := range strings.Split(why, "\n") {
			a.warn(f, text+" is invalid, "+requirement)
		}
	}
}

// address warns about an IP address that is not in its canonical form (apimachinery,
// GetWarningsForIP). Fields that predate the stricter syntax accept it.
func (a *advice) address(f field) {
	text := f.text()
	sloppy, ok := parseAddress(text, true)
	if !ok {
		return
	}
	strict, ok := parseAddress(text, false)
	switch {
	case !ok || strict.Is4In6():
		a.warn(f, "non-standard IP address "+strconv.Quote(text)+a.refused()+": use "+strconv.Quote(sloppy.Unmap().String()))
	case strict.Is6() && strict.String() != text:
		a.warn(f, "IPv6 address "+strconv.Quote(text)+" should be in RFC 5952 canonical format ("+strconv.Quote(strict.String())+")")
	}
}

// addressRange warns about a CIDR that is not in its canonical form (GetWarningsForCIDR).
func (a *advice) addressRange(f field) {
	text := f.text()
	sloppy, ok := parseRange(text, true)
	if !ok {
		return
	}
	network := unmapped(sloppy.Masked())
	ambiguous := sloppy.Masked() != sloppy
	if ambiguous {
		single := sloppy.Addr().Unmap().String() + "/" + strconv.Itoa(sloppy.Addr().BitLen())
		a.warn(f, "CIDR value "+strconv.Quote(text)+" is ambiguous in this context (should be "+strconv.Quote(network)+" or "+strconv.Quote(single)+"?)")
	}
	strict, err := netip.ParsePrefix(text)
	switch {
	case err != nil || strict.Addr().Is4In6():
		a.warn(f, "non-standard CIDR value "+strconv.Quote(text)+a.refused()+": use "+strconv.Quote(network))
	case !ambiguous && strict.Addr().Is6() && strict.String() != text:
		a.warn(f, "IPv6 CIDR value "+strconv.Quote(text)+" should be in RFC 5952 canonical format ("+strconv.Quote(strict.String())+")")
	}
}

// unmapped returns the text of a range, that of IPv4-mapped IPv6 addresses as one of IPv4.
func unmapped(p netip.Prefix) string {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.String()
}

// refused returns the part of the warning about a value that API servers refuse from Kubernetes 1.36 on where it
// is new (the feature StrictIPCIDRValidation).
func (a *advice) refused() string {
	if a.check.kind.Since("1.36") {
		return " is invalid"
	}
	return " will be considered invalid in a future Kubernetes release"
}
