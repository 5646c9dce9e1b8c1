package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestRelated verifies that two servers that are the same agree about cases of each form.
func TestRelated(t *testing.T) {
	r, err := compareRelated(&options{seed: 3, cases: 2 * len(relatedForms)}, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.kinds) > 0 {
		t.Errorf("differences: %v", r.kinds)
	}
	if total := r.total(); total.accepted < 100 || total.refused < 50 {
		t.Errorf("too few responses: %v", total)
	}
}

// TestCollected compares servers without controllers, which agree about all objects, and then hides one of them.
func TestCollected(t *testing.T) {
	o := &options{cases: 4, seed: 2}
	r, err := compareCollected(o, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); len(r.kinds) > 0 || total.accepted != o.cases*collectedPhases {
		t.Errorf("%s; differences: %v", total, r.kinds)
	}
	r, err = compareCollected(o, servers(t, func(request conformance.Request, a *conformance.Answer) {
		if request.Method == http.MethodGet && strings.HasSuffix(request.Path, "/configmaps") {
			a.Body = []byte(`{"items":[]}`)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.kinds) == 0 {
		t.Error("no difference was found")
	}
}

// TestIdentities verifies that a value which a server has chosen is compared as long as the object keeps it, whatever it is.
func TestIdentities(t *testing.T) {
	const path = "/api/v1/namespaces/n/services"
	service := func(spec string) string {
		return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"NodePort",` + spec + `}}`
	}
	steps := []conformance.Request{
		request(http.MethodPost, path, "", "application/json", service(`"ports":[{"port":80}]`)),
		request(http.MethodPatch, path+"/s", "", mergePatchType, `{"metadata":{"labels":{"l":"1"}}}`),
	}
	for _, tc := range []struct {
		reason  string
		change  func(string) string
		differs bool
	}{
		{"both servers choose", nil, false},
		{"one chooses another port", func(body string) string { return strings.ReplaceAll(body, `"nodePort":30086`, `"nodePort":30333`) }, false},
		{"one changes the port with the second request", func(body string) string {
			if strings.Contains(body, `"l":"1"`) {
				body = strings.ReplaceAll(body, `"nodePort":30086`, `"nodePort":30333`)
			}
			return body
		}, true},
	} {
		p := servers(t, func(_ conformance.Request, a *conformance.Answer) {
			if tc.change != nil {
				a.Body = []byte(tc.change(string(a.Body)))
			}
		})
		p.identities = true
		p.ours, p.theirs = remember(p.ours), remember(p.theirs)
		r, c := newReport(), conformance.Case{Name: "related"}
		for _, step := range steps {
			c.Steps = append(c.Steps, conformance.Step{Request: step})
		}
		if err := p.compareSteps(r, everything, c); err != nil {
			t.Fatal(err)
		}
		if differs := len(r.kinds) > 0; differs != tc.differs {
			t.Errorf("%s: differences %v", tc.reason, r.kinds)
		}
	}
}

// TestReferences verifies that a request refers to the object that has the path when it is sent, and that the recorded case has
// the names of the same values.
func TestReferences(t *testing.T) {
	const path = "/api/v1/namespaces/n/configmaps"
	create := request(http.MethodPost, path, "", "application/json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	remove := request(http.MethodDelete, path+"/a", "", "application/json", `{"preconditions":{"uid":"`+refer("UID", path+"/a")+`"}}`)
	c := conformance.Case{}
	for _, r := range []conformance.Request{create, remove, create, remove, remove} {
		c.Steps = append(c.Steps, conformance.Step{Request: r})
	}
	got, err := conformance.Runner{}.Record(c, remember(servers(t, nil).theirs))
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, step := range got.Steps {
		codes = append(codes, step.Response.Code)
	}
	if want := []int{201, 200, 201, 200, 404}; !slices.Equal(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
	for i, want := range map[int]string{1: `{"preconditions":{"uid":"$UID1$"}}`, 3: `{"preconditions":{"uid":"$UID2$"}}`} {
		if body := resolved(got).Steps[i].Request.Body; body != want {
			t.Errorf("step %d is %s, want %s", i, body, want)
		}
	}
}
