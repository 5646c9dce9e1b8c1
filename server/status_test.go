package server

import (
	"strings"
	"testing"
)

// The texts are those of kube-apiserver 1.36.3, but for the uid.
func TestStatusHasTheOrderOfItsType(t *testing.T) {
	s := local(t, Options{})
	const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"mock-2"},"spec":{"ports":[{"port":80}]}}`
	const services = "/api/v1/namespaces/default/services"
	for path, body := range map[string]string{services: service, "/api/v1/namespaces/default/configmaps": `{"metadata":{"name":"m"}}`} {
		if got := ask(s, "POST", path, body); got.Code != 201 {
			t.Fatal(got.Body)
		}
	}
	for _, c := range []struct{ why, method, path, body, want string }{
		{"a failure", "POST", services, service,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"services \"mock-2\" already exists","reason":"AlreadyExists","details":{"name":"mock-2","kind":"services"},"code":409}` + "\n"},
		{"with causes", "POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a"},"data":{"!":""}}`,
			`"details":{"name":"a","kind":"ConfigMap","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"!\": a valid config key`},
		{"indented", "GET", services + "/none?pretty=1", "", "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n  \"status\": \"Failure\",\n"},
		{"a success", "DELETE", "/api/v1/namespaces/default/configmaps/m", "", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"m","kind":"configmaps","uid":"`},
		{"an event", "GET", services + "?watch=1&resourceVersion=999999&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", "",
			`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version`},
	} {
		if got := ask(s, c.method, c.path, c.body).Body.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}
