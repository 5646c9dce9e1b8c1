package cluster

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// hasAddresses reports whether objects of the resource have cluster IPs and node ports.
func hasAddresses(s *kinds.Strategy) bool { return s.Addresses != nil }

// allocate returns why the cluster IPs and node ports that a Service requests cannot be
// allocated. As in kube-apiserver, allocation precedes validation, so validation errors are
// reported only once the allocation succeeds. kube-apiserver reports some faults as internal
// errors.
func (t *task) allocate(asked, object, live document.Value) ([]Cause, *Status) {
	if t.ep.strategy.Addresses == nil || t.ep.sub != "" {
		return nil, nil
	}
	errs := t.ep.strategy.ValidateAddresses(t.ep.kind, asked, object, live, t.given())
	if st := t.notAllotted(meta(object, "name")); st != nil {
		return nil, st
	}
	internal := len(errs) > 0 && errs[0].Type == schema.ErrorInternal
	if live.Exists() && (len(errs) == 0 || internal) {
		if st := repeatedNodePort(object); st != nil {
			return nil, st
		}
	}
	if internal {
		return nil, internalError(errors.New(errs[0].Detail))
	}
	return schemaCauses(errs), nil
}

// repeatedNodePort returns the status for an update of a Service with a node port that two of
// its ports request for the same protocol. kube-apiserver's allocator reports it as an
// internal error, before the Service is validated.
func repeatedNodePort(object document.Value) *Status {
	spec := object.Get("spec")
	if kind := spec.Get("type").StringOr(""); kind != "NodePort" && kind != "LoadBalancer" {
		return nil
	}
	seen := map[string]bool{}
	for _, port := range spec.Get("ports").Items() {
		number, _ := port.Get("nodePort").Int()
		if number == 0 {
			continue
		}
		name := fmt.Sprintf("{%s %d}", port.Get("protocol").StringOr("TCP"), number)
		if seen[name] {
			return plainError(errors.New("duplicate nodePort: " + name))
		}
		seen[name] = true
	}
	return nil
}
