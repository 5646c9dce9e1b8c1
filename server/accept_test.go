package server

import (
	"net/http/httptest"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

func TestNegotiate(t *testing.T) {
	table := answerForm{as: formTable, version: "v1"}
	for _, c := range []struct {
		accept string
		want   answerForm
		code   int
		why    string
	}{
		{"", answerForm{}, 0, "the default is JSON"},
		{"application/json", answerForm{}, 0, ""},
		{"application/yaml", answerForm{yaml: true}, 0, ""},
		{"*/*", answerForm{}, 0, ""},
		{"application/json;charset=utf-8", answerForm{}, 0, "unknown parameters are ignored"},
		{"application/vnd.kubernetes.protobuf,application/json", answerForm{protobuf: true}, 0, "the Accept header of typed clients of client-go"},
		{"application/vnd.kubernetes.protobuf, */*", answerForm{protobuf: true}, 0, ""},
		{"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
			answerForm{protobuf: true, as: formList, version: "v1"}, 0, "the Accept header of client-go's metadata client"},
		{"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io", table, 0, "tables are not available in protobuf"},
		{"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", answerForm{}, 406, ""},
		{"application/vnd.kubernetes.protobuf;stream=watch", answerForm{protobuf: true}, 0, ""},
		{"application/cbor, application/json;q=0.9", answerForm{}, 0, "the Accept header of client-go with CBOR"},
		{"application/json;q=0.5, application/yaml", answerForm{yaml: true}, 0, "the quality determines the order"},
		{"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", table, 0, "the Accept header of kubectl get"},
		{"application/json;as=Table;v=v1beta1;g=meta.k8s.io", answerForm{as: formTable, version: "v1beta1"}, 0, ""},
		{"application/yaml;as=Table;v=v1;g=meta.k8s.io", answerForm{yaml: true, as: formTable, version: "v1"}, 0, ""},
		{"application/json;as=Foo;v=v1;g=meta.k8s.io,application/json", answerForm{}, 0, "an unknown type is skipped"},
		{"application/json;as=Foo;v=v1;g=meta.k8s.io", answerForm{}, 406, "an unknown type alone is refused"},
		{"application/json;as=PartialObjectMetadata;v=v2;g=meta.k8s.io", answerForm{}, 406, "an unknown version"},
		{"application/json;stream=watch", answerForm{}, 0, ""},
		{"application/json;stream=other", answerForm{}, 406, ""},
		{"application/vnd.kubernetes.protobuf", answerForm{protobuf: true}, 0, ""},
		{"application/cbor", answerForm{}, 406, ""},
		{"text/html", answerForm{}, 406, ""},
		{"gar bage;;", answerForm{}, 406, ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", c.accept)
		form, err := negotiate(r, offer{protobuf: true, tables: true})
		if err != nil {
			if asStatus(err).Code != c.code {
				t.Errorf("%q (%s): %v", c.accept, c.why, err)
			}
			continue
		}
		if c.code != 0 || form != c.want {
			t.Errorf("%q (%s): got %+v, want %+v, code %d", c.accept, c.why, form, c.want, c.code)
		}
	}
	for accept, want := range map[string]answerForm{
		"application/vnd.kubernetes.protobuf,application/json":                            {},
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": {protobuf: true, as: formMetadata, version: "v1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if form, err := negotiate(r, offer{}); err != nil || form != want {
			t.Errorf("%s for custom resources: %+v %v", accept, form, err)
		}
	}
}

func TestPretty(t *testing.T) {
	for _, c := range []struct {
		query, agent string
		want         bool
	}{
		{"", "kubectl/v1.36", false}, {"", "curl/8", true}, {"?pretty=false", "curl/8", false}, {"?pretty=1", "x", true}, {"?pretty=maybe", "x", false},
	} {
		r := httptest.NewRequest("GET", "/"+c.query, nil)
		r.Header.Set("User-Agent", c.agent)
		if got := pretty(r); got != c.want {
			t.Errorf("%q from %s: %v", c.query, c.agent, got)
		}
	}
}

func TestBodyFormat(t *testing.T) {
	for _, c := range []struct {
		method, kind string
		want         cluster.Format
		why          string
	}{
		{"POST", "", cluster.JSON, "the default is JSON"},
		{"POST", "application/json", cluster.JSON, ""},
		{"POST", "APPLICATION/JSON; charset=utf-8", cluster.JSON, "case is ignored"},
		{"PUT", "application/yaml", cluster.YAML, ""},
		{"DELETE", "text/plain", cluster.UnknownFormat, ""},
		{"POST", "application/vnd.kubernetes.protobuf", cluster.UnknownFormat, ""},
		{"POST", "application/cbor", cluster.UnknownFormat, ""},
		{"PATCH", "application/json-patch+json;charset=UTF-8", cluster.JSONPatch, ""},
		{"PATCH", "application/merge-patch+json", cluster.MergePatch, ""},
		{"PATCH", "application/Merge-Patch+json", cluster.UnknownFormat, "parameters of a patch type are not ignored"},
		{"PATCH", "application/strategic-merge-patch+json", cluster.StrategicPatch, ""},
		{"PATCH", "application/apply-patch+yaml", cluster.ApplyPatch, ""},
		{"PATCH", "application/json", cluster.UnknownFormat, ""},
		{"PATCH", "", cluster.UnknownFormat, ""},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		r.Header.Set("Content-Type", c.kind)
		if got := bodyFormat(r); got != c.want {
			t.Errorf("%s %q (%s): got %v, want %v", c.method, c.kind, c.why, got, c.want)
		}
	}
}
