package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// namespaceStrategy is the strategy of v1 Namespace.
var namespaceStrategy = Strategy{
	Resource:      "namespaces",
	Name:          labelName,
	metadataAgain: wholeFirst,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.phase"},
	},
	Emptied: true,
}

// validateNamespace validates the finalizers in the spec, also for the finalize subresource.
func validateNamespace(c *check, object, _ field) {
	list := object.get("spec.finalizers")
	for i := range list.items() {
		item := list.hiddenItem(i)
		if c.subresource == "finalize" {
			item = list.item(i)
		}
		c.syntax(item, names.QualifiedName)
		if !strings.Contains(item.text(), "/") &&
			!among(item.text(), FinalizerOrphan+","+FinalizerForeground+","+finalizerKubernetes) {
			c.invalid(item, "name is neither a standard finalizer name nor is it fully qualified")
		}
	}
}

func validateNamespaceStatus(c *check, object, _ field) {
	phase, deletion := object.getAs("status.phase", "status.Phase"), object.get("metadata.deletionTimestamp")
	switch {
	case !deletion.isSet() && phase.text() != "Active":
		c.invalid(phase, "may only be 'Active' if `deletionTimestamp` is empty")
	case deletion.isSet() && phase.text() != "Terminating":
		c.invalid(phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")
	}
}
