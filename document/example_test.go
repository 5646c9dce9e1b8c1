package document_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// must parses JSON text and returns its root.
func must(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return d.Root
}

func ExampleParse() {
	d, err := document.Parse([]byte(`{"kind":"ConfigMap","data":{"b":"2","a":"1"}}`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Root) // sorted by key
	fmt.Println(d.Root.Lookup("data", "a").StringOr("none"), d.Root.Lookup("data", "c").Exists())

	_, err = document.Parse([]byte("{\n  \"a\": 1,\n  \"a\": 2\n}"), document.Options{Name: "twice.json"})
	fmt.Println(errors.Is(err, document.ErrDuplicateKey), err)
	// Output:
	// {"data":{"a":"1","b":"2"},"kind":"ConfigMap"}
	// 1 false
	// true twice.json:3:3: key "a" is duplicated in the object
}

func ExampleParseYAML() {
	d, err := document.ParseYAML([]byte("debug: yes\nport: 0o17\nmode: 010\n"), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Root) // YAML 1.1, as in the API server
	// Output: {"debug":true,"mode":8,"port":15}
}

func ExampleRead() {
	docs, err := document.Read([]byte("kind: A\n---\nkind: B\n"), document.Options{Name: "both.yaml"})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range docs {
		fmt.Println(d.Root.Get("kind"), "at", d.PositionOf(document.Keys("kind")))
	}
	// Output:
	// "A" at both.yaml:1:7
	// "B" at both.yaml:3:7
}

// A list of a thousand items is validated, but only one item is decoded.
func ExampleParseLazy() {
	text := []byte(`{"items":[` + strings.Repeat(`{"name":"x"},`, 999) + `{"name":"last"}]}`)
	d, err := document.ParseLazy(text, document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	items := d.Root.Get("items")
	fmt.Println(items.Len(), items.At(999).Get("name"))
	// Output: 1000 "last"
}

func ExampleValue_With() {
	before := must(`{"data":{"a":"1"},"kind":"ConfigMap"}`)
	after := before.With("immutable", document.NewBool(true))
	fmt.Println(before)
	fmt.Println(after)
	fmt.Println(document.SameNode(before.Get("data"), after.Get("data"))) // shared, not copied
	// Output:
	// {"data":{"a":"1"},"kind":"ConfigMap"}
	// {"data":{"a":"1"},"immutable":true,"kind":"ConfigMap"}
	// true
}

func ExampleValue_YAML() {
	if _, err := os.Stdout.Write(must(`{"metadata":{"name":"web"},"ports":[{"port":80}],"text":"yes"}`).YAML()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// metadata:
	//   name: web
	// ports:
	// - port: 80
	// text: "yes"
}

func ExampleObjectBuilder() {
	var b document.ObjectBuilder
	b.SetString("name", "http")
	b.Set("port", document.NewInt(80))
	b.SetNonEmpty("protocol", "")
	fmt.Println(b.Object())
	// Output: {"name":"http","port":80}
}

func ExampleListBuilder() {
	old := must(`["a","b","c"]`)
	var b document.ListBuilder
	b.AppendItems(old, 0, 2)
	b.Append(document.NewString("d"))
	fmt.Println(b.List())
	// Output: ["a","b","d"]
}

func ExampleEqual() {
	one, float := document.NewInt(1), must(`1.0`)
	fmt.Println(document.Equal(one, float), document.Identical(one, float))
	// Output: true false
}

func ExampleCompare() {
	fmt.Println(document.Compare(must(`{"a":1}`), must(`{"a":2}`)), document.Compare(must(`"1"`), must(`1`)))
	// Output: -1 1
}

// Values that share nodes need no deep comparison.
func ExampleSurelyIdentical() {
	a, b := must(`{"a":[1,2]}`), must(`{"a":[1,2]}`)
	fmt.Println(document.SameNode(a, b), document.SurelyIdentical(a, b))
	fmt.Println(document.SurelyIdentical(a, must(`{"a": [1, 2]}`))) // false does not imply that they differ
	// Output:
	// false true
	// false
}

// Identity can be the key of a cache for data derived from a list; values that share the
// list have equal identities.
func ExampleValue_Identity() {
	before := must(`{"items":[{"name":"a"},{"name":"b"}]}`)
	lengths := map[document.Identity]int{before.Get("items").Identity(): 2}
	after := before.With("kind", document.NewString("List"))
	fmt.Println(lengths[after.Get("items").Identity()])
	// Output: 2
}

func ExampleReplaceIn() {
	text := []byte(`{"spec":{"ports":[{"port":80}]}}`)
	out, ok := document.ReplaceIn(text, []string{"spec", "ports", "0", "port"}, document.NewInt(8080), document.Options{})
	fmt.Println(string(out), ok)
	_, ok = document.ReplaceIn(text, []string{"spec", "replicas"}, document.NewInt(2), document.Options{})
	fmt.Println(ok)
	// Output:
	// {"spec":{"ports":[{"port":8080}]}} true
	// false
}

func ExampleAppendQuoted() {
	fmt.Println(string(document.AppendQuoted(nil, "a <b>\n")))
	// Output: "a \u003cb\u003e\n"
}
