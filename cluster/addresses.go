package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// The API server's default node port range.
const (
	firstNodePort = 30000
	lastNodePort  = 32767
)

// serviceRange returns the range to allocate cluster IPs from if cidr is configured.
func serviceRange(cidr netip.Prefix) netip.Prefix {
	if !cidr.IsValid() {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 96, 0, 0}), 16)
	}
	return cidr.Masked()
}

// addresses allocates cluster IPs and node ports to Services that leave them unset. Allocation
// proceeds in order through the range, wraps around at its end and skips what is in use.
// (kube-apiserver allocates at random.) A value that was allocated but never stored becomes
// available again after the wrap. It is safe for concurrent use.
type addresses struct {
	store store.Store[*Record]
	scope string // the scope of Services in the store
	cidr  netip.Prefix
	// closed is set if a Service must not choose an IP outside the range.
	closed bool

	mu   sync.Mutex
	ip   netip.Addr // the IP allocated last
	port int64
}

func newAddresses(s store.Store[*Record], scope string, cidr netip.Prefix) *addresses {
	in := serviceRange(cidr)
	return &addresses{store: s, scope: scope, cidr: in, closed: cidr.IsValid(), ip: in.Addr(), port: firstNodePort - 1}
}

// An allotment allocates the cluster IPs and node ports of one attempt at a write.
type allotment struct {
	*addresses
	used func() usedAddresses // of the other Services, which it lists once
	err  error                // why they could not be listed
}

// usedAddresses are the cluster IPs and node ports of all Services.
type usedAddresses struct {
	ips   map[string]bool
	ports map[int64]bool
}

func (a *addresses) allotment(ctx context.Context) *allotment {
	allotment := &allotment{addresses: a}
	allotment.used = sync.OnceValue(func() (used usedAddresses) {
		used, allotment.err = a.inUse(ctx)
		return used
	})
	return allotment
}

// clusterIP returns a free address of the IP family, or "" if there is none.
func (a *allotment) clusterIP(family string) string {
	if family != "IPv4" {
		return ""
	}
	return a.next(a.used().ips)
}

// next returns the next address that is not taken, or "" if there is none.
func (a *addresses) next(taken map[string]bool) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range 1 << (32 - a.cidr.Bits()) {
		a.ip = a.ip.Next()
		if !a.cidr.Contains(a.ip.Next()) { // skip the network and broadcast addresses
			a.ip = a.cidr.Addr().Next()
		}
		if s := a.ip.String(); !taken[s] {
			return s
		}
	}
	return ""
}

// nodePort returns a free node port, or 0 if there is none.
func (a *allotment) nodePort() int64 {
	used := a.used()
	a.mu.Lock()
	defer a.mu.Unlock()
	for range lastNodePort - firstNodePort + 1 {
		if a.port++; a.port > lastNodePort {
			a.port = firstNodePort
		}
		if !used.ports[a.port] {
			return a.port
		}
	}
	return 0
}

// inUse returns the cluster IPs and node ports of all Services.
func (a *addresses) inUse(ctx context.Context) (usedAddresses, error) {
	used := usedAddresses{map[string]bool{}, map[int64]bool{}}
	page, err := a.store.List(ctx, a.scope, store.ListOptions[*Record]{})
	if err != nil {
		return used, err
	}
	for _, item := range page.Items {
		ips, ports := kinds.Find(hasAddresses).Addresses(item.Value.tree().Value)
		for _, ip := range ips {
			used.ips[ip] = true
		}
		for _, port := range ports {
			used.ports[port] = true
		}
	}
	return used, nil
}

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
	var given *kinds.Given
	if a := t.allotment; a != nil {
		given = &kinds.Given{
			IP:   func(ip string) bool { return a.used().ips[ip] && !t.dryRun() }, // a dry run allocates no IP
			Port: func(port int64) bool { return a.used().ports[port] },
			InRange: func(ip string) bool {
				addr, err := netip.ParseAddr(ip)
				return err != nil || !a.closed || a.cidr.Contains(addr)
			},
		}
		if !t.dryRun() {
			given.FirstPort, given.LastPort = firstNodePort, lastNodePort
		}
	}
	errs := t.ep.strategy.ValidateAddresses(asked, object, live, given)
	if a := t.allotment; a != nil && a.err != nil {
		return nil, storeStatus(t.ep, meta(object, "name"), a.err)
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
