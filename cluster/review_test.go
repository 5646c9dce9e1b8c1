package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// configMaps returns a cluster with two ConfigMaps.
func configMaps(t *testing.T) *Cluster {
	t.Helper()
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, name := range []string{"a", "b"} {
		r := &Request{Verb: Create, Version: "v1", Resource: "configmaps", Namespace: "n", Body: []byte(`{"metadata":{"name":"` + name + `"}}`)}
		if _, err := c.Do(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestReviewsAreAnsweredAndNotStored(t *testing.T) {
	c := configMaps(t)
	revision := func() string {
		r, err := c.Do(context.Background(), &Request{Verb: List, Version: "v1", Resource: "configmaps"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Object.Get("metadata").Get("resourceVersion").StringOr("")
	}
	before := revision()
	for _, q := range []struct{ group, resource, namespace, body, want string }{
		{"authorization.k8s.io", "selfsubjectaccessreviews", "", `{"spec":{"resourceAttributes":{"verb":"get"}}}`, `"status":{"allowed":true}`},
		{"authorization.k8s.io", "subjectaccessreviews", "", `{"spec":{"user":"u","nonResourceAttributes":{"verb":"get","path":"/"}}}`, `"status":{"allowed":true}`},
		{"authorization.k8s.io", "localsubjectaccessreviews", "n", `{"spec":{"user":"u","resourceAttributes":{"namespace":"n","verb":"get"}}}`, `"status":{"allowed":true}`},
		{"authorization.k8s.io", "selfsubjectaccessreviews", "", `{"spec":{}}`, `exactly one of`},
		{"authorization.k8s.io", "selfsubjectrulesreviews", "", `{"spec":{"namespace":"n"}}`, `"resourceRules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]`},
		{"authorization.k8s.io", "selfsubjectrulesreviews", "", `{"spec":{}}`, `no namespace on request`},
		{"authentication.k8s.io", "selfsubjectreviews", "", `{}`, `"userInfo":{"groups":["g"],"username":"me"}`},
		{"authentication.k8s.io", "tokenreviews", "", `{"spec":{"token":"x"}}`, `"error":"invalid bearer token`},
		{"authentication.k8s.io", "tokenreviews", "", `{"spec":{"token":"a"},"status":{"audiences":["s"],"user":{"username":"u"},"authenticated":true,"error":"e"}}`,
			`"status":{"audiences":["s"],"error":"invalid bearer token","user":{"username":"u"}}`},
		{"", "bindings", "n", `{"metadata":{"name":"p"},"target":{"name":"n"}}`, `pods "p" not found`},
	} {
		r := &Request{Verb: Create, Group: q.group, Version: "v1", Resource: q.resource, Namespace: q.namespace, Body: []byte(q.body), User: User{Name: "me", Groups: []string{"g"}}}
		resp, err := c.Do(context.Background(), r)
		got := ""
		var st *Status
		switch {
		case errors.As(err, &st):
			got = st.Message
		default:
			got = resp.Object.String()
		}
		if !strings.Contains(got, q.want) {
			t.Errorf("%s %s: got %s, want %s", q.resource, q.body, got, q.want)
		}
	}
	if after := revision(); after != before {
		t.Errorf("something was stored: revision %s became %s", before, after)
	}
}

// TestReviewsIgnoreSelectors sends access reviews with selectors, of which kube-apiserver 1.36.3 ignores those that it
// cannot parse.
func TestReviewsIgnoreSelectors(t *testing.T) {
	c := configMaps(t)
	const field, label = "spec.resourceAttributes.fieldSelector", "spec.resourceAttributes.labelSelector"
	const ignored, partially = " ignored due to parse error", " partially ignored due to parse error"
	for _, review := range []struct{ selectors, want string }{
		{`"fieldSelector":{"rawSelector":"a=b"}`, ""},
		{`"fieldSelector":{"rawSelector":"a"}`, field + ignored},
		{`"fieldSelector":{"rawSelector":"a=b\\"}`, field + ignored},
		{`"fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]}]}`, ""},
		{`"fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b","c"]}]}`, field + ignored},
		{`"fieldSelector":{"requirements":[{"key":"a","operator":"NotIn","values":["b"]},{"key":"a","operator":"Exists"}]}`, field + partially},
		{`"fieldSelector":{"requirements":[{"key":"a","operator":"Gt","values":["b"]}]}`, field + ignored},
		{`"fieldSelector":{"requirements":[{"key":"a","operator":"","values":["b"]}]}`, field + ignored},
		{`"labelSelector":{"rawSelector":"a in (b)"}`, ""},
		{`"labelSelector":{"rawSelector":"a in (b"}`, label + ignored},
		{`"labelSelector":{"requirements":[{"key":"a","operator":"DoesNotExist"}]}`, ""},
		{`"labelSelector":{"requirements":[{"key":"a","operator":"Gt","values":["5"]}]}`, label + ignored},
		{`"labelSelector":{"requirements":[{"key":"a","operator":"Exists"},{"key":"a","operator":"Gt","values":["5"]}]}`, label + partially},
		{`"fieldSelector":{"rawSelector":"a"},"labelSelector":{"rawSelector":"a in (b"}`, field + ignored + "; " + label + ignored},
	} {
		resp, err := c.Do(context.Background(), &Request{Verb: Create, Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews",
			Body: []byte(`{"spec":{"user":"u","resourceAttributes":{"verb":"list","resource":"pods",` + review.selectors + `}}}`)})
		if err != nil {
			t.Errorf("%s: %v", review.selectors, err)
			continue
		}
		if got := resp.Object.Lookup("status", "evaluationError").StringOr(""); got != review.want {
			t.Errorf("%s: evaluationError %q, want %q", review.selectors, got, review.want)
		}
	}
}
