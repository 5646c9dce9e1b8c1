//go:build !js

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

func createService(t *testing.T, c *Cluster, name, spec string) document.Value {
	t.Helper()
	r := &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
		Body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"spec":%s}`, name, spec)}
	answer, err := c.Do(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Object.Get("spec")
}

func TestAddressesAreAllocatedOnce(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	// Addresses and ports that other Services have, chosen or allocated, are skipped.
	createService(t, c, "chosen", `{"clusterIP":"10.96.0.2","type":"NodePort","ports":[{"port":80,"nodePort":30001}]}`)
	seen := map[string]bool{"10.96.0.2": true}
	ports := map[int64]bool{30001: true}
	for i := range 5 {
		spec := createService(t, c, fmt.Sprint("s", i), `{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]}`)
		ip := spec.Get("clusterIP").StringOr("")
		if ip == "" || seen[ip] || !document.Equal(spec.Get("clusterIPs"), document.NewList(document.NewString(ip))) {
			t.Errorf("the cluster IPs of %s", spec)
		}
		seen[ip] = true
		port, _ := spec.Get("ports").At(0).Get("nodePort").Int()
		health, _ := spec.Get("healthCheckNodePort").Int()
		for _, p := range []int64{port, health} {
			if p < firstNodePort || p > lastNodePort || ports[p] {
				t.Errorf("the ports of %s", spec)
			}
			ports[p] = true
		}
	}
	if spec := createService(t, c, "headless", `{"clusterIP":"None","ports":[{"port":80}]}`); spec.Get("clusterIP").StringOr("") != "None" {
		t.Errorf("a headless service: %s", spec)
	}
}

// A port that a Service sets itself is not allocated to its other ports.
func TestRequestedPortIsNotAllocatedTwice(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	spec := createService(t, c, "s", `{"type":"NodePort","ports":[{"name":"a","port":80},{"name":"b","port":81,"nodePort":30001},{"name":"c","port":82,"nodePort":30000},{"name":"d","port":83}]}`)
	seen := map[int64]bool{}
	for _, p := range spec.Get("ports").Items() {
		n, _ := p.Get("nodePort").Int()
		if n < firstNodePort || seen[n] {
			t.Errorf("node port %d is missing or duplicated: %s", n, spec.Get("ports"))
		}
		seen[n] = true
	}
}

// listed is a store that counts the lists of Services.
type listed struct {
	store.Store[*Record]
	times int
}

func (l *listed) List(ctx context.Context, scope string, o store.ListOptions[*Record]) (store.Page[*Record], error) {
	l.times++
	return l.Store.List(ctx, scope, o)
}

// A write lists the Services once, however many addresses and ports it allocates.
func TestAllocationListsServicesOnce(t *testing.T) {
	l := &listed{Store: NewStore()}
	c, err := New(Config{Addresses: true, Store: l})
	if err != nil {
		t.Fatal(err)
	}
	l.times = 0
	createService(t, c, "s", `{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"name":"a","port":80},{"name":"b","port":81},{"name":"c","port":82}]}`)
	if l.times != 1 {
		t.Errorf("the store was listed %d times, want once", l.times)
	}
}

func TestAddressesAreNotAllocatedByDefault(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if spec := createService(t, c, "s", `{"type":"NodePort","ports":[{"port":80}]}`); spec.Get("clusterIP").Exists() || spec.Get("ports").At(0).Get("nodePort").Exists() {
		t.Errorf("unexpected allocation: %s", spec)
	}
}

// The lower part of a range is left to Services that request an address or a port (KEP-3070).
func TestRequestedAddressesAreFree(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		createService(t, c, fmt.Sprint("s", i), `{"type":"NodePort","ports":[{"port":80}]}`)
	}
	createService(t, c, "dns", `{"clusterIP":"10.96.0.10","type":"NodePort","ports":[{"port":53,"nodePort":30005}]}`)
	for _, c := range []struct{ first, last, share, most, dynamic int64 }{
		{30000, 32767, 32, 128, 30086}, {1, 65534, 16, 256, 257}, {1, 254, 16, 256, 17}, {1, 14, 16, 256, 1},
	} {
		if b := newBands(c.first, c.last, c.share, c.most); b.upper.first != c.dynamic {
			t.Errorf("%d to %d: the first dynamic number is %d, want %d", c.first, c.last, b.upper.first, c.dynamic)
		}
	}
}

// TestServiceWithoutAFreeAddress fills a range of six addresses.
func TestServiceWithoutAFreeAddress(t *testing.T) {
	c, err := New(Config{Addresses: true, ServiceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/29")}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		createService(t, c, fmt.Sprint("s", i), `{"ports":[{"port":80}]}`)
	}
	r := &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d", Body: []byte(`{"metadata":{"name":"b"},"spec":{"ports":[{"port":80}]}}`)}
	const want = `Internal error occurred: failed to allocate a serviceIP for Service "b": range is full`
	if _, err := c.Do(t.Context(), r); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAddressesRunOut(t *testing.T) {
	a, err := newAddresses(NewStore(), "/registry/services/specs/", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(a.cidrs[0])
	seen := map[string]bool{}
	taken := func(ip string) bool { return seen[ip] }
	for range 65534 {
		ip := p.next(taken)
		if ip == "" || ip == "10.96.0.0" || ip == "10.96.255.255" || seen[ip] {
			t.Fatalf("%s after %d addresses", ip, len(seen))
		}
		seen[ip] = true
	}
	if ip := p.next(taken); ip != "" {
		t.Errorf("%s is given out though all are taken", ip)
	}
	if ip := a.allotment(context.Background()).clusterIP("IPv6"); ip != "" {
		t.Errorf("%s is of no family of the cluster", ip)
	}
}

// TestAddressesOfIPv6 verifies the first dynamic address, the last one and the one after it in ranges of IPv6, which have
// no broadcast address.
func TestAddressesOfIPv6(t *testing.T) {
	none := func(string) bool { return false }
	for cidr, want := range map[string][3]string{
		"fd00::/125":           {"fd00::1", "fd00::7", "fd00::1"},
		"fd00::/112":           {"fd00::101", "fd00::ffff", "fd00::101"},
		"fd00:1:2:3::/64":      {"fd00:1:2:3::101", "", ""},
		"fd00:1:2:3:fe::f0/80": {"fd00:1:2:3:fe::101", "", ""},
	} {
		p := newPool(netip.MustParsePrefix(cidr).Masked())
		if got := p.next(none); got != want[0] {
			t.Errorf("%s: the first address is %s, want %s", cidr, got, want[0])
		}
		if want[1] == "" {
			continue
		}
		p.ips.upper.at = p.ips.upper.last - 1
		if last, first := p.next(none), p.next(none); last != want[1] || first != want[2] {
			t.Errorf("%s: the last address is %s, followed by %s, want %s and %s", cidr, last, first, want[1], want[2])
		}
	}
}

// TestRequestedAddresses: a requested address or port must be free, of the cluster's IP family and
// in its range. The error lists nothing else.
func TestRequestedAddresses(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	createService(t, c, "first", `{"clusterIP":"10.96.0.9","type":"NodePort","ports":[{"port":80,"nodePort":30009}]}`)
	for _, one := range []struct{ spec, want, reason string }{
		{`{"type":"NodePort","ports":[{"port":80,"nodePort":30009}]}`, "spec.ports[0].nodePort: Invalid value: 30009: provided port is already allocated", "a port of another Service"},
		{`{"type":"NodePort","ports":[{"port":80,"nodePort":80}]}`, "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767", "a port outside the range of node ports"},
		{`{"clusterIP":"10.96.0.9","ports":[{"port":80}]}`, `spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated`, "an address of another Service"},
		{`{"ipFamilyPolicy":"RequireDualStack","ports":[{"port":0}]}`, `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services`, "two families"},
		{`{"ipFamilies":["IPv6"],"ports":[{"port":80}]}`, `spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`, "the other family"},
		{`{"clusterIP":"fd00::1","ports":[{"port":80}]}`, `spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster`, "an address of the other family"},
		{`{"type":"ClusterIP","ports":[{"port":80,"nodePort":30010}]}`, "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'", "a node port for a type that has none"},
	} {
		r := &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
			Body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"second"},"spec":%s}`, one.spec)}
		var status *Status
		if _, err := c.Do(context.Background(), r); !errors.As(err, &status) || status.Code != 422 || !strings.HasSuffix(status.Message, one.want) {
			t.Errorf("%s: %v", one.reason, err)
		}
	}
	// An update does not change the addresses of a Service.
	update := &Request{Verb: Patch, Version: "v1", Resource: "services", Namespace: "d", Name: "first", Format: MergePatch,
		Body: []byte(`{"spec":{"clusterIP":"10.96.0.9","ports":[{"port":81,"nodePort":30009}]}}`)}
	if _, err := c.Do(context.Background(), update); err != nil {
		t.Error(err)
	}
}

