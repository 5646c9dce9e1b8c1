package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestTypedClient: objects of built-in kinds are sent and received in protobuf, other bodies as they are, and a response
// that differs in one value is found.
func TestTypedClient(t *testing.T) {
	types, err := newBuiltinTypes()
	if err != nil {
		t.Fatal(err)
	}
	file := "../../../testdata/invalid/invalid-batch.jsonl.gz"
	for _, other := range []bool{false, true} {
		p := servers(t, nil)
		sent := map[string]int{}
		honest := p.ours
		p.ours = types.asTypedClient(func(r conformance.Request) (conformance.Answer, error) {
			answer, err := honest(r)
			sent[r.ContentType]++
			if strings.HasPrefix(r.Body, "k8s\x00") != (r.ContentType == protobufType) {
				t.Errorf("%.40q is sent as %s", r.Body, r.ContentType)
			}
			if answer.Code < 300 && !bytes.HasPrefix(answer.Body, []byte("k8s\x00")) {
				t.Errorf("%s %s is answered with %.40q", r.Method, r.Path, answer.Body)
			}
			if other {
				answer.Body = bytes.Replace(answer.Body, []byte("OnFailure"), []byte("Onfailure"), 1)
			}
			return answer, err
		})
		p.theirs = types.asTypedClient(p.theirs)
		r, err := compareCases(&options{only: "/jobs"}, p, []string{file})
		if err != nil {
			t.Fatal(err)
		}
		if (len(r.kinds) > 0) != other {
			t.Errorf("a value changed: %t; differences: %v", other, r.kinds)
		}
		if sent[protobufType] < 50 || sent["application/json"] == 0 || sent[mergePatchType] == 0 {
			t.Errorf("content types of the requests: %v", sent)
		}
	}
}

// TestDiscoveryOfTypedClient: the resources of a group with Go types are found, although the responses to other requests are in
// protobuf.
func TestDiscoveryOfTypedClient(t *testing.T) {
	types, err := newBuiltinTypes()
	if err != nil {
		t.Fatal(err)
	}
	r := resources{send: types.asTypedClient(servers(t, nil).ours), found: map[string]map[string]resource{}}
	for version, kind := range map[string]string{"v1": "Service", "apps/v1": "Deployment"} {
		if one, ok, err := r.of(version, kind); err != nil || !ok || !one.Namespaced {
			t.Errorf("%s %s: %v %v %v", version, kind, one, ok, err)
		}
	}
}
