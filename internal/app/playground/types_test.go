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

var update = flag.Bool("update", false, "write the TypeScript types of the messages")

const (
	pageTypes    = "../../../web/src/messages.ts"
	packageTypes = "../../../web/packages/engine/src/messages.ts"
)

// TestTypesAreCurrent checks that the TypeScript types of the page and of
// the npm package, which are generated from the engine's Go structs, are up to date.
func TestTypesAreCurrent(t *testing.T) {
	page := calls()
	maps.Copy(page, laterCalls())
	for file, want := range map[string]string{pageTypes: typeScript("Calls", page), packageTypes: typeScript("LabCalls", labCalls())} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s does not match the Go structs; run go test ./internal/app/playground -update", file)
		}
	}
}

func typeScript(table string, all map[string]call) string {
	w := typeWriter{seen: map[reflect.Type]bool{}}
	w.b.WriteString("// Written by a test from the messages of internal/app/playground: do not edit.\n// go test ./internal/app/playground -update\n")
	var rows strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		rows.WriteString("  " + name + ": { input: " + w.name(c.in) + "; output: " + w.name(c.out) + " };\n")
	}
	w.name(reflect.TypeFor[Failure]())
	w.b.WriteString("\n/** What can be asked of the engine. */\nexport interface " + table + " {\n" + rows.String() + "}\n")
	return w.b.String()
}

type typeWriter struct {
	b    strings.Builder
	seen map[reflect.Type]bool
}

// name returns the TypeScript name of a type. It declares structs on first use.
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
