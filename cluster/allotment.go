//go:build !js

package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"strconv"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// The API server's default node port range.
const (
	firstNodePort = 30000
	lastNodePort  = 32767
)

// band is a range of numbers. Allocation proceeds in order through it, wraps around at its end and
// skips what is in use. (kube-apiserver allocates at random.) A number that was allocated but never stored
// becomes available again after the wrap.
type band struct {
	first, last int64
	at          int64 // the number allocated last
}

func newBand(first, last int64) band { return band{first, last, first - 1} }

// next returns the next number that is not taken. ok is false if there is none.
func (b *band) next(taken func(int64) bool) (n int64, ok bool) {
	for range b.last - b.first + 1 {
		if b.at++; b.at > b.last {
			b.at = b.first
		}
		if !taken(b.at) {
			return b.at, true
		}
	}
	return 0, false
}

// bands are the two parts of a range. The lower part is for Services that request a number; the others get one of
// it only if the upper part is full (KEP-3070).
type bands struct{ lower, upper band }

// newBands divides a range. The lower part has the given share of the range, but at least 16 numbers and
// at most the given number.
func newBands(first, last, share, most int64) bands {
	const least = 16
	size := last - first + 1
	static := min(max(least, size/share), most)
	if size <= least {
		static = 0
	}
	return bands{newBand(first, first+static-1), newBand(first+static, last)}
}

func (b *bands) next(taken func(int64) bool) (n int64, ok bool) {
	if n, ok = b.upper.next(taken); ok {
		return n, ok
	}
	return b.lower.next(taken)
}

// addresses allocates cluster IPs and node ports to Services that leave them unset. It is safe for
// concurrent use.
type addresses struct {
	store store.Store[*Record]
	scope string // the scope of Services in the store
	cidr  netip.Prefix
	// closed is set if a Service must not choose an IP outside the range.
	closed  bool
	records addressRecords

	mu    sync.Mutex
	ips   bands // by their offset in cidr
	ports bands
}

func newAddresses(s store.Store[*Record], scope string, cidr netip.Prefix) *addresses {
	in := serviceRange(cidr)
	network, broadcast := int64(0), int64(1)<<(32-in.Bits())-1
	return &addresses{
		store: s, scope: scope, cidr: in, closed: cidr.IsValid(),
		ips:   newBands(network+1, broadcast-1, 16, 256),
		ports: newBands(firstNodePort, lastNodePort, 32, 128),
	}
}

// An allotment allocates the cluster IPs and node ports of one attempt at a write.
type allotment struct {
	*addresses
	ctx context.Context
	// restored is the Service of a request with Restore, whose IPs may be recorded already; otherwise absent.
	restored document.Value

	used  func() usedAddresses // of the other Services, which it lists once
	err   error                // why they could not be listed
	given map[int64]bool       // the node ports allocated so far
	ip    string               // the cluster IP that was allocated, "" for none
	full  string               // aServiceIP or aNodePort if none was left
}

const (
	aServiceIP = "a serviceIP"
	aNodePort  = "a nodePort"
)

// usedAddresses are the cluster IPs and node ports of all Services.
type usedAddresses struct {
	ips   map[string]bool
	ports map[int64]bool
}

func (a *addresses) allotment(ctx context.Context) *allotment {
	allotment := &allotment{addresses: a, ctx: ctx}
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
	if a.ip = a.next(a.taken); a.ip == "" {
		a.full = aServiceIP
	}
	return a.ip
}

// taken reports whether an IP is allocated.
func (a *allotment) taken(ip string) bool {
	if taken, known := a.recorded(ip); known {
		return taken
	}
	return a.used().ips[ip]
}

// next returns the next address that is not taken, or "" if there is none.
func (a *addresses) next(taken func(ip string) bool) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.ips.next(func(n int64) bool { return taken(a.at(n)) })
	if !ok {
		return ""
	}
	return a.at(n)
}

// at returns the address with an offset in the range.
func (a *addresses) at(offset int64) string {
	network := a.cidr.Addr().As4()
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], binary.BigEndian.Uint32(network[:])+uint32(offset))
	return netip.AddrFrom4(ip).String()
}

