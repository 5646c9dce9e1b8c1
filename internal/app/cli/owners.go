package cli

import (
	"strings"

	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// ownerNames lists owners: gitops (Apply), autoscaler (Update, subresource scale)
func ownerNames(list []fieldmanager.Owner) string {
	if len(list) == 0 {
		return "nobody"
	}
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.Manager + " (" + string(o.Operation)
		if o.Subresource != "" {
			names[i] += ", subresource " + o.Subresource
		}
		names[i] += ")"
	}
	return oneLine(strings.Join(names, ", "))
}
