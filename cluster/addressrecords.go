//go:build !js

package cluster

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/store"
)

// kube-apiserver has an IPAddress for each cluster IP that is allocated. It creates it before the
// Service and deletes it after it, so that of two Services with the same IP only one is created, also by
// several servers that share a store, and an IPAddress that a client has created reserves its IP.

// addressRecords holds the endpoint of the IPAddresses. The zero value is that of a cluster without them.
type addressRecords struct{ endpoint atomic.Pointer[endpoint] }

// reservation is the list of cluster IPs for which an attempt at a write has created objects.
type reservation []string

// RecordAddresses creates an IPAddress for each cluster IP of the Services in the store, as
// kube-apiserver does when it starts, and from then on for each cluster IP that is allocated. It deletes those whose
// Service does not exist or does not have the IP, which a server that ends during a write leaves behind. Other existing
// objects are not changed. A cluster that does not allocate addresses, or whose version of Kubernetes does not
// serve IPAddresses, has none.
func (c *Cluster) RecordAddresses(ctx context.Context) error {
	request := c.recordRequest(Get, "any")
	ep, st := c.resolve(request)
	if c.addresses == nil || st != nil {
		return nil
	}
	c.addresses.records.endpoint.Store(ep)
	page, err := c.store.List(ctx, c.addresses.scope, store.ListOptions[*Record]{})
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		service := item.Value.tree().Value
		for _, ip := range allocatedIPs(service) {
			if err := c.recordAddress(ctx, ip, service, item.Key); err != nil {
				return err
			}
		}
	}
	return c.deleteLeaked(ctx)
}

// recordAddress creates the IPAddress of a cluster IP of a stored Service, whose key is given, unless it
// exists.
func (c *Cluster) recordAddress(ctx context.Context, ip string, service document.Value, key string) error {
	if _, taken, err := c.addresses.record(ctx, ip); err != nil || taken {
		return err
	}
	switch st := c.createRecord(ctx, ip, service); {
	case st == nil:
		return c.keepRecord(ctx, key, ip)
	case st.Reason != ReasonAlreadyExists:
		return st
	}
	return nil
}

// keepRecord deletes the IPAddress that has been created for a Service if the Service has lost the IP meanwhile: it may
// have found no IPAddress to delete.
func (c *Cluster) keepRecord(ctx context.Context, service, ip string) error {
	now, err := c.store.Get(ctx, service, store.GetOptions{})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || !slices.Contains(allocatedIPs(now.Value.tree().Value), ip) {
		c.deleteRecords(ctx, []string{ip})
	}
	return nil
}

// allocatedIPs returns the cluster IPs of a Service in their canonical forms, which are the names of IPAddresses; none if
// service is absent.
func allocatedIPs(service document.Value) (canonical []string) {
	if !service.Exists() {
		return nil
	}
	ips, _ := kinds.Find(hasAddresses).Addresses(service)
	for _, ip := range ips {
		if addr, err := netip.ParseAddr(ip); err == nil { // neither unset nor None
			canonical = append(canonical, addr.String())
		}
	}
	return canonical
}

// recordRequest returns a request about an IPAddress by the API server itself.
func (c *Cluster) recordRequest(verb Verb, name string) *Request {
	s := kinds.Find(func(s *kinds.Strategy) bool { return s.RecordsAddresses })
	return (&Request{Verb: verb, Group: s.Group, Version: "v1", Resource: s.Resource, Name: name}).AsServer()
}

// createRecord creates the IPAddress of a Service.
func (c *Cluster) createRecord(ctx context.Context, ip string, service document.Value) *Status {
	r := c.recordRequest(Create, "")
	r.Document = &document.Document{Root: kinds.AddressRecord(ip, service)}
	_, st := c.do(ctx, r)
	return st
}

// record returns the IPAddress of a cluster IP. taken is false if there is none.
func (a *addresses) record(ctx context.Context, ip string) (record document.Value, taken bool, err error) {
	item, err := a.store.Get(ctx, a.records.endpoint.Load().key("", ip), store.GetOptions{})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return record, false, nil
	case err != nil:
		return record, false, err
	}
	return item.Value.tree().Value, true, nil
}

// recorded reports whether the IP has an IPAddress, other than that of a Service which is restored. known is false in
// a cluster without these objects. If the store fails, a.err is set and the IP counts as free, which ends the search
// for a free one.
func (a *allotment) recorded(ip string) (taken, known bool) {
	if a.records.endpoint.Load() == nil {
		return false, false
	}
	_, taken, err := a.record(a.ctx, ip)
	if err != nil {
		a.err = err
	}
	return taken && !a.restores(ip), true
}

