package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/server"
)

// start starts patchlab without objects.
func start(t *testing.T) *httptest.Server {
	t.Helper()
	return startVersion(t, "")
}

// startVersion is start with the kinds of a Kubernetes version.
func startVersion(t *testing.T, version string) *httptest.Server {
	t.Helper()
	c, err := cluster.New(cluster.Config{Addresses: true, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Options{}))
	t.Cleanup(func() { s.Close(); _ = c.Close() })
	return s
}

// servers returns a comparison of two servers that are the same, but for changes to the
// responses of the first.
func servers(t *testing.T, change func(conformance.Request, *conformance.Answer)) *pair {
	t.Helper()
	send := func(s *httptest.Server) conformance.Send { return conformance.HTTP(s.URL, "", s.Client()) }
	honest := send(start(t))
	return &pair{sleep: func(time.Duration) {}, theirs: send(start(t)), ours: func(r conformance.Request) (conformance.Answer, error) {
		answer, err := honest(r)
		if change != nil {
			change(r, &answer)
		}
		return answer, err
	}}
}

const manifests = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.compare.example.com}
spec:
  group: compare.example.com
  scope: Namespaced
  names: {plural: boxes, kind: Box}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 9}}}}}}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: compare.example.com/v1, kind: Box, metadata: {name: fits}, spec: {size: 3}}
