// Command wiremessages generates the description of the built-in kinds' protobuf
// encoding: the numbers, names and types of their fields, from the Go types of
// k8s.io/api. Package internal/engine/protobuf documents the format.
//
//	go run ./cmd/wiremessages [FILE...]
//
// The kinds and fields of each FILE, which the command has written with the libraries of another
// version, are added: numbers are not used again. internal/engine/protobuf/generate.sh does that
// for the newest version.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// forms are the types with a custom JSON encoding.
var forms = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                  "time",
	reflect.TypeFor[metav1.MicroTime]():                             "microtime",
	reflect.TypeFor[metav1.Duration]():                              "duration",
	reflect.TypeFor[resource.Quantity]():                            "quantity",
	reflect.TypeFor[intstr.IntOrString]():                           "intstr",
	reflect.TypeFor[runtime.RawExtension]():                         "raw",
	reflect.TypeFor[metav1.FieldsV1]():                              "raw",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "raw",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "either",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "either",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "either",
}

// message is a message of the catalog: its name and the lines of its fields.
type message struct {
	name   string
	fields []string
}

// catalog is what the command writes: the messages, and the index of the message of each kind,
// which is an API version and a kind.
type catalog struct {
	kinds    map[string]int
	messages []message
}

type writer struct {
	catalog
	index map[reflect.Type]int
	queue []reflect.Type
}

func main() {
	if err := errors.Join(apiextensionsv1.AddToScheme(scheme.Scheme), apiregistrationv1.AddToScheme(scheme.Scheme)); err != nil {
		panic(err)
	}
	w := &writer{catalog: catalog{kinds: map[string]int{}}, index: map[reflect.Type]int{}}
	known := scheme.Scheme.AllKnownTypes()
	kinds := make([]schema.GroupVersionKind, 0, len(known))
	for k, t := range known {
		if t.PkgPath() != reflect.TypeFor[metav1.ObjectMeta]().PkgPath() && !strings.HasSuffix(k.Kind, "List") && isMessage(t) {
			kinds = append(kinds, k)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	w.kinds["* DeleteOptions"] = w.message(reflect.TypeFor[metav1.DeleteOptions]())
	w.kinds["* Status"] = w.message(reflect.TypeFor[metav1.Status]())
	w.kinds["* PartialObjectMetadata"] = w.message(reflect.TypeFor[metav1.PartialObjectMetadata]())
	for _, k := range kinds {
		w.kinds[k.GroupVersion().String()+" "+k.Kind] = w.message(known[k])
	}
	for i := 0; i < len(w.queue); i++ {
		w.messages = append(w.messages, message{w.queue[i].String(), w.fields(w.queue[i])})
	}
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		w.add(readCatalog(string(text)))
	}
	out := bufio.NewWriter(os.Stdout)
	for _, kind := range slices.Sorted(maps.Keys(w.kinds)) {
		fmt.Fprintf(out, "kind %s %d\n", kind, w.kinds[kind])
	}
	for _, m := range w.messages {
		fmt.Fprintf(out, "message %s\n%s", m.name, strings.Join(m.fields, ""))
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}

func isMessage(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return ok
}

// message returns the number of a type's description.
func (w *writer) message(t reflect.Type) int {
	n, ok := w.index[t]
	if !ok {
		n = len(w.queue)
		w.index[t] = n
		w.queue = append(w.queue, t)
	}
	return n
}

func (w *writer) fields(t reflect.Type) []string {
	var lines []string
	for f := range t.Fields() {
		tag, ok := f.Tag.Lookup("protobuf")
		if !ok || tag == "-" {
			continue
		}
		number := strings.Split(tag, ",")[1]
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ, flags := w.typeOf(f.Type)
		if strings.Contains(opts, "inline") || f.Anonymous && name == "" {
			flags += " inline"
		}
		if f.Type.Kind() != reflect.Pointer && (strings.Contains(opts, "omitempty") && f.Type.Kind() != reflect.Struct || strings.Contains(opts, "omitzero")) {
			flags += " omitzero"
		}
		if name == "" {
			name = "-"
		}
		lines = append(lines, fmt.Sprintf("%s %s %s%s\n", number, name, typ, flags))
	}
	byNumber(lines)
	return lines
}

// typeOf returns a field's type and flags.
func (w *writer) typeOf(t reflect.Type) (typ, flags string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if form, ok := forms[t]; ok {
		if form == "either" {
			return fmt.Sprintf("either:%d", w.message(t)), ""
		}
		return form, ""
	}
	switch t.Kind() {
	case reflect.String:
		return "string", ""
	case reflect.Bool:
		return "bool", ""
	case reflect.Int32, reflect.Int64:
		return "int", ""
	case reflect.Float64:
		return "double", ""
	case reflect.Struct:
		return fmt.Sprintf("message:%d", w.message(t)), ""
	case reflect.Map:
		typ, flags = w.typeOf(t.Elem())
		return typ, flags + " map"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes", ""
		}
		if isMessage(t) {
			return "strings", ""
		}
		typ, flags = w.typeOf(t.Elem())
		return typ, flags + " list"
	}
	panic(fmt.Sprintf("no form for %s", t))
}
