package controllers

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// leasesOf returns the Leases of a cluster without what differs between servers.
func leasesOf(t *testing.T, c *cluster.Cluster) (leases []document.Value) {
	t.Helper()
	list, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.List, Group: "coordination.k8s.io", Version: "v1", Resource: "leases"})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items()
}

// TestHoldLease compares the Lease of a server with that of a kube-apiserver 1.36.3 on a machine with the name vm, except for
// the uid, the resourceVersion, times, and the part of the holder that differs between its runs.
func TestHoldLease(t *testing.T) {
	const want = `{"metadata":{"annotations":{"kubernetes.io/peer-advertise-address":"192.0.2.2:39861"},"labels":{"apiserver.kubernetes.io/identity":"kube-apiserver","kubernetes.io/hostname":"vm"},"managedFields":[{"apiVersion":"coordination.k8s.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:kubernetes.io/peer-advertise-address":{}},"f:labels":{".":{},"f:apiserver.kubernetes.io/identity":{},"f:kubernetes.io/hostname":{}}},"f:spec":{"f:holderIdentity":{},"f:leaseDurationSeconds":{},"f:renewTime":{}}},"manager":"kube-apiserver","operation":"Update"}],"name":"apiserver-wlv32tlttr4jl3gtroqexyxapa","namespace":"kube-system"},"spec":{"holderIdentity":"apiserver-wlv32tlttr4jl3gtroqexyxapa_","leaseDurationSeconds":3600}}`
	now := time.Date(2026, 5, 1, 12, 0, 0, 123456000, time.UTC)
	c, err := cluster.New(cluster.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	address := netip.MustParseAddrPort("192.0.2.2:39861")
	var holders [2]string
	for i := range holders { // the second server replaces the Lease of the first one, which has ended without deleting it
		release, err := HoldLease(t.Context(), c, "vm", address)
		if err != nil {
			t.Fatal(err)
		}
		leases := leasesOf(t, c)
		if len(leases) != 1 {
			t.Fatalf("the Leases are %v", leases)
		}
		holders[i] = leases[0].Lookup("spec", "holderIdentity").StringOr("")
		got := leases[0]
		for _, name := range []string{"uid", "resourceVersion", "creationTimestamp"} {
			got = got.Remove("metadata", name)
		}
		managers := got.Lookup("metadata", "managedFields")
		got = got.Set(document.NewList(managers.At(0).Without("time")), "metadata", "managedFields")
		name, _, _ := strings.Cut(holders[i], "_")
		got = got.Set(document.NewString(name+"_"), "spec", "holderIdentity").Remove("spec", "renewTime")
		if got.String() != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if renewed := leases[0].Lookup("spec", "renewTime").StringOr(""); renewed != "2026-05-01T12:00:00.123456Z" {
			t.Errorf("renewed at %s", renewed)
		}
		if i == 1 {
			release()
		}
	}
	if holders[0] == holders[1] || len(holders[0]) != len("apiserver-wlv32tlttr4jl3gtroqexyxapa_1fcd197a-516d-4b7b-989f-09240bdbfdc3") {
		t.Errorf("the holders are %v", holders)
	}
	if leases := leasesOf(t, c); len(leases) > 0 {
		t.Errorf("after the end of the server there are %v", leases)
	}
}

// TestRenewLease renews a Lease, and one that a client has deleted. A server that cannot be reached has no address.
func TestRenewLease(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c, err := cluster.New(cluster.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	l := newLease(c, "vm", netip.AddrPort{})
	if err := l.create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, deletes := range []bool{false, true} {
		if deletes {
			if err := l.delete(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(renewEvery)
		if err := l.renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		leases := leasesOf(t, c)
		if len(leases) != 1 || leases[0].Lookup("spec", "renewTime").String() != l.now().String() || leases[0].Lookup("metadata", "annotations").Exists() ||
			leases[0].Lookup("spec", "holderIdentity").StringOr("") != l.name+"_"+l.id {
			t.Errorf("the Leases are %v", leases)
		}
	}
}
