package architecture

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

var update = flag.Bool("update", false, "write the index of kinds in doc/kinds.md")

const (
	kindsPage  = "../../doc/kinds.md"
	indexBegin = "<!-- The index is written by: go test ./internal/architecture -run TestIndexOfKinds -update -->\n"
	indexEnd   = "<!-- end of the index -->\n"
)

// TestIndexOfKinds checks that the index in doc/kinds.md lists, for each built-in resource,
// the files with its rules.
func TestIndexOfKinds(t *testing.T) {
	data, err := os.ReadFile(kindsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), indexBegin)
	_, after, closed := strings.Cut(rest, indexEnd)
	if !found || !closed {
		t.Fatal("doc/kinds.md has no index")
	}
	page := before + indexBegin + indexOfKinds(t) + indexEnd + after
	if page == string(data) {
		return
	}
	if !*update {
		t.Fatal("the index in doc/kinds.md is not current; run go test ./internal/architecture -run TestIndexOfKinds -update")
	}
	if err := os.WriteFile(kindsPage, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

func indexOfKinds(t *testing.T) string {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := defaults.List()
	if err != nil {
		t.Fatal(err)
	}
	ruleFiles := map[string][]string{} // by the name of the type
	for _, r := range rules {
		ruleFiles[r.Type] = append(ruleFiles[r.Type], r.File)
	}
	strategies, prepare, tables := sources(t, "kinds"), sources(t, "schema/defaults"), sources(t, "server/internal/table")
	rows := map[string]string{}
	for k := range schema.NewRegistry(catalog).Kinds() {
		if k.Resource == "" {
			continue
		}
		types := map[string]bool{}
		collectTypes(k.Type(), types, map[*schema.Type]bool{})
		var files []string
		for name := range types {
			files = append(files, ruleFiles[name]...)
		}
		slices.Sort(files)
		name := k.Resource
		if k.Group != "" {
			name += "." + k.Group
		}
		rows[name] = fmt.Sprintf("| %s | %s | %s | %s | %s |\n", name,
			strategyFile(strategies, k), list(slices.Compact(files)),
			filesWith(prepare, `"`+k.Group+"/"+k.Kind+`"`), filesWith(tables, `"`+k.Resource+`"`))
	}
	if len(rows) < 60 {
		t.Fatalf("only %d resources", len(rows))
	}
	var b strings.Builder
	b.WriteString("| resource | strategy, `kinds/` | defaults, `schema/defaults/rules/` | creation and update, `schema/defaults/` | columns, `server/internal/table/` |\n|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(rows[name])
	}
	return b.String()
}

// strategyFile returns the file that has the strategy of a kind.
func strategyFile(files map[string]string, k *schema.Kind) string {
	group := `Group: "` + k.Group + `", `
	if k.Group == "" {
		group = ""
	}
	if found := filesWith(files, group+`Resource: "`+k.Resource+`"`); found != "–" {
		return found
	}
	return filesWith(files, `reviewStrategy("`+k.Group+`", "`+k.Resource+`"`)
}

// sources returns the text of the Go files in a folder, tests left out, with single spaces.
func sources(t *testing.T, folder string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../" + folder + "/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	out := map[string]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = strings.Join(strings.Fields(string(data)), " ")
	}
	return out
}

// filesWith lists the files that contain all of the texts.
func filesWith(files map[string]string, texts ...string) string {
	var found []string
	for name, source := range files {
		if !slices.ContainsFunc(texts, func(text string) bool { return text != `""` && !strings.Contains(source, text) }) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return list(found)
}

func list(files []string) string {
	if len(files) == 0 {
		return "–"
	}
	return strings.Join(files, ", ")
}

// collectTypes gathers the names of the types below a type.
func collectTypes(t *schema.Type, names map[string]bool, seen map[*schema.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	names[t.Name] = true
	if t.List != nil {
		collectTypes(t.List.Elem, names, seen)
	}
	if t.Map != nil {
		for i := range t.Map.Fields {
			collectTypes(t.Map.Fields[i].Type, names, seen)
		}
		collectTypes(t.Map.Elem, names, seen)
	}
}
