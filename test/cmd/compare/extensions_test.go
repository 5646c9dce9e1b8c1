package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// extensionServers is servers with aggregation layers.
func extensionServers(t *testing.T, change func(conformance.Request, *conformance.Answer)) *pair {
	p := &pair{sleep: func(time.Duration) { time.Sleep(100 * time.Millisecond) }}
	for _, send := range []*conformance.Send{&p.theirs, &p.ours} {
		*send = conformance.HTTP(patchlabtest.StartWith(t, patchlabtest.Options{NoControllers: true, NoAdmission: true}).Config().Host, "", http.DefaultClient)
	}
	honest := p.ours
	p.ours = func(r conformance.Request) (conformance.Answer, error) {
		answer, err := honest(r)
		if change != nil {
			change(r, &answer)
		}
		return answer, err
	}
	return p
}

// TestExtensions: the same servers agree about extension API servers, and a difference is found in each kind of response.
func TestExtensions(t *testing.T) {
	o := &options{seed: 2, cases: 2}
	r, err := compareExtensions(o, extensionServers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); len(r.kinds) > 0 || total.accepted < 40 {
		t.Errorf("%s; differences: %v", total, r.kinds)
	}
	for _, changed := range []struct{ path, accept, old, new string }{
		{registrations, "", `"Available"`, `"Ready"`},
		{"/apis", "", `.example.com/v1`, `.example.com/v9`},
		{"/apis", aggregatedType, `"freshness":"`, `"freshness":"un`},
		{"/apis/a", "", "service", "servant"},
	} {
		o := &options{seed: 2, cases: 1}
		r, err := compareExtensions(o, extensionServers(t, func(r conformance.Request, a *conformance.Answer) {
			if r.Accept == changed.accept && (r.Path == changed.path || strings.HasPrefix(r.Path, changed.path) && changed.path != "/apis") {
				a.Body = bytes.ReplaceAll(a.Body, []byte(changed.old), []byte(changed.new))
			}
		}))
		if err != nil || len(r.kinds) == 0 {
			t.Errorf("%s (%s): no difference was found (%v)", changed.path, changed.accept, err)
		}
	}
}
