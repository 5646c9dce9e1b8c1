//go:build js

package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/schema"
)

// The engines for browsers are built without the following, which keeps them within their budgets (web/budget.json).

// Warnings, see warnings.go.
var warnings [0]warning

// The rules of certificate_rules.go.

func (c *check) certificateRequest(field) {}

func (c *check) trustBundle(field) {}

func (c *check) issued(_, _ field) {}

// The rules of service_allocation.go: a cluster in a browser allocates nothing.

func (c *check) configured(_, _ field, _ *Given) {}

func (c *check) freeAddresses(_, _ field, _ document.Value, _ *Given) {}

// Reviews, which are not offered in a browser.

func validateSelfSubjectAccessReview(*check, field, field)  {}
func validateSubjectAccessReview(*check, field, field)      {}
func validateLocalSubjectAccessReview(*check, field, field) {}

// StreamOptions returns nil: a browser cannot open the streams of subresources such as exec.
func StreamOptions(string) *schema.Kind { return nil }

// ProxyOptions returns nil, too: a browser cannot reach a pod.
func ProxyOptions(*schema.Kind) *schema.Kind { return nil }

// jsonError returns otherwise, because the engines do not contain encoding/json.
func jsonError(_ string, _ *jsonType, otherwise string) string { return otherwise }

// hasJSONText returns false: messages show all texts quoted. The two forms differ in rare characters only.
func hasJSONText(*schema.FieldError) bool { return false }

// isUnread returns false. The message about an object in such a version differs, but it is refused in any case.
func isUnread(string, string) bool { return false }

// The rules of declared.go are those of Kubernetes 1.36.

func (c *check) distinctItem(item field, key string, seen *seenTexts) {
	c.distinct(item, item.get(key).text(), seen)
}

func (c *check) declaredDriverName(f field) { c.csiDriverName(f) }

func (c *check) unmetSegment(f field, part, why string, _ int, _ bool) { c.unmetText(f, part, why) }

func (c *check) declaredRequests(_, _ field) {}

func (c *check) declaredResponse(field) {}

func (c *check) extendedName(f field) {
	if !podresources.IsExtended(f.text()) {
		c.invalid(f, notExtended)
	}
}

func declaredLabel(c *check, f field, text string) {
	if why := names.DNSLabel(text); why != "" {
		c.unmetText(f, text, why)
	}
}

func oneValue(c *check, attribute, _ field, values []string) {
	const why = "exactly one value must be specified"
	if len(values) == 0 {
		c.invalidText(attribute, "", why)
		return
	}
	c.invalid(attribute, why)
}

func bothForms(_ *check, _, _ field) {}

func declaredExclusive(*check, field) bool { return false }
