package podsecurity_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission/podsecurity"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/server"
)

// step is a line of testdata/recorded.jsonl: a request, and what kube-apiserver 1.36.3 with its
// default admission plugins answered.
type step struct {
	Name, Method, Path, ContentType, Body string

	Code     int
	Warnings []string
	// Message and Fields are those of a refusal.
	Message string
	Fields  []string
}

func TestRecordings(t *testing.T) {
	var config cluster.Config
	if err := plugins.Configure(&config, []string{"PodSecurity", "Priority", "RuntimeClass"}, podsecurity.Plugin()); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := server.New(c, server.Options{})
	recorded, err := os.ReadFile("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(recorded)) {
		var want step
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(want.Method, want.Path, strings.NewReader(want.Body))
		r.Header.Set("User-Agent", "lab/1")
		if want.ContentType != "" {
			r.Header.Set("Content-Type", want.ContentType)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want.Code || !slices.Equal(w.Header().Values("Warning"), want.Warnings) {
			t.Errorf("%s: %d with the warnings %q, want %d and %q: %s", want.Name, w.Code, w.Header().Values("Warning"), want.Code, want.Warnings, w.Body)
		}
		if want.Code < 300 {
			continue
		}
		var refusal struct {
			Message string
			Details struct{ Causes []struct{ Field string } }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &refusal); err != nil {
			t.Fatal(err)
		}
		var fields []string
		for _, cause := range refusal.Details.Causes {
			fields = append(fields, cause.Field)
		}
		if refusal.Message != want.Message || !slices.Equal(fields, want.Fields) {
			t.Errorf("%s: refused with %q of %q, want %q of %q", want.Name, refusal.Message, fields, want.Message, want.Fields)
		}
	}
}

// The standards are those of the cluster's Kubernetes version: the baseline forbids a probe with a
// host since 1.34, and a cluster of 1.30 does not know that, whatever version its labels name.
func TestStandardsOfTheVersion(t *testing.T) {
	const pod = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","livenessProbe":{"tcpSocket":{"port":80,"host":"192.0.2.1"}}}]}}`
	for _, c := range []struct {
		cluster, standard string
		refused           bool
	}{
		{"1.30", "latest", false},
		{"1.30", "v1.36", false},
		{"1.34", "latest", true},
		{"1.36", "v1.33", false},
		{"", "latest", true},
	} {
		config := cluster.Config{Version: c.cluster}
		if err := plugins.Configure(&config, []string{plugins.Default}, podsecurity.Plugin()); err != nil {
			t.Fatal(err)
		}
		cl, err := cluster.New(config)
		if err != nil {
			t.Fatal(err)
		}
		send := func(resource, namespace, body string) error {
			_, err := cl.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: resource, Namespace: namespace, Body: []byte(body)})
			return err
		}
		if err := send("namespaces", "", `{"metadata":{"name":"n","labels":{"pod-security.kubernetes.io/enforce":"baseline","pod-security.kubernetes.io/enforce-version":"`+c.standard+`"}}}`); err != nil {
			t.Fatal(err)
		}
		if err := send("serviceaccounts", "n", `{"metadata":{"name":"default"}}`); err != nil { // no controller creates it here
			t.Fatal(err)
		}
		if err := send("pods", "n", pod); (err != nil) != c.refused {
			t.Errorf("the baseline %s in a cluster of version %q: %v", c.standard, c.cluster, err)
		}
		_ = cl.Close()
	}
}
