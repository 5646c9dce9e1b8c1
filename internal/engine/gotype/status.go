package gotype

import (
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Worded returns a failure for a value that cannot be decoded with kube-apiserver's message, for which clients may
// look. The cluster's own message names the field and the value instead of Go types.
func Worded(status *cluster.Status) *cluster.Status {
	var undecoded *defaults.DecodeError
	if !errors.As(status.Err, &undecoded) {
		return status
	}
	own, message := undecoded.Error(), Message(undecoded)
	out := *status
	out.Message = strings.Replace(out.Message, own, message, 1)
	if out.Details != nil {
		details := *out.Details
		details.Causes = slices.Clone(details.Causes)
		for i := range details.Causes {
			details.Causes[i].Message = strings.Replace(details.Causes[i].Message, own, message, 1)
		}
		out.Details = &details
	}
	return &out
}
