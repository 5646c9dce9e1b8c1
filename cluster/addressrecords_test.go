//go:build !js

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

func recording(t *testing.T, s store.Store[*Record]) *Cluster {
	t.Helper()
	c, err := New(Config{Addresses: true, Store: s})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RecordAddresses(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// recordsOf returns the IPAddresses of a cluster, each as "IP namespace/name" of its Service.
func recordsOf(t *testing.T, c *Cluster) string {
	t.Helper()
	list, err := c.Do(t.Context(), &Request{Verb: List, Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses"})
	if err != nil {
		t.Fatal(err)
	}
	var records []string
	for _, record := range list.Items() {
		parent := record.Lookup("spec", "parentRef")
		records = append(records, meta(record, "name")+" "+parent.Get("namespace").StringOr("")+"/"+parent.Get("name").StringOr(""))
	}
	return strings.Join(records, ", ")
}

// TestConcurrentServicesDoNotShareAnAddress creates Services with the same IP at the same time, in two clusters over the
// same store: one is created.
func TestConcurrentServicesDoNotShareAnAddress(t *testing.T) {
	s := NewStore()
	clusters := []*Cluster{recording(t, s), recording(t, s)}
	const requests = 8
	var errs [requests]error
	var wait sync.WaitGroup
	for i := range requests {
		wait.Go(func() {
			_, errs[i] = clusters[i%2].Do(context.Background(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
				Body: fmt.Appendf(nil, `{"metadata":{"name":"s%d"},"spec":{"clusterIP":"10.96.0.9","ports":[{"port":80}]}}`, i)})
		})
	}
	wait.Wait()
	created := 0
	for _, err := range errs {
		switch {
		case err == nil:
			created++
		case !strings.HasSuffix(err.Error(), "failed to allocate IP 10.96.0.9: provided IP is already allocated"):
			t.Error(err)
		}
	}
	if records := recordsOf(t, clusters[0]); created != 1 || !strings.HasPrefix(records, "10.96.0.9 d/s") || strings.Contains(records, ",") {
		t.Errorf("%d Services were created, and the addresses are %s", created, records)
	}
}

// TestConcurrentServicesHaveAddresses allocates addresses in two clusters over the same store, each of which begins with
// the same one.
func TestConcurrentServicesHaveAddresses(t *testing.T) {
	s := NewStore()
	clusters := []*Cluster{recording(t, s), recording(t, s)}
	const requests = 20
	var ips [requests]string
	var wait sync.WaitGroup
	for i := range requests {
		wait.Go(func() {
			answer, err := clusters[i%2].Do(context.Background(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
				Body: fmt.Appendf(nil, `{"metadata":{"name":"s%d"},"spec":{"ports":[{"port":80}]}}`, i)})
			if err != nil {
				t.Error(err)
				return
			}
			ips[i] = answer.Object.Lookup("spec", "clusterIP").StringOr("")
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	for _, ip := range ips {
		if ip == "" || seen[ip] {
			t.Errorf("the addresses are %v", ips)
		}
		seen[ip] = true
	}
}

// TestAddressesOfExistingServicesAreRecorded starts over a store that was written without IPAddresses, one of which exists.
func TestAddressesOfExistingServicesAreRecorded(t *testing.T) {
	s := NewStore()
	c, err := New(Config{Addresses: true, Store: s})
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]string{
		"a": `{"clusterIP":"10.96.0.9","ports":[{"port":80}]}`, "headless": `{"clusterIP":"None","ports":[{"port":80}]}`, "external": `{"type":"ExternalName","externalName":"a.b"}`,
		"other": `{"clusterIP":"192.0.2.1","ports":[{"port":80}]}`,
	} {
		createService(t, c, name, spec)
	}
	const want = "10.96.0.9 d/a, 192.0.2.1 d/other"
	for range 2 {
		if got := recordsOf(t, recording(t, s)); got != want {
			t.Errorf("the addresses are %s, want %s", got, want)
		}
	}
}

// afterList is a store that calls a function once after it has listed Services.
type afterList struct {
	store.Store[*Record]
	call func()
}

func (s *afterList) List(ctx context.Context, scope string, o store.ListOptions[*Record]) (store.Page[*Record], error) {
	page, err := s.Store.List(ctx, scope, o)
	if call := s.call; call != nil && len(page.Items) > 0 {
		s.call = nil
		call()
	}
	return page, err
}

// TestAddressOfAServiceThatIsBeingDeleted restores the IPAddress of a Service while the Service is deleted, or gives up its
// IP: the IP is free afterwards.
func TestAddressOfAServiceThatIsBeingDeleted(t *testing.T) {
	service := Request{Version: "v1", Resource: "services", Namespace: "d", Name: "a"}
	for name, r := range map[string]Request{
		"deleted":      {Verb: Delete},
		"ExternalName": {Verb: Patch, Format: MergePatch, Body: []byte(`{"spec":{"type":"ExternalName","externalName":"a.b","clusterIP":null,"clusterIPs":null}}`)},
	} {
		s := &afterList{Store: NewStore()}
		c := recording(t, s)
		createService(t, c, "a", `{"clusterIP":"10.96.0.9","ports":[{"port":80}]}`)
		if _, err := c.Do(t.Context(), &Request{Verb: Delete, Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses", Name: "10.96.0.9"}); err != nil {
			t.Fatal(err)
		}
		s.call = func() {
			write := service
			write.Verb, write.Format, write.Body = r.Verb, r.Format, r.Body
			if _, err := c.Do(t.Context(), &write); err != nil {
				t.Error(name, err)
			}
		}
		if err := c.RecordAddresses(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := recordsOf(t, c); got != "" {
			t.Errorf("%s: the addresses are %s", name, got)
		}
	}
}

// TestAddressesAreNotRecorded: versions of Kubernetes without IPAddresses, and clusters that allocate no addresses.
func TestAddressesAreNotRecorded(t *testing.T) {
	for _, config := range []Config{{Version: "1.32", Addresses: true}, {}} {
		c, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.RecordAddresses(t.Context()); err != nil {
			t.Error(err)
		}
		createService(t, c, "a", `{"ports":[{"port":80}]}`)
	}
}

// TestRestoredServiceHasItsAddress restores the IPAddress of a dump and then its Service. That of another Service is
// not available.
func TestRestoredServiceHasItsAddress(t *testing.T) {
	c := recording(t, NewStore())
	restore := func(group, resource, namespace, body string) error {
		_, err := c.Do(t.Context(), &Request{Verb: Create, Group: group, Version: "v1", Resource: resource, Namespace: namespace, Restore: true, Body: []byte(body)})
		return err
	}
	const address = `{"apiVersion":"networking.k8s.io/v1","kind":"IPAddress","metadata":{"name":%q,"uid":"11111111-1111-4111-8111-111111111111"},"spec":{"parentRef":{"resource":"services","namespace":"d","name":%q}}}`
	for ip, name := range map[string]string{"10.96.0.9": "a", "10.96.0.10": "b"} {
		if err := restore("networking.k8s.io", "ipaddresses", "", fmt.Sprintf(address, ip, name)); err != nil {
			t.Fatal(err)
		}
	}
	const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"clusterIP":%q,"ports":[{"port":80}]}}`
	if err := restore("", "services", "d", fmt.Sprintf(service, "10.96.0.10")); err == nil || !strings.HasSuffix(err.Error(), "provided IP is already allocated") {
		t.Errorf("with the address of another Service: %v", err)
	}
	if err := restore("", "services", "d", fmt.Sprintf(service, "10.96.0.9")); err != nil {
		t.Error(err)
	}
	got, err := c.Do(t.Context(), &Request{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses", Name: "10.96.0.9"})
	if err != nil || meta(got.Object, "uid") != "11111111-1111-4111-8111-111111111111" {
		t.Errorf("the address was replaced: %v %v", got, err)
	}
}

// withoutAddresses refuses the creation of IPAddresses.
type withoutAddresses struct{}

func (withoutAddresses) Active() bool         { return true }
func (withoutAddresses) Changed(*schema.Kind) {}
func (withoutAddresses) Mutate(_ context.Context, a *Attributes) (document.Value, *Status) {
	return a.Object, nil
}

func (withoutAddresses) Validate(_ context.Context, a *Attributes) *Status {
	if a.Kind.Kind == "IPAddress" {
		return a.Forbid("no more")
	}
	return nil
}

// TestAdmissionRefusesAddresses compares the refusal with that of kube-apiserver 1.36.3 by a ValidatingAdmissionPolicy for
// IPAddresses, for a cluster IP that the Service requests and for one that is chosen.
func TestAdmissionRefusesAddresses(t *testing.T) {
	c, err := New(Config{Addresses: true, Admission: func(*Cluster) (Admission, error) { return withoutAddresses{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RecordAddresses(t.Context()); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{
		`{"clusterIP":"10.96.0.30","ports":[{"port":80}]}`: `spec.clusterIPs: Invalid value: ["10.96.0.30"]: failed to allocate IP 10.96.0.30: ipaddresses.networking.k8s.io "10.96.0.30" is forbidden: no more`,
		`{"ports":[{"port":80}]}`:                          `spec.clusterIPs: Invalid value: [""]: failed to allocate IP: ipaddresses.networking.k8s.io "10.96.1.1" is forbidden: no more`,
	} {
		_, err := c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d", Body: []byte(`{"metadata":{"name":"a"},"spec":` + spec + `}`)})
		if want = `Service "a" is invalid: ` + want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if list, err := c.Do(t.Context(), &Request{Verb: List, Version: "v1", Resource: "services"}); err != nil || len(list.Items()) > 0 {
		t.Errorf("a Service was created: %v %v", list, err)
	}
}

// failingGets is a store that fails to get IPAddresses.
type failingGets struct{ store.Store[*Record] }

func (s failingGets) Get(ctx context.Context, key string, o store.GetOptions) (store.Item[*Record], error) {
	if strings.HasPrefix(key, "/registry/ipaddresses/") {
		return store.Item[*Record]{}, &store.UnavailableError{Err: errors.New("the leader is gone")}
	}
	return s.Store.Get(ctx, key, o)
}

// TestServiceIsRefusedIfItsAddressIsUnknown: a Service whose address may be taken is not created.
func TestServiceIsRefusedIfItsAddressIsUnknown(t *testing.T) {
	c := recording(t, failingGets{NewStore()})
	var status *Status
	_, err := c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d", Body: []byte(`{"metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}}`)})
	if !errors.As(err, &status) || status.Code < 500 || !strings.Contains(status.Message, "the leader is gone") {
		t.Errorf("created, or refused with %v", err)
	}
}

// TestFurtherRanges verifies that a Service may choose an IP of a ServiceCIDR that clients have created, as in kube-apiserver
// whether or not the ServiceCIDR has a status.
func TestFurtherRanges(t *testing.T) {
	c, err := New(Config{Addresses: true, ServiceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.RecordAddresses(t.Context()); err != nil {
		t.Fatal(err)
	}
	ranges := func(verb Verb, name, body string) {
		t.Helper()
		if _, err := c.Do(t.Context(), &Request{Verb: verb, Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Name: name, Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
	ranges(Create, "", `{"metadata":{"name":"further"},"spec":{"cidrs":["10.9.0.0/28"]}}`)
	ranges(Create, "", `{"metadata":{"name":"ending","finalizers":["example.com/keep"]},"spec":{"cidrs":["10.9.1.0/28"]}}`)
	ranges(Delete, "ending", "")
	const outside = "the provided network does not match the current range"
	for _, tc := range []struct{ reason, ip, refused string }{
		{"a further range", "10.9.0.3", ""},
		{"the same IP again", "10.9.0.3", "provided IP is already allocated"},
		{"the network of the further range", "10.9.0.0", outside},
		{"the broadcast address of the further range", "10.9.0.15", outside},
		{"a range that is being deleted", "10.9.1.3", outside},
		{"no range", "10.9.2.3", outside},
	} {
		_, err := c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
			Body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Service","metadata":{"generateName":"s"},"spec":{"clusterIP":%q,"ports":[{"port":80}]}}`, tc.ip)})
		if (err != nil) != (tc.refused != "") || err != nil && !strings.HasSuffix(err.Error(), tc.refused) {
			t.Errorf("%s: %v, want %q", tc.reason, err, tc.refused)
		}
	}
}