// addedRanges returns the ranges of the ServiceCIDRs that are ready, or not known not to be, and are not being deleted, in
// the order of their names. If the store fails, a.err is set.
func (a *allotment) addedRanges() (ranges []netip.Prefix) {
	if a.records.endpoint.Load() == nil {
		return nil
	}
	s := kinds.Find(func(s *kinds.Strategy) bool { return s.AddressRanges != nil })
	page, err := a.store.List(a.ctx, scopeOf(s), store.ListOptions[*Record]{})
	if err != nil {
		a.err = err
	}
	for _, item := range page.Items {
		object := item.Value.tree().Value
		if hasMeta(object, "deletionTimestamp") {
			continue
		}
		for _, text := range s.AddressRanges(object) {
			if in, err := netip.ParsePrefix(text); err == nil {
				ranges = append(ranges, in)
			}
		}
	}
	return ranges
}

// reserve creates the IPAddresses of the cluster IPs that the last attempt gives to a Service. again is true if
// another write has taken one since the attempt has allocated it, so that the attempt has to be repeated.
func (w *write) reserve() (again bool, st *Status) {
	c, t, object := w.c, w.t, w.out.object.Value
	if t.allotment == nil || t.dryRun() || c.addresses.records.endpoint.Load() == nil {
		return false, nil
	}
	had := allocatedIPs(w.was)
	for _, ip := range allocatedIPs(object) {
		if slices.Contains(had, ip) || t.allotment.restores(ip) {
			continue
		}
		if st = c.createRecord(t.ctx, ip, object); st == nil {
			w.reserved = append(w.reserved, ip)
			continue
		}
		w.unreserve()
		if st.Reason == ReasonAlreadyExists {
			return true, nil
		}
		asked, which := object.Lookup("spec", "clusterIPs").String(), " "+ip
		if slices.Contains(t.allotment.ips, ip) {
			asked, which = `[""]`, "" // as kube-apiserver reports one that it has chosen
		}
		return false, invalid(t.ep.invalidKind(object), meta(object, "name"), []Cause{
			invalidValue("spec.clusterIPs", asked, "failed to allocate IP"+which+": "+st.Message)})
	}
	return false, nil
}

// restores reports whether an IP has the IPAddress of the Service that a request restores.
func (a *allotment) restores(ip string) bool {
	if !a.restored.Exists() {
		return false
	}
	record, found, err := a.record(a.ctx, ip)
	return err == nil && found && kinds.RecordsAddressOf(record, a.restored)
}

// unreserve deletes the IPAddresses that an attempt has created, unless its result has been stored.
func (w *write) unreserve() {
	w.c.deleteRecords(w.t.ctx, w.reserved)
	w.reserved = nil
}

// keepReserved keeps the IPAddresses that an attempt has created, because its result has been stored.
func (w *write) keepReserved() { w.reserved = nil }

// released processes the end of a Service, if next is absent, or its change from was to next: the cluster IPs that it
// no longer has become free.
func (c *Cluster) released(ctx context.Context, ep *endpoint, was, next document.Value) {
	if c.addresses == nil {
		return
	}
	if c.addresses.records.endpoint.Load() != nil {
		has := allocatedIPs(next)
		c.deleteRecords(ctx, slices.DeleteFunc(allocatedIPs(was), func(ip string) bool { return slices.Contains(has, ip) }))
	}
	if !next.Exists() {
		c.deleteNamesake(ctx, ep, was)
	}
}

// deleteRecords deletes IPAddresses, whoever has created them. As in kube-apiserver, one that cannot be deleted is left.
func (c *Cluster) deleteRecords(ctx context.Context, ips []string) {
	for _, ip := range ips {
		_, _ = c.do(context.WithoutCancel(ctx), c.recordRequest(Delete, ip))
	}
}

// deleteNamesake deletes the Endpoints with the name of a deleted Service, without admission
// (pkg/registry/core/service/storage, afterDelete).
func (c *Cluster) deleteNamesake(ctx context.Context, of *endpoint, object document.Value) {
	r := &Request{
		Verb: Delete, Group: of.kind.Group, Version: of.kind.Version, Resource: of.strategy.DeletesNamesake,
		Namespace: meta(object, "namespace"), Name: meta(object, "name"),
	}
	if ep, st := c.resolve(r); st == nil {
		d := &deletion{Cluster: c, Request: r, ep: ep, now: c.config.Now(), admitted: true}
		_, _ = d.deleteOne(context.WithoutCancel(ctx), r.Namespace, r.Name)
	}
}
