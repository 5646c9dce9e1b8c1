package main

import (
	"net/http/httptest"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/server"
)

// admitting starts patchlab with webhooks and policies.
func admitting(t *testing.T) conformance.Send {
	t.Helper()
	config := cluster.Config{Addresses: true}
	if err := admission.Configure(&config, admission.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Options{}))
	t.Cleanup(func() { s.Close(); _ = c.Close() })
	return conformance.HTTP(s.URL, "", s.Client())
}

// TestAdmission compares servers with admission, which agree about all requests and reviews, and then one of them without.
func TestAdmission(t *testing.T) {
	o := &options{seed: 2, cases: 4}
	p := servers(t, nil)
	p.theirs, p.ours = admitting(t), admitting(t)
	r, err := compareAdmission(o, p)
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); len(r.kinds) > 0 || total.accepted < 50 || total.refused < 50 {
		t.Errorf("%s; differences: %v", total, r.kinds)
	}
	p = servers(t, nil)
	p.theirs = admitting(t)
	if r, err = compareAdmission(o, p); err != nil {
		t.Fatal(err)
	}
	if len(r.kinds) == 0 {
		t.Error("no difference was found")
	}
}

// TestReviews compares what webhooks for all resources receive, which is nothing from a server without admission.
func TestReviews(t *testing.T) {
	for _, admits := range []bool{true, false} {
		p := servers(t, nil)
		p.theirs = admitting(t)
		if admits {
			p.ours = admitting(t)
		}
		end, err := p.review()
		if err != nil {
			t.Fatal(err)
		}
		r, err := compareRelated(&options{seed: 3, cases: len(relatedForms)}, p)
		end()
		if err != nil {
			t.Fatal(err)
		}
		if agrees := len(r.kinds) == 0; agrees != admits {
			t.Errorf("admission %v: differences %v", admits, r.kinds)
		}
	}
}
