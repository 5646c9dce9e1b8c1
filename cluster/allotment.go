//go:build !js

package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/ipfamily"
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

// A pool allocates cluster IPs of one range.
type pool struct {
	cidr netip.Prefix
	ips  bands // by their offset in cidr
}

func newPool(cidr netip.Prefix) *pool {
	const most = 62 // bits of an offset: a larger range does not fill up
	last := int64(1)<<min(cidr.Addr().BitLen()-cidr.Bits(), most) - 1
	if cidr.Addr().Is4() {
		last-- // the broadcast address
	}
	return &pool{cidr, newBands(1, last, 16, 256)}
}

// next returns the next address that is not taken, or "" if there is none.
func (p *pool) next(taken func(ip string) bool) string {
	n, ok := p.ips.next(func(n int64) bool { return taken(p.at(n)) })
	if !ok {
		return ""
	}
	return p.at(n)
}

// at returns the address with an offset in the range.
func (p *pool) at(offset int64) string {
	ip := p.cidr.Addr().AsSlice()
	last := ip[max(len(ip)-8, 0):] // no range has more than 64 bits of offsets
	if len(ip) == 4 {
		binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)+uint32(offset))
	} else {
		binary.BigEndian.PutUint64(last, binary.BigEndian.Uint64(last)+uint64(offset))
	}
	addr, _ := netip.AddrFromSlice(ip)
	return addr.String()
}

// addresses allocates cluster IPs and node ports to Services that leave them unset. It is safe for
// concurrent use.
type addresses struct {
	store store.Store[*Record]
	scope string // the scope of Services in the store
	// cidrs are the ranges of the server, and families the IP family of each, the default one first.
	cidrs    []netip.Prefix
	families []string
	// closed is set if a Service must not choose an IP outside the ranges.
	closed  bool
	records addressRecords

	mu    sync.Mutex
	pools map[netip.Prefix]*pool
	ports bands
}

func newAddresses(s store.Store[*Record], scope string, cidrs []netip.Prefix) (*addresses, error) {
	if err := CheckServiceRanges(cidrs); err != nil {
		return nil, err
	}
	a := &addresses{
		store: s, scope: scope, cidrs: serviceRanges(cidrs), closed: cidrs != nil,
		pools: map[netip.Prefix]*pool{},
		ports: newBands(firstNodePort, lastNodePort, 32, 128),
	}
	for _, cidr := range a.cidrs {
		a.families = append(a.families, ipfamily.Of(cidr.Addr().String()))
	}
	return a, nil
}

// of returns the range of the server of an IP family; the zero Prefix if it has none.
func (a *addresses) of(family string) netip.Prefix {
	if i := slices.Index(a.families, family); i >= 0 {
		return a.cidrs[i]
	}
	return netip.Prefix{}
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
	ips   []string             // the cluster IPs that were allocated
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

// clusterIP returns a free address of an IP family, or "" if there is none: of the range of the server or, if that is
// full, of one that clients have added.
func (a *allotment) clusterIP(family string) string {
	own := a.of(family)
	if !own.IsValid() {
		return ""
	}
	ip := a.next(own)
	if ip == "" {
		ip = a.nextAdded(own)
	}
	if ip == "" {
		a.full = aServiceIP
	} else {
		a.ips = append(a.ips, ip)
	}
	return ip
}

// nextAdded returns a free address of a range that clients have added to that of the server, or "" if there is none.
func (a *allotment) nextAdded(own netip.Prefix) string {
	for _, added := range a.addedRanges() {
		if added == own || added.Addr().Is4() != own.Addr().Is4() {
			continue
		}
		if ip := a.next(added); ip != "" {
			return ip
		}
	}
	return ""
}

// next returns the next address of a range that is not allocated, or "" if there is none.
func (a *allotment) next(cidr netip.Prefix) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.pools[cidr]
	if p == nil {
		p = newPool(cidr)
		a.pools[cidr] = p
	}
	return p.next(a.taken)
}

// taken reports whether an IP in its canonical form is allocated.
func (a *allotment) taken(ip string) bool {
	if taken, known := a.recorded(ip); known {
		return taken
	}
	return a.used().ips[ip]
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
	if own := a.of(family); own.IsValid() {
		return own.Addr().String()
	}
	return ""
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
		service := item.Value.tree().Value
		for _, ip := range allocatedIPs(service) {
			used.ips[ip] = true
		}
		_, ports := addressesOf(service)
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
	case err != nil || !a.closed || a.inRange(addr):
		return ""
	case dryRun:
		return "the provided IP (" + ip + ") is not in the valid range. The range of valid IPs is " + a.of(ipfamily.Of(ip)).String()
	}
	return "the provided network does not match the current range"
}

// inRange reports whether an address may be that of a Service: of a range of the server, or of one that clients have added.
func (a *allotment) inRange(addr netip.Addr) bool {
	within := func(in netip.Prefix) bool { return isHost(in, addr) }
	return slices.ContainsFunc(a.cidrs, within) || slices.ContainsFunc(a.addedRanges(), within)
}

// isHost reports whether an address is in a range and neither the first (the network address) nor, in IPv4, the last one
// (the broadcast address).
func isHost(in netip.Prefix, addr netip.Addr) bool {
	return in.Contains(addr) && addr != in.Addr() && (addr.Is6() || in.Contains(addr.Next()))
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
	q.Families = a.families
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
		Families: a.families,
		IP: func(ip string) bool {
			addr, err := netip.ParseAddr(ip)
			return !t.dryRun() && err == nil && a.taken(addr.String()) // a dry run allocates no IP
		},
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
