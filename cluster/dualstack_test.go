//go:build !js

package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/ipfamily"
)

// bothFamilies are the ranges of the kube-apiserver that was recorded in testdata/dualstack.jsonl.
var bothFamilies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24"), netip.MustParsePrefix("fd00:10::/112")}

// TestDualStack compares Services in a cluster with two IP families with the responses of a kube-apiserver v1.36.3: each is
// created and, if there is a patch, changed by it. The result is the policy, the families and those of the cluster IPs, or
// the message of the refusal, in which the addresses that a server has chosen are replaced.
func TestDualStack(t *testing.T) {
	data, err := os.ReadFile("testdata/dualstack.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var tc struct {
			Reason, Want string
			Spec, Patch  json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &tc); err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{Addresses: true, ServiceRanges: bothFamilies})
		if err != nil {
			t.Fatal(err)
		}
		r := &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
			Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":` + string(tc.Spec) + `}`)}
		response, err := c.Do(t.Context(), r)
		if tc.Patch != nil && err == nil {
			response, err = c.Do(t.Context(), &Request{Verb: Patch, Version: "v1", Resource: "services", Namespace: "d", Name: "s",
				Format: MergePatch, Body: []byte(`{"spec":` + string(tc.Patch) + `}`)})
		}
		got := ""
		if err != nil {
			sent := string(tc.Spec) + string(tc.Patch)
			got = chosenAddress.ReplaceAllStringFunc(strings.TrimPrefix(err.Error(), `Service "s" is invalid: `), func(ip string) string {
				switch {
				case strings.Contains(sent, ip):
					return ip
				case ipfamily.Of(ip) == ipfamily.IPv4:
					return "an.IPv4"
				}
				return "a.IPv6"
			})
		} else {
			got = familiesOf(response.Object.Get("spec"))
		}
		if got != tc.Want {
			t.Errorf("%s:\n%s, want\n%s", tc.Reason, got, tc.Want)
		}
	}
}

var chosenAddress = regexp.MustCompile(`10\.0\.0\.\d+|fd00:1[01]::[0-9a-f]*`)

// familiesOf returns the policy of a Service, its families and those of its cluster IPs.
func familiesOf(spec document.Value) string {
	if spec.Get("type").StringOr("") == "ExternalName" {
		return "-"
	}
	var ips []string
	for _, ip := range spec.Get("clusterIPs").Strings() {
		if ip != "None" {
			ip = ipfamily.Of(ip)
		}
		ips = append(ips, ip)
	}
	return spec.Get("ipFamilyPolicy").StringOr("") + " " + strings.Join(spec.Get("ipFamilies").Strings(), ",") + " " + strings.Join(ips, ",")
}

// TestDefaultFamily verifies that the first range determines the family of a Service that asks for none, and the address of
// the Service that prefers both.
func TestDefaultFamily(t *testing.T) {
	ranges := slices.Clone(bothFamilies)
	slices.Reverse(ranges)
	for policy, want := range map[string]string{"SingleStack": "SingleStack IPv6 IPv6", "PreferDualStack": "PreferDualStack IPv6,IPv4 IPv6,IPv4"} {
		c, err := New(Config{Addresses: true, ServiceRanges: ranges})
		if err != nil {
			t.Fatal(err)
		}
		if got := familiesOf(createService(t, c, "s", `{"ipFamilyPolicy":"`+policy+`","ports":[{"port":80}]}`)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	c, err := New(Config{Addresses: true, ServiceRanges: ranges[:1]})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
		Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"clusterIP":"10.0.0.1","ports":[{"port":80}]}}`)})
	if err == nil || !strings.HasSuffix(err.Error(), "IPv4 is not configured on this cluster") {
		t.Errorf("in a cluster with IPv6 alone: %v", err)
	}
}

// TestRecordsOfBothFamilies verifies that both addresses of a Service have an IPAddress, by its canonical name, until the
// Service releases them, and that an address is allocated in whatever form it is written.
func TestRecordsOfBothFamilies(t *testing.T) {
	c, err := New(Config{Addresses: true, ServiceRanges: bothFamilies})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RecordAddresses(t.Context()); err != nil {
		t.Fatal(err)
	}
	const spec = `{"ipFamilyPolicy":"RequireDualStack","clusterIP":"10.0.0.9","clusterIPs":["10.0.0.9","FD00:10::0:9"],"ports":[{"port":80}]}`
	createService(t, c, "s", spec)
	record := func(ip string) bool {
		_, err := c.Do(t.Context(), &Request{Verb: Get, Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses", Name: ip})
		return err == nil
	}
	if !record("10.0.0.9") || !record("fd00:10::9") {
		t.Error("an IPAddress is missing")
	}
	_, err = c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "services", Namespace: "d",
		Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"other"},"spec":{"clusterIP":"fd00:10::9","ports":[{"port":80}]}}`)})
	if err == nil || !strings.HasSuffix(err.Error(), "failed to allocate IP fd00:10::9: provided IP is already allocated") {
		t.Errorf("the same address in another form: %v", err)
	}
	if _, err := c.Do(t.Context(), &Request{Verb: Patch, Version: "v1", Resource: "services", Namespace: "d", Name: "s", Format: MergePatch,
		Body: []byte(`{"spec":{"ipFamilyPolicy":"SingleStack"}}`)}); err != nil {
		t.Fatal(err)
	}
	if !record("10.0.0.9") || record("fd00:10::9") {
		t.Error("the second address is not released alone")
	}
}

// TestAddressesOfAnAddedRange verifies that a Service gets an address of a ServiceCIDR once the range of the server is full,
// unless the ServiceCIDR is not ready.
func TestAddressesOfAnAddedRange(t *testing.T) {
	c, err := New(Config{Addresses: true, ServiceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/29")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RecordAddresses(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"metadata":{"name":"a-not-ready"},"spec":{"cidrs":["10.1.0.0/24"]}}`,
		`{"metadata":{"name":"b-of-ipv6"},"spec":{"cidrs":["fd00::/112"]}}`,
		`{"metadata":{"name":"c"},"spec":{"cidrs":["fd01::/112","10.2.0.0/29"]}}`,
	} {
		if _, err := c.Do(t.Context(), &Request{Verb: Create, Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Do(t.Context(), &Request{Verb: Patch, Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Name: "a-not-ready",
		Subresource: "status", Format: MergePatch, Body: []byte(`{"status":{"conditions":[{"type":"Ready","status":"False","reason":"a","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range 12 {
		spec := createService(t, c, "s"+string(rune('a'+i)), `{"ports":[{"port":80}]}`)
		got = append(got, spec.Get("clusterIP").StringOr(""))
	}
	for i, ip := range got {
		if in := netip.MustParseAddr(ip); i < 6 && !netip.MustParsePrefix("10.0.0.0/29").Contains(in) || i >= 6 && !netip.MustParsePrefix("10.2.0.0/29").Contains(in) {
			t.Errorf("Service %d has %s, of %s", i, ip, got)
		}
	}
}
