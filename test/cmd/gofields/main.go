// Command gofields lists the fields of the Go types of the built-in kinds that messages of Go's JSON
// decoder call by a type or a path which their schema does not tell; with -order, all fields of the types whose
// order is not that of the names. Package internal/engine/gotype documents the formats.
//
//	go run ./cmd/gofields [-order]
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	aggregation "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func main() {
	order := flag.Bool("order", false, "list the fields of each type in their order")
	flag.Parse()
	l := listing{found: map[string][]string{}, own: reflect.TypeFor[json.Unmarshaler](), lines: (*listing).fields}
	if *order {
		l.own, l.lines = reflect.TypeFor[json.Marshaler](), (*listing).names
	}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		l.add(t)
	}
	l.add(reflect.TypeFor[apiextensions.CustomResourceDefinition]())
	l.add(reflect.TypeFor[aggregation.APIService]())
	found := l.found
	out := bufio.NewWriter(os.Stdout)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if *order {
			if !slices.IsSorted(found[name]) {
				fmt.Fprintln(out, name, strings.Join(found[name], " "))
			}
			continue
		}
		for i, line := range found[name] {
			if i == 0 {
				fmt.Fprintln(out, name)
			}
			fmt.Fprintln(out, "\t"+line)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "gofields:", err)
		os.Exit(1)
	}
}

// named is a type that has a name in OpenAPI documents.
type named interface{ OpenAPIModelName() string }

// listing lists the fields of types.
type listing struct {
	found map[string][]string // the lines of each type by its name
	// own is the interface of types that encode or decode themselves, whose fields are not listed.
	own   reflect.Type
	lines func(*listing, reflect.Type) []string
}

// add adds the structs among a type and those that it refers to.
func (l *listing) add(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		l.add(t.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if reflect.PointerTo(t).Implements(l.own) {
		return
	}
	model, ok := reflect.Zero(t).Interface().(named)
	if !ok {
		return
	}
	name := model.OpenAPIModelName()
	if _, done := l.found[name]; done {
		return
	}
	l.found[name] = nil
	l.found[name] = l.lines(l, t)
}

// names returns the names of a struct's fields in their order, and adds their types.
func (l *listing) names(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			names = append(names, l.names(f.Type)...)
		case name != "" && name != "-":
			names = append(names, name)
			l.add(f.Type)
		}
	}
	return names
}

// fields returns the lines of a struct's fields, sorted, and adds their types.
func (l *listing) fields(t reflect.Type) []string {
	lines := l.fieldsBelow(t, "")
	slices.Sort(lines)
	return lines
}

// fieldsBelow returns the lines of a struct's fields; embedded is the path of the structs without a
// name of their own that lead to it.
func (l *listing) fieldsBelow(t reflect.Type, embedded string) []string {
	var lines []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous && f.Name != "TypeMeta":
			lines = append(lines, l.fieldsBelow(f.Type, embedded+f.Name+".")...)
			continue
		case name == "" || name == "-":
			continue
		}
		goType := f.Type
		for goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		l.add(goType)
		if embedded != "" || goType.String() != derived(goType) {
			lines = append(lines, name+" "+embedded+name+" "+typeText(goType))
		}
	}
	return lines
}

// derived returns the Go type that a schema tells.
func derived(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return t.String()
	case reflect.Slice:
		return "[]" + derived(t.Elem())
	case reflect.Map:
		return "map[string]" + derived(t.Elem())
	case reflect.Pointer:
		return "*" + derived(t.Elem())
	}
	return t.Kind().String()
}

// typeText returns a type, and after a colon the type of its elements if its own name does not tell it.
func typeText(t reflect.Type) string {
	if (t.Kind() == reflect.Map || t.Kind() == reflect.Slice) && t.Name() != "" {
		return t.String() + ":" + t.Elem().String()
	}
	return t.String()
}
