package protobuf

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"os"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

type recordedObject struct {
	json     document.Value
	protobuf []byte
}

func recordedObjects(t testing.TB) []recordedObject {
	t.Helper()
	file, err := os.ReadFile("testdata/objects.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var out []recordedObject
	for lines.Scan() {
		d, err := document.Parse(lines.Bytes(), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := base64.StdEncoding.DecodeString(d.Root.Get("protobuf").StringOr(""))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, recordedObject{d.Root.Get("json"), b})
	}
	return out
}

// TestRecordedObjectsAsJSON: the recorded protobuf and JSON forms of an object
// are equal: every decoded field is in the JSON form, and every field of the JSON form is
// decoded or has its zero value.
func TestRecordedObjectsAsJSON(t *testing.T) {
	all := recordedObjects(t)
	for _, s := range all {
		got, err := Decode(s.protobuf)
		if err != nil {
			t.Errorf("%s: %v", s.json.Get("kind"), err)
			continue
		}
		compareObjects(t, s.json.Get("kind").StringOr("")+" "+s.json.Get("metadata").Get("name").StringOr(""), got, s.json)
	}
	if len(all) < 80 {
		t.Errorf("only %d objects were compared", len(all))
	}
}

// TestAppendObject: an object that is encoded for one response has the same bytes as one whose
// encoding is kept.
func TestAppendObject(t *testing.T) {
	for _, s := range recordedObjects(t) {
		apiVersion, kind := s.json.Get("apiVersion").StringOr(""), s.json.Get("kind").StringOr("")
		kept, err := Encode(apiVersion, kind, s.json)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		revision := s.json.Get("metadata").Get("resourceVersion").StringOr("")
		want := kept.AppendMessage([]byte("before"), apiVersion, kind, revision)
		got, err := AppendObject([]byte("before"), apiVersion, kind, s.json)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %x (%v), want %x", kind, got, err, want)
		}
	}
	d, err := document.Parse([]byte(`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Encode("v1", "ConfigMap", d.Root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := AppendObject(nil, "v1", "ConfigMap", d.Root)
	if want := kept.AppendMessage(nil, "v1", "ConfigMap", ""); err != nil || !bytes.Equal(got, want) {
		t.Errorf("without metadata: got %x (%v), want %x", got, err, want)
	}
	if _, err := AppendObject(nil, "v1", "ConfigMap", d.Root.With("data", document.NewObject().With("a", document.NewInt(1)))); err == nil {
		t.Error("want an error for data with a number")
	}
}

func compareObjects(t *testing.T, path string, got, want document.Value) {
	t.Helper()
	switch {
	case !got.Exists():
		if !isEmpty(want) {
			t.Errorf("%s: missing, want %s", path, want)
		}
	case got.Kind() == document.Object && want.Kind() == document.Object:
		for key, v := range got.Members() {
			if !want.Get(key).Exists() && !(v.Kind() == document.Object && v.Len() == 0) {
				t.Errorf("%s.%s: got %s, want nothing", path, key, v)
			}
		}
		for key, v := range want.Members() {
			compareObjects(t, path+"."+key, got.Get(key), v)
		}
	case got.Kind() == document.List && want.Kind() == document.List && got.Len() == want.Len():
		for i := range want.Len() {
			compareObjects(t, path+"[]", got.At(i), want.At(i))
		}
	case !document.Equal(got, want):
		t.Errorf("%s: got %s, want %s", path, got, want)
	}
}

// isEmpty reports whether a value is equivalent to a missing one.
func isEmpty(v document.Value) bool {
	switch v.Kind() {
	case document.Object, document.List:
		for i := range v.Len() {
			if !isEmpty(v.At(i)) {
				return false
			}
		}
		return true
	case document.Number:
		return v.NumberText() == "0"
	case document.Bool:
		return v.String() == "false"
	case document.String:
		return v.StringOr("") == ""
	}
	return true
}
