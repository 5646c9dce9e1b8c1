package protobuf

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// The following functions encode the wire format as a client does.

func fieldBytes(number uint64, b ...byte) []byte {
	out := binary.AppendUvarint(nil, number<<3|wireBytes)
	return append(binary.AppendUvarint(out, uint64(len(b))), b...)
}

func fieldString(number uint64, s string) []byte { return fieldBytes(number, []byte(s)...) }

func fieldNumber(number, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|wireVarint), n)
}

func encoded(apiVersion, kind string, fields ...[]byte) []byte {
	meta := slices.Concat(fieldString(1, apiVersion), fieldString(2, kind))
	return slices.Concat([]byte(magic), fieldBytes(1, meta...), fieldBytes(2, slices.Concat(fields...)...))
}

func entry(key, val string) []byte { return slices.Concat(fieldString(1, key), fieldString(2, val)) }

func TestDecode(t *testing.T) {
	cases := []struct {
		why  string
		body []byte
		want string
	}{
		{"a name, and zero values that JSON omits",
			encoded("v1", "ConfigMap", fieldBytes(1, slices.Concat(fieldString(1, "cm"), fieldString(2, ""), fieldNumber(7, 0))...)),
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm"}}`},
		{"interleaved entries of two maps; of equal keys the last is used",
			encoded("v1", "ConfigMap", fieldBytes(2, entry("a", "1")...), fieldBytes(3, entry("x", "\x00\xff")...), fieldBytes(2, entry("b", "2")...), fieldBytes(2, entry("a", "3")...)),
			`{"apiVersion":"v1","binaryData":{"x":"AP8="},"data":{"a":"3","b":"2"},"kind":"ConfigMap"}`},
		{"a zero value of a pointer field is kept",
			encoded("apps/v1", "Deployment", fieldBytes(2, fieldNumber(1, 0)...)),
			`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":0}}`},
		{"a negative number takes ten bytes",
			encoded("apps/v1", "Deployment", fieldBytes(2, fieldNumber(1, 1<<64-3)...)),
			`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":-3}}`},
		{"a time in whole seconds, and an absent time",
			encoded("v1", "ConfigMap", fieldBytes(1, slices.Concat(fieldBytes(8, fieldNumber(1, 1700000000)...), fieldBytes(9))...)),
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"creationTimestamp":"2023-11-14T22:13:20Z","deletionTimestamp":null}}`},
		{"DeleteOptions have the version of the deleted resource",
			encoded("apps/v1", "DeleteOptions", fieldString(4, "Foreground")),
			`{"apiVersion":"apps/v1","kind":"DeleteOptions","propagationPolicy":"Foreground"}`},
		{"an unknown field is skipped",
			encoded("v1", "ConfigMap", fieldString(900, "new")),
			`{"apiVersion":"v1","kind":"ConfigMap"}`},
		{"an unknown field that is a group is ignored, with the groups in it", encoded("v1", "ConfigMap",
			[]byte{99<<3&0x7f | 3 | 0x80, 99 >> 4, 0x0b, 0x08, 0x01, 0x0c, 99<<3&0x7f | 4 | 0x80, 99 >> 4}, fieldBytes(1, fieldString(1, "a")...)),
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
		{"the values of a repeated message are merged", encoded("v1", "ConfigMap",
			fieldBytes(1, slices.Concat(fieldString(1, "a"), fieldBytes(11, entry("k", "1")...))...), fieldBytes(2, entry("d", "e")...),
			fieldBytes(1, slices.Concat(fieldString(1, "b"), fieldBytes(11, entry("l", "2")...))...)),
			`{"apiVersion":"v1","data":{"d":"e"},"kind":"ConfigMap","metadata":{"labels":{"k":"1","l":"2"},"name":"b"}}`},
		{"the number of a field has 32 bits", encoded("v1", "ConfigMap", fieldBytes(1<<32|1, fieldString(1, "a")...)),
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
	}
	for _, k := range cases {
		got, err := Decode(k.body)
		if err != nil || got.String() != k.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", k.why, got, err, k.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := []byte{}
	for range maxDepth {
		deep = fieldBytes(28, deep...) // not: {not: {…}}
	}
	deep = fieldBytes(2, fieldBytes(7, fieldBytes(4, fieldBytes(1, deep...)...)...)...)
	cases := []struct {
		why  string
		body []byte
		want error
	}{
		{"a missing prefix", []byte(`{"a":1}`), errMalformed},
		{"empty", nil, errMalformed},
		{"only the prefix", []byte(magic), errMalformed},
		{"a custom resource", encoded("lab.example.com/v1", "Widget"), ErrUnknownKind},
		{"a missing kind", encoded("", ""), ErrUnknownKind},
		{"truncated", encoded("v1", "ConfigMap", fieldString(1, "\x0a\x7fcm")), errMalformed},
		{"a string in a numeric field", encoded("apps/v1", "Deployment", fieldBytes(2, fieldString(1, "3")...)), errMalformed},
		{"a group, which proto3 does not have", encoded("v1", "ConfigMap", []byte{0x0b}), errMalformed},
		{"a group without an end", encoded("v1", "ConfigMap", []byte{99<<3&0x7f | 3 | 0x80, 99 >> 4, 0x08, 0x01}), errMalformed},
		{"the number of a field is negative", encoded("v1", "ConfigMap", fieldString(1<<31, "a")), errMalformed},
		{"a repeated message with another wire type", encoded("v1", "ConfigMap", fieldBytes(1), fieldNumber(1, 2)), errMalformed},
		{"a number in place of raw text", encoded("apps/v1", "ControllerRevision", fieldBytes(2, fieldNumber(1, 2)...)), errMalformed},
		{"a text in place of seconds", encoded("v1", "ConfigMap", fieldBytes(1, fieldBytes(8, fieldString(1, "a")...)...)), errMalformed},
		{"field number 0", encoded("v1", "ConfigMap", []byte{0x02, 0x00}), errMalformed},
		{"a length that overflows", encoded("v1", "ConfigMap", []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}), errMalformed},
		{"a schema that nests too deep", encoded("apiextensions.k8s.io/v1", "CustomResourceDefinition", deep), errMalformed},
		{"raw text that is not JSON", encoded("apps/v1", "ControllerRevision", fieldBytes(2, fieldString(1, "{")...)), errMalformed},
	}
	for _, k := range cases {
		if got, err := Decode(k.body); !errors.Is(err, k.want) {
			t.Errorf("%s: got %s, %v; want %v", k.why, got, err, k.want)
		}
	}
}

// Messages that are repeated on each of many levels are decoded once: the number of fields limits the work. Decoding each
// occurrence and then all of them together would take 2^90 steps.
func TestRepeatedMessagesOnManyLevels(t *testing.T) {
	schema := fieldString(5, "object")
	for range 90 {
		schema = slices.Concat(fieldBytes(28, schema...), fieldBytes(28, fieldString(3, "a")...)) // not: {not: {…}, $ref: a}
	}
	got, err := Decode(encoded("apiextensions.k8s.io/v1", "CustomResourceDefinition", fieldBytes(2, fieldBytes(7, fieldBytes(4, fieldBytes(1, schema...)...)...)...)))
	if err != nil {
		t.Fatal(err)
	}
	v := got.Get("spec").Get("versions").At(0).Lookup("schema", "openAPIV3Schema")
	for range 90 {
		v = v.Get("not")
		if v.Get("$ref").StringOr("") != "a" {
			t.Fatalf("a schema without its $ref: %s", v)
		}
	}
	if v.Get("type").StringOr("") != "object" {
		t.Errorf("the innermost schema is %s", v)
	}
}

// A body without apiVersion or kind is what the receiver expects.
func TestDecodeAs(t *testing.T) {
	for _, k := range []struct{ apiVersion, kind, want string }{
		{"", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
		{"v1", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
		{"", "Secret", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`},
	} {
		body := encoded(k.apiVersion, k.kind, fieldBytes(1, fieldString(1, "a")...))
		if got, err := DecodeAs(body, "v1", "ConfigMap"); err != nil || got.String() != k.want {
			t.Errorf("%q %q: got %s, %v; want %s", k.apiVersion, k.kind, got, err, k.want)
		}
	}
}

