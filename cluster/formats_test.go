package cluster

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// The formats that kube-apiserver 1.36.3 warns about for the same definitions.
func TestUnknownFormatsAreWarnedAbout(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	definition := func(format string) []byte {
		return []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.fmt.example.com"},` +
			`"spec":{"group":"fmt.example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v1","served":true,"storage":true,` +
			`"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","format":"` + format + `"},"b":{"type":"object","format":"aaa"},` +
			`"c":{"x-kubernetes-int-or-string":true,"format":"int-or-string"},"d":{"type":"integer","format":"int64"}}}}}]}}`)
	}
	request := func(verb Verb, format string) *Request {
		return &Request{Verb: verb, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: definition(format)}
	}
	old := []string{`unrecognized format "aaa"`, `unrecognized format "int-or-string"`}
	for format, more := range map[string]string{"k8s-short-name": "", "k8sshortname": "", "date-time": "", "zzz": `unrecognized format "zzz"`} {
		r := request(Create, format)
		r.Options.DryRun = []string{"All"}
		resp, err := c.Do(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSpace(strings.Join(old, " ") + " " + more); strings.Join(resp.Warnings, " ") != want {
			t.Errorf("%s: got warnings %q, want %q", format, resp.Warnings, want)
		}
	}
	if _, err := c.Do(context.Background(), request(Create, "date")); err != nil {
		t.Fatal(err)
	}
	r := request(Patch, "zzz")
	r.Format, r.Name = MergePatch, "things.fmt.example.com"
	resp, err := c.Do(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resp.Warnings, []string{`unrecognized format "zzz"`}) {
		t.Errorf("an update warns about %q", resp.Warnings)
	}
}
