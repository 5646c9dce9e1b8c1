package controllers

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestBootstrapCreatesTheInitialObjects(t *testing.T) {
	for _, version := range schema.Versions() {
		c, err := cluster.New(cluster.Config{Version: version, Addresses: true, StrictNamespaces: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 2 { // the second run keeps the existing objects
			if err := errors.Join(Bootstrap(t.Context(), c, netip.AddrPort{}), BootstrapRoles(t.Context(), c)); err != nil {
				t.Fatalf("%s: %v", version, err)
			}
		}
		for _, r := range []cluster.Request{
			{Version: "v1", Resource: "namespaces", Name: "kube-system"},
			{Version: "v1", Resource: "services", Namespace: "default", Name: "kubernetes"},
			{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses", Name: "system-node-critical"},
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "cluster-admin"},
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Name: "cluster-admin"},
		} {
			resp, err := c.Do(context.Background(), &r)
			if err != nil {
				t.Errorf("%s: %v", version, err)
				continue
			}
			if manager := resp.Object.Lookup("metadata", "managedFields").At(0).Get("manager").StringOr(""); manager != "kube-apiserver" {
				t.Errorf("%s: %s was made by %q", version, r.Name, manager)
			}
		}
		if cidr, err := c.Do(context.Background(), &cluster.Request{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Name: "kubernetes"}); err == nil {
			condition := cidr.Object.Lookup("status", "conditions").At(0)
			if condition.Get("status").StringOr("") != "True" || cidr.Object.Lookup("metadata", "managedFields").At(0).Get("manager").StringOr("") != "kubernetes-service-cidr-controller" {
				t.Errorf("%s: the ServiceCIDR is %s", version, cidr.Object)
			}
		} else if version >= "1.33" {
			t.Errorf("%s: %v", version, err)
		}
		// The fields that only the allocation of addresses sets have no manager.
		service, err := c.Do(context.Background(), &cluster.Request{Version: "v1", Resource: "services", Namespace: "default", Name: "kubernetes"})
		if err != nil {
			t.Fatal(err)
		}
		owned := service.Object.Lookup("metadata", "managedFields").At(0).Lookup("fieldsV1", "f:spec")
		for _, field := range []string{"clusterIPs", "ipFamilies"} {
			if owned.Get("f:"+field).Exists() || service.Object.Lookup("spec", field).Len() != 1 {
				t.Errorf("%s: %s is owned or missing: %s", version, field, service.Object)
			}
		}
		// The cluster IP of the kubernetes Service is not allocated to another Service.
		resp, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "services", Namespace: "default",
			Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":1}]}}`)})
		if err != nil || resp.Object.Lookup("spec", "clusterIP").StringOr("") == "10.96.0.1" {
			t.Errorf("%s: %v %v", version, resp, err)
		}
	}
}

// TestServiceCIDROfLaterServers starts servers with several ranges of cluster IPs over one store, one after the other: the
// ServiceCIDR of a server with one range gets the second range of the next server, and is otherwise not changed.
func TestServiceCIDROfLaterServers(t *testing.T) {
	const ipv4, ipv6, other = "10.0.0.0/24", "fd00::/112", "10.1.0.0/24"
	for _, tc := range []struct {
		reason                string
		first, second, result []string
	}{
		{"the first server", []string{ipv4}, []string{ipv4}, []string{ipv4}},
		{"a second family", []string{ipv4}, []string{ipv4, ipv6}, []string{ipv4, ipv6}},
		{"another range", []string{ipv4}, []string{other}, []string{ipv4}},
		{"another range and a second family", []string{ipv4}, []string{other, ipv6}, []string{ipv4}},
		{"the second family first", []string{ipv4}, []string{ipv6, ipv4}, []string{ipv4}},
		{"one family fewer", []string{ipv4, ipv6}, []string{ipv4}, []string{ipv4, ipv6}},
	} {
		store := cluster.NewStore()
		var c *cluster.Cluster
		for _, texts := range [][]string{tc.first, tc.second} {
			var ranges []netip.Prefix
			for _, text := range texts {
				ranges = append(ranges, netip.MustParsePrefix(text))
			}
			var err error
			if c, err = cluster.New(cluster.Config{Store: store, Addresses: true, ServiceRanges: ranges}); err != nil {
				t.Fatal(err)
			}
			if err := Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := c.Do(t.Context(), &cluster.Request{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Name: "kubernetes"})
		if err != nil {
			t.Fatal(err)
		}
		if cidrs := got.Object.Lookup("spec", "cidrs").Strings(); !slices.Equal(cidrs, tc.result) {
			t.Errorf("%s: %q, want %q", tc.reason, cidrs, tc.result)
		}
	}
}

// TestPublishAddress compares the objects with the address of a server with those that kube-apiserver 1.36.3 had
// created, except for the uid, the resourceVersion and times; with an address of IPv6 only the family differs. The
// Service has the port of the server as its target.
func TestPublishAddress(t *testing.T) {
	endpoints := cluster.Request{Version: "v1", Resource: "endpoints", Namespace: "default", Name: "kubernetes"}
	slice := cluster.Request{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Namespace: "default", Name: "kubernetes"}
	for _, tc := range []struct {
		name, at         string
		endpoints, slice string
	}{
		{
			"IPv4", "192.0.2.2:45473",
			`{"apiVersion":"v1","kind":"Endpoints","metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"},"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:endpointslice.kubernetes.io/skip-mirror":{}}},"f:subsets":{}},"manager":"kube-apiserver","operation":"Update"}],"name":"kubernetes","namespace":"default"},"subsets":[{"addresses":[{"ip":"192.0.2.2"}],"ports":[{"name":"https","port":45473,"protocol":"TCP"}]}]}`,
			`{"addressType":"IPv4","apiVersion":"discovery.k8s.io/v1","endpoints":[{"addresses":["192.0.2.2"],"conditions":{"ready":true}}],"kind":"EndpointSlice","metadata":{"generation":1,"labels":{"kubernetes.io/service-name":"kubernetes"},"managedFields":[{"apiVersion":"discovery.k8s.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:addressType":{},"f:endpoints":{},"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/service-name":{}}},"f:ports":{}},"manager":"kube-apiserver","operation":"Update"}],"name":"kubernetes","namespace":"default"},"ports":[{"name":"https","port":45473,"protocol":"TCP"}]}`,
		},
		{
			"IPv6", "[2001:db8::2]:6443", "",
			`{"addressType":"IPv6","apiVersion":"discovery.k8s.io/v1","endpoints":[{"addresses":["2001:db8::2"],"conditions":{"ready":true}}],"kind":"EndpointSlice","metadata":{"generation":1,"labels":{"kubernetes.io/service-name":"kubernetes"},"managedFields":[{"apiVersion":"discovery.k8s.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:addressType":{},"f:endpoints":{},"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/service-name":{}}},"f:ports":{}},"manager":"kube-apiserver","operation":"Update"}],"name":"kubernetes","namespace":"default"},"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}`,
		},
	} {
		c, err := cluster.New(cluster.Config{Addresses: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		at := netip.MustParseAddrPort(tc.at)
		if err := Bootstrap(t.Context(), c, at); err != nil {
			t.Fatal(err)
		}
		service := cluster.Request{Version: "v1", Resource: "services", Namespace: "default", Name: "kubernetes"}
		if got, err := c.Do(t.Context(), &service); err != nil {
			t.Error(err)
		} else if port := got.Object.Lookup("spec", "ports").At(0).Get("targetPort"); port.String() != strconv.Itoa(int(at.Port())) {
			t.Errorf("%s: the Service has the port %s", tc.name, port)
		}
		for range 2 { // the second server keeps the existing objects
			if err := PublishAddress(t.Context(), c, at); err != nil {
				t.Fatal(err)
			}
		}
		for want, r := range map[string]cluster.Request{tc.endpoints: endpoints, tc.slice: slice} {
			if want == "" {
				continue
			}
			got, err := c.Do(t.Context(), &r)
			if err != nil {
				t.Fatal(err)
			}
			o := got.Object
			for _, name := range []string{"uid", "resourceVersion", "creationTimestamp"} {
				o = o.Remove("metadata", name)
			}
			managers := o.Lookup("metadata", "managedFields")
			o = o.Set(document.NewList(managers.At(0).Without("time")), "metadata", "managedFields")
			if o.String() != want {
				t.Errorf("%s: got  %s\nwant %s", tc.name, o, want)
			}
		}
	}
}

// TestPublishAddressReplacesThatOfAnotherServer publishes the addresses of servers that run one after the other over the
// same store. As kube-apiserver's, the objects then have that of the last one.
func TestPublishAddressReplacesThatOfAnotherServer(t *testing.T) {
	for _, tc := range []struct {
		name, before, at string
		endpoints, slice string // without their metadata
		kept             bool   // the objects are not written
	}{
		{
			"another port", "192.0.2.2:6443", "192.0.2.2:8001",
			`{"subsets":[{"addresses":[{"ip":"192.0.2.2"}],"ports":[{"name":"https","port":8001,"protocol":"TCP"}]}]}`,
			`{"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.2"],"conditions":{"ready":true}}],"ports":[{"name":"https","port":8001,"protocol":"TCP"}]}`, false,
		},
		{
			"another address", "192.0.2.2:6443", "198.51.100.7:6443",
			`{"subsets":[{"addresses":[{"ip":"198.51.100.7"}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}]}`,
			`{"addressType":"IPv4","endpoints":[{"addresses":["198.51.100.7"],"conditions":{"ready":true}}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}`, false,
		},
		{
			"an address of the other family, to which a slice cannot be changed", "192.0.2.2:6443", "[2001:db8::2]:6443",
			`{"subsets":[{"addresses":[{"ip":"2001:db8::2"}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}]}`,
			`{"addressType":"IPv6","endpoints":[{"addresses":["2001:db8::2"],"conditions":{"ready":true}}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}`, false,
		},
		{
			"the same address", "192.0.2.2:6443", "192.0.2.2:6443",
			`{"subsets":[{"addresses":[{"ip":"192.0.2.2"}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}]}`,
			`{"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.2"],"conditions":{"ready":true}}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}`, true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := cluster.New(cluster.Config{Addresses: true})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
				t.Fatal(err)
			}
			published := func(at string) (objects [2]document.Value) {
				if err := PublishAddress(t.Context(), c, netip.MustParseAddrPort(at)); err != nil {
					t.Fatal(err)
				}
				for i, r := range []cluster.Request{
					{Version: "v1", Resource: "endpoints", Namespace: "default", Name: "kubernetes"},
					{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Namespace: "default", Name: "kubernetes"},
				} {
					got, err := c.Do(t.Context(), &r)
					if err != nil {
						t.Fatal(err)
					}
					objects[i] = got.Object
				}
				return objects
			}
			before, after := published(tc.before), published(tc.at)
			for i, want := range []string{tc.endpoints, tc.slice} {
				if got := after[i].Without("apiVersion").Without("kind").Without("metadata").String(); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				if managers := after[i].Lookup("metadata", "managedFields"); managers.Len() != 1 || managers.At(0).Get("manager").StringOr("") != "kube-apiserver" {
					t.Errorf("the managers are %s", managers)
				}
				if kept := after[i].String() == before[i].String(); kept != tc.kept {
					t.Errorf("kept: %t\n%s\n%s", kept, before[i], after[i])
				}
			}
		})
	}
}

// TestPublishAddressesOfSeveralServers runs servers with the same port over one store. As those of kube-apiserver 1.36.3,
// the objects have the addresses of all that run, sorted as text, and only those of the same family.
func TestPublishAddressesOfSeveralServers(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c, err := cluster.New(cluster.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
		t.Fatal(err)
	}
	hold := func(host, at string) func() {
		release, err := HoldLease(t.Context(), c, host, netip.MustParseAddrPort(at))
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	first, second := "192.0.2.2:6443", "192.0.2.13:6443"
	defer hold("first", first)()
	release := hold("second", second)
	defer hold("third", "[2001:db8::2]:6443")()
	check := func(when, at string, ips ...string) {
		t.Helper()
		if err := PublishAddress(t.Context(), c, netip.MustParseAddrPort(at)); err != nil {
			t.Fatal(err)
		}
		got, err := c.Do(t.Context(), &cluster.Request{Version: "v1", Resource: "endpoints", Namespace: "default", Name: "kubernetes"})
		if err != nil {
			t.Fatal(err)
		}
		slice, err := c.Do(t.Context(), &cluster.Request{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Namespace: "default", Name: "kubernetes"})
		if err != nil {
			t.Fatal(err)
		}
		var published, sliced []string
		for _, address := range got.Object.Get("subsets").At(0).Get("addresses").Items() {
			published = append(published, address.Get("ip").StringOr(""))
		}
		for _, endpoint := range slice.Object.Get("endpoints").Items() {
			sliced = append(sliced, endpoint.Get("addresses").At(0).StringOr(""))
		}
		if !slices.Equal(published, ips) || !slices.Equal(sliced, ips) {
			t.Errorf("%s: %v and %v, want %v", when, published, sliced, ips)
		}
	}
	check("both run", first, "192.0.2.13", "192.0.2.2")
	check("both run", second, "192.0.2.13", "192.0.2.2")
	now = now.Add(leaseSeconds * time.Second)
	check("the Leases end now", first, "192.0.2.13", "192.0.2.2")
	now = now.Add(time.Second)
	check("the Leases have expired", first, "192.0.2.2")
	now = now.Add(-time.Minute)
	check("the Leases are valid", first, "192.0.2.13", "192.0.2.2")
	release()
	check("the second server has ended", first, "192.0.2.2")
}
