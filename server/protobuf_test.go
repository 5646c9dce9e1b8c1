package server

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestProtobufBodies(t *testing.T) {
	const (
		mediaType = "application/vnd.kubernetes.protobuf"
		configMap = "k8s\x00\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x0e\x0a\x04\x0a\x02cm\x12\x06\x0a\x01a\x12\x011"
		gadget    = "k8s\x00\x0a\x1c\x0a\x12lab.example.com/v1\x12\x06Gadget\x12\x00"
		options   = "k8s\x00\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12\x0c\x22\x0aForeground"
	)
	const collection, item = "/api/v1/namespaces/ns/configmaps", "/api/v1/namespaces/ns/configmaps/cm"
	for _, c := range []struct {
		why, method, path, body string
		code                    int
		format                  cluster.Format
		want                    string
	}{
		{"a create by client-go", "POST", collection, configMap, 200, cluster.Protobuf,
			`{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"cm"}}`},
		{"an update", "PUT", item, configMap, 200, cluster.Protobuf,
			`{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"cm"}}`},
		{"the options of a deletion", "DELETE", item, options, 200, cluster.Protobuf,
			`{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground"}`},
		{"an empty body", "DELETE", item, "", 200, cluster.Protobuf, ""},
		{"custom resources have no such encoding", "POST", "/apis/lab.example.com/v1/namespaces/ns/gadgets", gadget, 200, cluster.UnknownFormat, gadget},
		{"a patch has types of its own", "PATCH", item, configMap, 200, cluster.UnknownFormat, configMap},
		{"a truncated body", "POST", collection, configMap[:len(configMap)-1], 400, 0, ""},
		{"JSON under the wrong name", "POST", collection, `{"kind":"ConfigMap"}`, 400, 0, ""},
	} {
		f := newFake(t)
		w := ask(New(f, Options{}), c.method, c.path, c.body, "Content-Type", mediaType)
		if w.Code != c.code {
			t.Errorf("%s: code %d, want %d: %s", c.why, w.Code, c.code, w.Body)
		}
		if c.code != 200 {
			if len(f.asked) != 0 {
				t.Errorf("%s: the cluster got a request", c.why)
			}
			continue
		}
		got, text := f.asked[0], string(f.asked[0].Body)
		if got.Document != nil {
			text = got.Document.Root.String()
		}
		if got.Format != c.format || text != c.want {
			t.Errorf("%s: the cluster got a request with format %v and %q, want %v and %q", c.why, got.Format, text, c.format, c.want)
		}
	}
}

