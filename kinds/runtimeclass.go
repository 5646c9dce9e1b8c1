package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// runtimeClassStrategy is the strategy of node.k8s.io/v1 RuntimeClass.
var runtimeClassStrategy = Strategy{
	Group:          "node.k8s.io",
	Resource:       "runtimeclasses",
	AnyFinalizer:   true,
	Name:           subdomainName,
	metadataAgain:  wholeFirst,
	CreateOnUpdate: true,
	RequireVersion: true,
}

// validateRuntimeClass follows pkg/apis/node/validation of Kubernetes 1.36.
func validateRuntimeClass(c *check, object, old field) {
	handler := object.get("handler")
	if !handler.isEmpty() || !c.kind.Since("1.36") || c.need(handler) {
		c.syntax(handler, names.DNSLabel)
	}
	overhead := object.get("overhead")
	c.resourceLists(overhead, overhead.getAs("podFixed", "limits"), c.root(document.Value{}), false)
	scheduling := object.get("scheduling")
	c.labels(scheduling.get("nodeSelector"))
	tolerations := scheduling.get("tolerations")
	if c.kind.Since("1.35") {
		c.tolerations(tolerations)
	} else {
		c.tolerations(scheduling.getAs("tolerations", "tolerations.tolerations"))
	}
	var seen seenTexts
	for i := range tolerations.items() {
		toleration := tolerations.item(i)
		v := toleration.Value
		key := strings.Join([]string{v.Get("key").StringOr(""), v.Get("operator").StringOr(""), v.Get("value").StringOr(""), v.Get("effect").StringOr("")}, "\x00")
		if seen.add(key) {
			c.duplicate(toleration)
		}
	}
	if old.isSet() {
		c.metadataAt = len(c.errs)
		c.declaredImmutable(handler, old.get("handler"))
	}
}

func warnRuntimeClass(a *advice, object, _ field) {
	selector := object.get("scheduling.nodeSelector")
	for i := range selector.members() {
		_, key := selector.memberAt(i)
		a.nodeLabel(selector, key)
	}
}
