package playground

import (
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write web/src/messages.ts")

const typesFile = "../../../web/src/messages.ts"

// TestPageTypesAreThoseOfTheMessages keeps the page's types and the engine's the
// same: the file is made of the Go structs.
func TestPageTypesAreThoseOfTheMessages(t *testing.T) {
	want := typeScript()
	if *update {
		if err := os.WriteFile(typesFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(typesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the messages in Go say; run go test ./internal/app/playground -update", typesFile)
	}
}

func typeScript() string {
	w := typeWriter{seen: map[reflect.Type]bool{}}
	w.b.WriteString("// Written by a test from the messages of internal/app/playground: do not edit.\n// go test ./internal/app/playground -update\n")
	var table strings.Builder
	all := calls()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		table.WriteString("  " + name + ": { input: " + w.name(c.in) + "; output: " + w.name(c.out) + " };\n")
	}
	w.name(reflect.TypeFor[Failure]())
	w.b.WriteString("\n/** What can be asked of the engine. */\nexport interface Calls {\n" + table.String() + "}\n")
	return w.b.String()
}

type typeWriter struct {
	b    strings.Builder
	seen map[reflect.Type]bool
}

// name returns a type's name in TypeScript; structs are declared on the way.
func (w *typeWriter) name(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "number"
	case reflect.Slice:
		return w.name(t.Elem()) + "[]"
	case reflect.Pointer:
		return w.name(t.Elem()) + " | null"
	case reflect.Struct:
		w.declare(t)
		return t.Name()
	}
	panic("no TypeScript type for " + t.String())
}

func (w *typeWriter) declare(t reflect.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	var fields strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		fields.WriteString("  " + fieldName(f) + ": " + w.name(f.Type) + ";\n")
	}
	w.b.WriteString("\nexport interface " + t.Name() + " {\n" + fields.String() + "}\n")
}