// nodePort returns a free node port, or 0 if there is none.
func (a *allotment) nodePort() int64 {
	used := a.used()
	a.mu.Lock()
	defer a.mu.Unlock()
	port, ok := a.ports.next(func(n int64) bool { return used.ports[n] || a.given[n] })
	if !ok {
		a.full = aNodePort
		return 0
	}
	if a.given == nil {
		a.given = map[int64]bool{}
	}
	a.given[port] = true
	return port
}

// previewIP returns what a dry run shows as the cluster IP: the network address, which no Service can have. Like
// kube-apiserver, a dry run allocates nothing, so that it does not fail if no address is left.
func (a *addresses) previewIP(family string) string {
	if family != "IPv4" {
		return ""
	}
	return a.cidr.Addr().String()
}

// previewNodePorts returns a function for the node ports of a dry run: successive numbers outside the range. In
// kube-apiserver a port that the Service requests itself is succeeded by the next number.
func previewNodePorts() func() int64 {
	port := int64(lastNodePort + 1)
	return func() int64 {
		port++
		return port
	}
}

// inUse returns the cluster IPs and node ports of all Services.
func (a *addresses) inUse(ctx context.Context) (usedAddresses, error) {
	used := usedAddresses{map[string]bool{}, map[int64]bool{}}
	page, err := a.store.List(ctx, a.scope, store.ListOptions[*Record]{})
	if err != nil {
		return used, err
	}
	addressesOf := kinds.Find(hasAddresses).Addresses
	for _, item := range page.Items {
		ips, ports := addressesOf(item.Value.tree().Value)
		for _, ip := range ips {
			used.ips[ip] = true
		}
		for _, port := range ports {
			used.ports[port] = true
		}
	}
	return used, nil
}

// outOfRange returns why a Service may not choose an IP, "" if it may: it must be in the range of the server or in one that
// clients have added. A text that is not an address is left to the validation, which refuses it.
func (a *allotment) outOfRange(ip string, dryRun bool) string {
	addr, err := netip.ParseAddr(ip)
	switch {
	case err != nil || !a.closed || isHost(a.cidr, addr) || a.inAddedRange(addr):
		return ""
	case dryRun:
		return "the provided IP (" + ip + ") is not in the valid range. The range of valid IPs is " + a.cidr.String()
	}
	return "the provided network does not match the current range"
}

// isHost reports whether an address is in a range and neither the first (the network address) nor the last one (the
// broadcast address).
func isHost(in netip.Prefix, addr netip.Addr) bool {
	return in.Contains(addr) && addr != in.Addr() && in.Contains(addr.Next())
}

// allot sets the functions that allocate addresses to a Service in this attempt at a write.
func (t *task) allot(q *defaults.Request) {
	a := t.addresses
	if a == nil || !hasAddresses(t.ep.strategy) || t.ep.sub != "" {
		return
	}
	t.allotment = a.allotment(t.ctx)
	if t.Request.Restore {
		t.allotment.restored = withMetaText(t.body, "namespace", t.Request.Namespace)
	}
	if t.dryRun() {
		q.ClusterIP, q.NodePort = a.previewIP, previewNodePorts()
	} else {
		q.ClusterIP, q.NodePort = t.allotment.clusterIP, t.allotment.nodePort
	}
}

// given returns which addresses a Service may request, nil if the cluster does not allocate any.
func (t *task) given() *kinds.Given {
	a := t.allotment
	if a == nil {
		return nil
	}
	given := &kinds.Given{
		IP:         func(ip string) bool { return !t.dryRun() && a.taken(ip) }, // a dry run allocates no IP
		Port:       func(port int64) bool { return a.used().ports[port] },
		OutOfRange: func(ip string) string { return a.outOfRange(ip, t.dryRun()) },
	}
	if !t.dryRun() {
		given.FirstPort, given.LastPort = firstNodePort, lastNodePort
	}
	return given
}

// notAllotted returns why the addresses that a Service needs could not be allocated, nil if they could.
func (t *task) notAllotted(name string) *Status {
	a := t.allotment
	switch {
	case a == nil:
		return nil
	case a.err != nil:
		return storeStatus(t.ep, name, a.err)
	case a.full == "":
		return nil
	}
	what := a.full
	if what == aServiceIP {
		what += " for Service " + strconv.Quote(name)
	}
	return internalError(errors.New("failed to allocate " + what + ": range is full"))
}