- {apiVersion: compare.example.com/v1, kind: Box, metadata: {name: does-not, namespace: else}, spec: {size: 10}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, ports: [{port: 80}], selector: {app: web}}
---
apiVersion: unknown.example.com/v1
kind: Unknown
metadata: {name: u}
---
{{ template }}
`

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(manifests), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSameServersAgreeAboutObjects(t *testing.T) {
	r, err := compareObjects(&options{}, servers(t, nil), []string{folder(t)})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r.print(&out, 1)
	total := r.total()
	if r.differing() != 0 || total.refused < 6 || total.accepted < 15 {
		t.Errorf("compared:\n%s", &out)
	}
	for _, note := range []string{"objects of kinds that are not served: 1", "not YAML: 1"} {
		if !strings.Contains(out.String(), note) {
			t.Errorf("no %q in\n%s", note, &out)
		}
	}
}

// TestDifferencesAreFound changes one response in each of the ways in which servers
// differ.
func TestDifferencesAreFound(t *testing.T) {
	replace := func(method, path, old, new string) func(conformance.Request, *conformance.Answer) {
		return func(r conformance.Request, a *conformance.Answer) {
			if r.Method == method && strings.Contains(r.Path, path) {
				a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(new))
			}
		}
	}
	for name, change := range map[string]func(conformance.Request, *conformance.Answer){
		"another code": func(r conformance.Request, a *conformance.Answer) {
			if r.Method == "DELETE" && strings.Contains(r.Path, "services/") {
				a.Code = 202
			}
		},
		"another value":            replace("POST", "/boxes", `"size":3`, `"size":4`),
		"another field of a cause": replace("POST", "/boxes", `"field":"spec.size"`, `"field":"spec.Size"`),
		"another owner":            replace("PATCH", "/boxes/fits", `"manager":"second"`, `"manager":"first"`),
		"another definition":       replace("POST", "customresourcedefinitions", `"plural":"boxes"`, `"plural":"box"`),
		"a wrong port":             replace("POST", "/services", `"targetPort":80`, `"targetPort":81`),
	} {
		t.Run(name, func(t *testing.T) {
			var kept bytes.Buffer
			p := servers(t, change)
			p.record = &kept
			r, err := compareObjects(&options{}, p, []string{folder(t)})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.kinds) != 1 || r.differing() == 0 {
				t.Errorf("differences: %v", r.kinds)
			}
			if !json.Valid(kept.Bytes()) {
				t.Errorf("recorded: %s", &kept)
			}
		})
	}
}

// TestCasesOfFile: every step of a recorded case is compared, and a cause that is listed once
// instead of twice is a difference.
func TestCasesOfFile(t *testing.T) {
	file := filepath.Join("..", "..", "..", "testdata", "invalid", "invalid-batch.jsonl.gz")
	o := &options{only: "/jobs"}
	r, err := compareCases(o, servers(t, nil), []string{file})
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); r.differing() != 0 || total.refused < 50 || total.accepted < 50 {
		t.Errorf("%d refused, %d accepted, %v", total.refused, total.accepted, r.kinds)
	}
	once := servers(t, func(_ conformance.Request, a *conformance.Answer) {
		var status struct {
			Details struct{ Causes []json.RawMessage }
		}
		if json.Unmarshal(a.Body, &status) != nil {
			return
		}
		for i, cause := range status.Details.Causes {
			if i > 0 && bytes.Equal(cause, status.Details.Causes[i-1]) {
				a.Body = bytes.Replace(a.Body, append([]byte(","), cause...), nil, 1)
			}
		}
	})
	if r, err = compareCases(o, once, []string{file}); err != nil || len(r.kinds) == 0 {
		t.Errorf("no differences: %v", err)
	}
}

// TestRandomCases: the same servers agree about random cases; a server that forgets a rule
// is found out; the same seed gives the same cases, another one gives others.
func TestRandomCases(t *testing.T) {
	o := &options{seed: 7, cases: 150, recordings: "../../../testdata/invalid"}
	r, err := compareRandom(o, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); r.differing() != 0 || total.refused < 60 || total.accepted < 20 {
		t.Errorf("%d to refuse, %d to accept, %v", total.refused, total.accepted, r.kinds)
	}
	forgets := servers(t, func(_ conformance.Request, a *conformance.Answer) {
		a.Body = bytes.ReplaceAll(a.Body, []byte("FieldValueRequired"), []byte("FieldValueInvalid"))
	})
	r, err = compareRandom(o, forgets)
	if err != nil || len(r.kinds) == 0 {
		t.Errorf("no differences: %v", err)
	}
	a, b, c := cases(t, o), cases(t, o), cases(t, &options{seed: 8, cases: 150, recordings: o.recordings})
	if a != b || a == c {
		t.Error("the cases do not depend on the seed alone")
	}
}

// TestDefinitions: the same servers agree about random definitions, of which and of whose objects enough are valid; a
// server that forgets a rule is found out.
func TestDefinitions(t *testing.T) {
	o := &options{seed: 7, cases: 15}
	r, err := compareDefinitions(o, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); r.differing() != 0 || total.refused < 20 || total.accepted < 20 {
		t.Errorf("%d to refuse, %d to accept, %v", total.refused, total.accepted, r.kinds)
	}
	forgets := servers(t, func(_ conformance.Request, a *conformance.Answer) {
		a.Body = bytes.ReplaceAll(a.Body, []byte("FieldValueTypeInvalid"), []byte("FieldValueInvalid"))
	})
	if r, err = compareDefinitions(o, forgets); err != nil || len(r.kinds) == 0 {
		t.Errorf("no differences: %v", err)
	}
}

// TestRandomCasesOfOlderVersion: recorded objects of kinds that a server does not serve, such as
// ResourceClaims in Kubernetes 1.33, are not changed.
func TestRandomCasesOfOlderVersion(t *testing.T) {
	s := startVersion(t, "1.33")
	g, err := newGenerator(&options{recordings: "../../../testdata/invalid"}, conformance.HTTP(s.URL, "", s.Client()))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range g.bases {
		if strings.HasPrefix(b.steps[0].Path, "/apis/resource.k8s.io/") {
			t.Fatalf("%s is changed", b.steps[0].Path)
		}
	}
}

// cases returns the cases of a seed as JSON.
func cases(t *testing.T, o *options) string {
	t.Helper()
	s := start(t)
	g, err := newGenerator(o, conformance.HTTP(s.URL, "", s.Client()))
	if err != nil {
		t.Fatal(err)
	}
	var out []conformance.Case
	for i := range o.cases {
		if c, ok := g.next(i); ok {
			out = append(out, c)
		}
	}
	return encode(out)
}

// TestNothingComparedIsNoAgreement: a comparison without responses fails.
func TestNothingComparedIsNoAgreement(t *testing.T) {
	s := start(t)
	o := &options{url: s.URL, against: s.URL}
	if err := run(o, []string{"objects", t.TempDir()}, new(bytes.Buffer)); err == nil {
		t.Error("an empty folder agrees")
	}
	for _, args := range [][]string{nil, {"objects"}, {"random", "x"}, {"definitions", "x"}, {"other"}} {
		if err := run(o, args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	if err := run(&options{}, []string{"random"}, new(bytes.Buffer)); err == nil {
		t.Error("no server to compare with is accepted")
	}
}

// TestWorlds compares servers without admission, which agree about all requests, and then changes a
// response.
func TestWorlds(t *testing.T) {
	for name, generate := range map[string]func(*world){"plugins": (*world).plugins, "policies": (*world).policies} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &options{cases: 3, seed: 1}
			r, err := compareWorlds(o, servers(t, nil), name, generate)
			if err != nil {
				t.Fatal(err)
			}
			if total := r.total(); len(r.kinds) > 0 || total.accepted < 60 {
				t.Errorf("%s; differences: %v", total, r.kinds)
			}
			r, err = compareWorlds(o, servers(t, func(request conformance.Request, a *conformance.Answer) {
				if request.Method == "POST" && strings.HasSuffix(request.Path, "/pods") {
					a.Code = 403
				}
			}), name, generate)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.kinds) == 0 {
				t.Error("no difference was found")
			}
		})
	}
}

func TestSameParts(t *testing.T) {
	refusal := func(message string) conformance.Response {
		return conformance.Response{Code: 403, Body: map[string]any{"message": message}}
	}
	const limits = `pods "p" is forbidden: [maximum cpu, minimum memory]`
	if !sameParts(refusal(limits), refusal(`pods "p" is forbidden: [minimum memory, maximum cpu]`)) {
		t.Error("another order is a difference")
	}
	if sameParts(refusal(limits), refusal(`pods "p" is forbidden: minimum memory`)) {
		t.Error("a missing part is none")
	}
}

// TestOrderOfFormatWarnings: warnings about formats may come in any order, the others may not, and none may
// be missing.
func TestOrderOfFormatWarnings(t *testing.T) {
	warned := func(warnings ...string) []string {
		c := conformance.Case{Steps: []conformance.Step{{Response: conformance.Response{Warnings: warnings}}}}
		return clean(c).Steps[0].Response.Warnings
	}
	const a, b, other = `299 - "unrecognized format \"a\""`, `299 - "unrecognized format \"b\""`, `299 - "other"`
	if !slices.Equal(warned(other, a, b), warned(other, b, a)) {
		t.Error("another order of formats is a difference")
	}
	if slices.Equal(warned(other, a, b), warned(a, other, b)) || slices.Equal(warned(a, b), warned(a, a)) {
		t.Error("another place of another warning, or a missing format, is none")
	}
}

// TestOrderOfTypeErrors: what kube-apiserver finds in maps or numbers at random is no difference.
func TestOrderOfTypeErrors(t *testing.T) {
	for _, test := range []struct {
		why, a, b string
		same      bool
	}{
		{"the same errors in another order", "x: errors:\n  .b: no\n  .a: no", "x: errors:\n  .a: no\n  .b: no", true},
		{"one of several errors", "x: errors:\n  .b: no\n  .a: no", "x: errors:\n  .a: no\n  .c: no", false},
		{"a single error", "x: .a: no", "x: .b: no", false},
		{"the type of a rule has a random number", "found 'size(selfType12)'", "found 'size(selfType345)'", true},
	} {
		if same := chosen(test.a, "", false) == chosen(test.b, "", false); same != test.same {
			t.Errorf("%s: same is %v", test.why, same)
		}
	}
}

// TestAgesInCells: an age is not one that the client has sent because another text ends with it.
func TestAgesInCells(t *testing.T) {
	for sent, want := range map[string]string{`{"a":"15s"}`: "$CHOSEN$", `{"a":"5s"}`: "5s"} {
		if got := chosenCells([]any{"5s"}, sent).([]any)[0]; got != want {
			t.Errorf("%s: %v, want %s", sent, got, want)
		}
	}
}

// TestPatient: a request is repeated while the storage of a definition is not there, and only then.
func TestPatient(t *testing.T) {
	for text, want := range map[string]int{"storage is (re)initializing": 3, "too many requests": 1} {
		sent := 0
		send := patient(func(conformance.Request) (conformance.Answer, error) {
			sent++
			if sent == 3 {
				return conformance.Answer{Code: 200}, nil
			}
			return conformance.Answer{Code: 429, Body: []byte(text)}, nil
		})
		if _, err := send(conformance.Request{}); err != nil || sent != want {
			t.Errorf("%s: sent %d times, want %d (%v)", text, sent, want, err)
		}
	}
}

// TestWarningsOfRefusals: the warnings of a refusal are compared with the words.
func TestWarningsOfRefusals(t *testing.T) {
	refused := func(warnings ...string) conformance.Case {
		body := map[string]any{"kind": "Status", "reason": "Invalid", "message": "invalid"}
		return conformance.Case{Steps: []conformance.Step{{Response: conformance.Response{Code: 422, Body: body, Warnings: warnings}}}}
	}
	for _, words := range []bool{false, true} {
		p := &pair{words: words}
		if why := p.responseDifference(refused("deprecated"), refused(), 0); (why != "") != words {
			t.Errorf("with words %v: difference %q", words, why)
		}
		if why := p.responseDifference(refused("deprecated"), refused("deprecated"), 0); why != "" {
			t.Errorf("the same warning: %s", why)
		}
	}
}