// TestUnknownFieldsInProtobuf: a kube-apiserver v1.36.3 answers 201 without a warning to a body with
// a field that it does not know, with each validation of fields; so do older versions to fields
// that only newer ones have, here the hostnameOverride of a pod.
func TestUnknownFieldsInProtobuf(t *testing.T) {
	c, err := cluster.New(cluster.Config{Version: "1.33"})
	if err != nil {
		t.Fatal(err)
	}
	pod, err := document.Parse([]byte(`{"metadata":{"name":"a"},"spec":{"hostnameOverride":"x","containers":[{"name":"c","image":"i"}]}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	newer, err := protobuf.AppendObject(nil, "v1", "Pod", pod.Root)
	if err != nil {
		t.Fatal(err)
	}
	const unknown = "k8s\x00\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x12\x0a\x04\x0a\x02cm\x12\x06\x0a\x01a\x12\x011\x9a\x06\x01x"
	for resource, text := range map[string]string{"configmaps": unknown, "pods": string(newer)} {
		for _, validation := range []string{"Strict", "Warn", "Ignore"} {
			w := ask(New(c, Options{}), "POST", "/api/v1/namespaces/ns/"+resource+"?dryRun=All&fieldValidation="+validation, text,
				"Content-Type", protobuf.MediaType)
			if w.Code != 201 || len(w.Header()["Warning"]) > 0 || strings.Contains(w.Body.String(), "hostnameOverride") {
				t.Errorf("%s, %s: %d %v %s", resource, validation, w.Code, w.Header()["Warning"], w.Body)
			}
		}
	}
}

// TestStoredObjectsInProtobuf checks that a cached protobuf encoding is returned with
// the object's current resourceVersion.
func TestStoredObjectsInProtobuf(t *testing.T) {
	s := local(t, Options{})
	create(t, s, "a", `,"data":{"x":"y"}`)
	for range 2 {
		object := body(t, ask(s, "GET", configMaps+"/a", ""))
		for _, form := range []answerForm{{protobuf: true}, {protobuf: true, as: formMetadata, version: "v1"}} {
			accept := "application/vnd.kubernetes.protobuf"
			if form.as != formObject {
				accept += ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
			}
			want, err := appendWire(nil, form, object)
			if err != nil {
				t.Fatal(err)
			}
			if got := ask(s, "GET", configMaps+"/a", "", "Accept", accept); got.Code != 200 || !bytes.Equal(got.Body.Bytes(), want) {
				t.Errorf("%s: %d %q\nwant %q", accept, got.Code, got.Body, want)
			}
		}
		if w := ask(s, "PATCH", configMaps+"/a", `{"data":{"x":"z"}}`, "Content-Type", "application/merge-patch+json"); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

// TestListsAndEventsInProtobuf checks that a list in protobuf has its items, and that the events of a
// watch have the objects and the bookmark after them, as a client decodes them.
func TestListsAndEventsInProtobuf(t *testing.T) {
	const accept, metadata = protobuf.MediaType, protobuf.MediaType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	for _, c := range []struct {
		accept string
		form   answerForm
	}{{accept, answerForm{protobuf: true}}, {metadata, answerForm{protobuf: true, as: formMetadata, version: "v1"}}} {
		synctest.Test(t, func(t *testing.T) {
			store, err := cluster.New(cluster.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			s := New(store, Options{})
			create(t, s, "a", `,"data":{"x":"y"}`)
			create(t, s, "b", `,"data":{"x":"z"}`)
			kind, _ := store.Kinds().Kind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
			var items, events []byte
			for _, name := range []string{"a", "b"} {
				object := body(t, ask(s, "GET", configMaps+"/"+name, ""))
				o, err := wireOfValue(c.form, kind, object)
				if err != nil {
					t.Fatal(err)
				}
				items = o.AppendItem(items, object.Lookup("metadata", "resourceVersion").StringOr(""))
				message, err := appendWire(nil, c.form, object)
				if err != nil {
					t.Fatal(err)
				}
				events = protobuf.AppendEvent(events, "ADDED", message)
			}
			accept, apiVersion, listed := c.accept, "v1", "ConfigMapList"
			if c.form.as != formObject {
				accept, apiVersion, listed = strings.Replace(accept, formMetadata, formList, 1), "meta.k8s.io/v1", formList
			}
			head := protobuf.ListMetadata(body(t, ask(s, "GET", configMaps, "")).Lookup("metadata", "resourceVersion").StringOr(""), "", 0, false)
			want := protobuf.AppendHeader(nil, apiVersion, listed, len(head)+len(items))
			want = append(append(append(want, head...), items...), protobuf.Trailer...)
			if got := ask(s, "GET", configMaps, "", "Accept", accept); got.Code != 200 || !bytes.Equal(got.Body.Bytes(), want) {
				t.Errorf("%s: got the list %q\nwant %q", accept, got.Body, want)
			}
			got := ask(s, "GET", configMaps+"?watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&timeoutSeconds=2", "", "Accept", c.accept)
			end, isPrefix := bytes.CutPrefix(got.Body.Bytes(), events)
			if !isPrefix || !bytes.Contains(end, []byte("BOOKMARK")) || !bytes.Contains(end, []byte("k8s.io/initial-events-end")) {
				t.Errorf("%s: got the events %q\nwant %q and a bookmark", c.accept, got.Body, events)
			}
		})
	}
}