func TestErrorNamesTheField(t *testing.T) {
	_, err := Decode(encoded("apps/v1", "Deployment", fieldBytes(2, fieldString(1, "3")...)))
	if err == nil || !strings.Contains(err.Error(), "Deployment: spec: replicas: ") {
		t.Errorf("got %v, want the path to the field", err)
	}
}

// TestLongListOfSchemas: the cost of a list that represents a whole message is linear in
// its length.
func TestLongListOfSchemas(t *testing.T) {
	cost := func(n int) uint64 {
		schemas := slices.Repeat(fieldBytes(2), n) // items: [{}, {}, …]
		schema := fieldBytes(24, schemas...)
		body := encoded("apiextensions.k8s.io/v1", "CustomResourceDefinition", fieldBytes(2, fieldBytes(7, fieldBytes(4, fieldBytes(1, schema...)...)...)...))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Decode(body)
		runtime.ReadMemStats(&after)
		if want := `"items":[` + strings.Repeat(`{},`, n-1) + `{}]`; err != nil || !strings.Contains(got.String(), want) {
			t.Fatalf("%.300s, %v", got, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	cost(1) // initializes what is parsed once
	if a, b := cost(200), cost(3200); b > 3*16*a {
		t.Errorf("%d KB for 200, %d KB for 3200", a>>10, b>>10)
	}
}

// FuzzDecode: any input yields an object that can be printed and parsed, or one of two errors.
func FuzzDecode(f *testing.F) {
	f.Add(encoded("v1", "ConfigMap", fieldBytes(2, entry("a", "1")...)))
	f.Add(encoded("apps/v1", "Deployment", fieldBytes(2, fieldNumber(1, 3)...)))
	f.Add(encoded("v1", "Event", fieldBytes(1, fieldBytes(8, fieldNumber(1, 1<<63)...)...)))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := slices.Clone(body)
		got, err := Decode(body)
		switch {
		case err == nil && !parses(got):
			t.Errorf("%x was decoded to %s, which does not parse to the same", body, got)
		case err != nil && !errors.Is(err, errMalformed) && !errors.Is(err, ErrUnknownKind):
			t.Errorf("%x gave %v", body, err)
		case !slices.Equal(body, before):
			t.Errorf("%x was changed to %x", before, body)
		}
	})
}

// parses reports whether the JSON of a value is parsed to the same value.
func parses(v document.Value) bool {
	doc, err := document.Parse(v.JSON(), document.Options{MaxBytes: -1})
	return err == nil && document.Identical(doc.Root, v)
}