// A Service cannot take the port of its own health checks as a node port, as kube-apiserver 1.36.3 frees
// that port only after it has allocated the others.
func TestHealthCheckPortAsNodePort(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	createService(t, c, "s", `{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":30555,"ports":[{"port":80,"nodePort":30556}]}`)
	update := func(spec string) error {
		_, err := c.Do(context.Background(), &Request{Verb: Update, Version: "v1", Resource: "services", Namespace: "d", Name: "s",
			Body: []byte(`{"metadata":{"name":"s"},"spec":` + spec + `}`)})
		return err
	}
	for _, spec := range []string{
		`{"type":"NodePort","ports":[{"port":80,"nodePort":30555}]}`,
		`{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":30555,"ports":[{"port":80,"nodePort":30555}]}`,
	} {
		var st *Status
		const want = `Service "s" is invalid: spec.ports[0].nodePort: Invalid value: 30555: provided port is already allocated`
		if err := update(spec); !errors.As(err, &st) || st.Message != want {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	if err := update(`{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":30555,"ports":[{"port":80,"nodePort":30556}]}`); err != nil {
		t.Errorf("its own ports: %v", err)
	}
}

// A Service whose address may be that of another one is not created.
func TestServiceIsRefusedIfTheOthersAreUnknown(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	createService(t, c, "a", `{"ports":[{"port":80}]}`)
	c.addresses.store = failingLists{c.store}
	r := &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
		Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"},"spec":{"ports":[{"port":80}]}}`)}
	var status *Status
	if _, err := c.Do(t.Context(), r); !errors.As(err, &status) || status.Code < 500 || !strings.Contains(status.Message, "the leader is gone") {
		t.Errorf("created, or refused with %v", err)
	}
}

type failingLists struct{ store.Store[*Record] }

func (failingLists) List(context.Context, string, store.ListOptions[*Record]) (store.Page[*Record], error) {
	return store.Page[*Record]{}, &store.UnavailableError{Err: errors.New("the leader is gone")}
}

// TestChosenAddressesOfARange compares which IPs a Service may choose with a kube-apiserver whose range is 10.0.0.0/24.
func TestChosenAddressesOfARange(t *testing.T) {
	c, err := New(Config{Addresses: true, ServiceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	outside := func(ip string) string {
		return "the provided IP (" + ip + ") is not in the valid range. The range of valid IPs is 10.0.0.0/24"
	}
	for i, tc := range []struct {
		name, ip, refused string
		dryRun            []string
	}{
		{"the first host", "10.0.0.1", "", nil},
		{"the last host", "10.0.0.254", "", nil},
		{"one that is taken", "10.0.0.254", "provided IP is already allocated", nil},
		{"the network", "10.0.0.0", "the provided network does not match the current range", nil},
		{"broadcasts", "10.0.0.255", "the provided network does not match the current range", nil},
		{"another range", "10.0.1.1", "the provided network does not match the current range", nil},
		{"one that is taken, in a dry run", "10.0.0.254", "", []string{"All"}},
		{"the network, in a dry run", "10.0.0.0", outside("10.0.0.0"), []string{"All"}},
		{"broadcasts, in a dry run", "10.0.0.255", outside("10.0.0.255"), []string{"All"}},
		{"another range, in a dry run", "10.0.1.1", outside("10.0.1.1"), []string{"All"}},
	} {
		_, err := c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d", Options: Options{DryRun: tc.dryRun},
			Body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s%d"},"spec":{"clusterIP":%q,"ports":[{"port":80}]}}`, i, tc.ip)})
		if want := "failed to allocate IP " + tc.ip + ": " + tc.refused; (err != nil) != (tc.refused != "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.refused)
		}
	}
}

// TestNodePortOfAnotherProtocol compares the refusals of a port that gets the node port which another port with the same
// number requests with those of kube-apiserver, which show that node port.
func TestNodePortOfAnotherProtocol(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	createService(t, c, "first", `{"type":"NodePort","ports":[{"port":80,"nodePort":30001}]}`)
	for _, tc := range []struct{ reason, port, want string }{
		{"it is taken", "30001", "spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated"},
		{"it is out of the range", "32768", "spec.ports[0].nodePort: Invalid value: 32768: provided port is not in the valid range. The range of valid ports is 30000-32767"},
	} {
		_, err := c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d", Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"second"},
			"spec":{"type":"NodePort","ports":[{"name":"a","port":80},{"name":"b","port":80,"protocol":"UDP","nodePort":` + tc.port + `}]}}`)})
		if err == nil || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.reason, err, tc.want)
		}
	}
}

// TestNodePortOfAnExternalName verifies that a node port which a Service of type ExternalName has is free, as in
// kube-apiserver, which does not allocate it.
func TestNodePortOfAnExternalName(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	createService(t, c, "external", `{"type":"ExternalName","externalName":"a.b","ports":[{"port":80,"nodePort":30001}]}`)
	createService(t, c, "first", `{"type":"NodePort","ports":[{"port":80,"nodePort":30001}]}`)
	_, err = c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
		Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"second"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":30001}]}}`)})
	if err == nil || !strings.HasSuffix(err.Error(), "provided port is already allocated") {
		t.Errorf("a third Service with the port: %v", err)
	}
}

// TestAddressesOfADryRun compares the addresses and ports that a dry run shows with those of a kube-apiserver whose range is
// 10.0.0.0/24.
func TestAddressesOfADryRun(t *testing.T) {
	c, err := New(Config{Addresses: true, ServiceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	createService(t, c, "live", `{"clusterIP":"10.0.0.9","type":"NodePort","ports":[{"port":80,"nodePort":30777}]}`)
	createService(t, c, "external", `{"type":"ExternalName","externalName":"a.b"}`)
	for _, tc := range []struct{ reason, name, spec, ip, ports string }{
		{"an address", "new", `{"ports":[{"port":80}]}`, "10.0.0.0", "[]"},
		{"the second dry run", "new", `{"ports":[{"port":80}]}`, "10.0.0.0", "[]"},
		{"two ports", "new", `{"type":"NodePort","ports":[{"name":"a","port":80},{"name":"b","port":81}]}`, "10.0.0.0", "[32769 32770]"},
		{"a requested port between them, and one for health checks", "new",
			`{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"name":"a","port":80},{"name":"b","port":81,"nodePort":30901},{"name":"c","port":82}]}`, "10.0.0.0", "[32769 30901 32770 32771]"},
		{"a port for two protocols", "new",
			`{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"name":"a","port":80},{"name":"b","port":80,"protocol":"UDP"}]}`, "10.0.0.0", "[32769 32769 32770]"},
		{"a requested port for health checks", "new",
			`{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":31000,"ports":[{"name":"a","port":80},{"name":"b","port":81}]}`, "10.0.0.0", "[32769 32770 31000]"},
		{"further ports of an object", "live", `{"type":"NodePort","ports":[{"name":"a","port":80,"nodePort":30777},{"name":"b","port":81},{"name":"c","port":82}]}`, "10.0.0.9", "[30777 32769 32770]"},
		{"another type of an object", "external", `{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]}`, "10.0.0.0", "[32769 32770]"},
	} {
		r := &Request{Verb: Update, Version: "v1", Resource: "services", Namespace: "d", Name: tc.name, Options: Options{DryRun: []string{"All"}},
			Body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"spec":%s}`, tc.name, tc.spec)}
		if tc.name == "new" {
			r.Verb, r.Name = Create, ""
		}
		answer, err := c.Do(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
			continue
		}
		spec, ports := answer.Object.Get("spec"), []int64{}
		for _, port := range spec.Get("ports").Items() {
			if n, ok := port.Get("nodePort").Int(); ok {
				ports = append(ports, n)
			}
		}
		if n, ok := spec.Get("healthCheckNodePort").Int(); ok {
			ports = append(ports, n)
		}
		if ip := spec.Get("clusterIP").StringOr(""); ip != tc.ip || fmt.Sprint(ports) != tc.ports {
			t.Errorf("%s: %s %v, want %s %s", tc.reason, ip, ports, tc.ip, tc.ports)
		}
	}
}

// TestNameThatAnAddressCannotReferTo: the IPAddress of a cluster IP refers to the Service, whose name must be valid there.
// As in the answers of kube-apiserver in testdata/invalid, the error names the IP, requested or chosen, and shows
// clusterIPs as they were before the choice.
func TestNameThatAnAddressCannotReferTo(t *testing.T) {
	c, err := New(Config{Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ reason, metadata, spec, want string }{
		{"an IP that is chosen, no name", `{}`, `{"ports":[{"port":80}]}`,
			`[""]: failed to allocate IP: IPAddress.networking.k8s.io "10.96.1.1" is invalid: spec.parentRef.name: Required value`},
		{"an IP that is chosen, a name with a slash", `{"name":"a/b"}`, `{"ports":[{"port":80}]}`,
			`[""]: failed to allocate IP: IPAddress.networking.k8s.io "10.96.1.2" is invalid: spec.parentRef.name: Invalid value: "a/b": may not contain '/'`},
		{"an IP that is requested", `{"name":"a/b"}`, `{"clusterIP":"10.96.0.9","ports":[{"port":80}]}`,
			`["10.96.0.9"]: failed to allocate IP 10.96.0.9: IPAddress.networking.k8s.io "10.96.0.9" is invalid: spec.parentRef.name: Invalid value: "a/b": may not contain '/'`},
	} {
		_, err := c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
			Body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":%s,"spec":%s}`, tc.metadata, tc.spec)})
		if err == nil || !strings.HasSuffix(err.Error(), "spec.clusterIPs: Invalid value: "+tc.want) {
			t.Errorf("%s: %v, want %s", tc.reason, err, tc.want)
		}
	}
}
