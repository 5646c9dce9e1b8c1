package defaults

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

var update = flag.Bool("update", false, "write doc/defaults.md anew")

const docFile = "../../doc/defaults.md"

const (
	docBegin = "<!-- The tables below are written by: go test ./schema/defaults -run TestDocument -update -->\n"
	casesIn  = 3 // cases named per rule
)

// TestDocument compares doc/defaults.md with the rules. Every default rule must be used by
// a case: a recorded one, or one in testdata/cases.jsonl.
func TestDocument(t *testing.T) {
	old, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(old), docBegin)
	if !ok {
		t.Fatalf("%s has no line %q", docFile, docBegin)
	}
	want := head + docBegin + tables(t)
	if string(old) == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not match the rules; run the test with -update", docFile)
	}
	if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// witnesses returns the names of the cases in which each rule sets a field, by the rule's
// location.
func witnesses(t *testing.T) map[string][]string {
	found := map[string][]string{}
	note := func(name string) func(Filled) {
		return func(f Filled) {
			at := where(f.Rule)
			if list := found[at]; len(list) < casesIn && !slices.Contains(list, name) {
				found[at] = append(list, name)
			}
		}
	}
	all := creations(t)
	slices.SortStableFunc(all, func(a, b creation) int { return rank(a.name) - rank(b.name) })
	for _, c := range all {
		made(t, "", c.sent, note("`"+strings.TrimPrefix(c.name, "builtin-defaults2/")+"`"))
	}
	for _, f := range storedObjects(t) {
		made(t, f.Version, parse(t, string(f.Sent)), note("`cases:"+f.Name+"`"))
	}
	return found
}

// rank sorts the cases that were made for defaults first.
func rank(name string) int {
	if strings.HasPrefix(name, "builtin-defaults") {
		return 0
	}
	return 1
}

func where(r *Rule) string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

func tables(t *testing.T) string {
	cases, kinds := witnesses(t), kindsOfTypes()
	var b strings.Builder
	file, header := "", ""
	for _, r := range byLine(t) {
		if r[0].File == disabled {
			continue
		}
		if r[0].File != file {
			file = r[0].File
			fmt.Fprintf(&b, "\n## %s\n", file)
		}
		if h := typesText(r); h != header {
			header = h
			fmt.Fprintf(&b, "\n### %s\n\nIn %s.\n\n| Field | Value | Where | Versions | Cases |\n|---|---|---|---|---|\n", h, kindsText(r, kinds))
		}
		names := cases[where(r[0])]
		if len(names) == 0 {
			t.Errorf("%s: no case has a field set by %s", where(r[0]), r[0])
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r[0].Field, valueText(r[0]), whenText(r[0]), versionsText(r[0]), strings.Join(names, ", "))
	}
	b.WriteString("\n## Fields of features that are off\n\nCreate and update take these fields away, but not from an update of an object that has fields of the feature. TestDisabledFeatures checks each rule in every version.\n\n| Type | Field | Condition | Feature gate | Versions |\n|---|---|---|---|---|\n")
	for _, r := range byLine(t) {
		if r[0].File == disabled {
			field := codeText(r[0].Field)
			if r[0].Value != "nothing" { // not the field itself goes
				field += " = " + codeText(r[0].Value)
			}
			condition := codeText(r[0].Condition)
			if r[0].When == "new" {
				condition = "new objects"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", typesText(r), field, condition, r[0].Feature, versionsText(r[0]))
		}
	}
	return b.String()
}

// byLine groups the rules that come from one line of a file.
func byLine(t *testing.T) [][]*Rule {
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	var groups [][]*Rule
	at := map[string]int{}
	for _, r := range all {
		i, ok := at[where(r)]
		if !ok {
			i = len(groups)
			at[where(r)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	slices.SortStableFunc(groups, func(a, b []*Rule) int { return strings.Compare(a[0].File, b[0].File) })
	slices.SortStableFunc(groups, func(a, b []*Rule) int {
		if a[0].File != b[0].File {
			return 0
		}
		return a[0].Line - b[0].Line
	})
	return groups
}

func shortType(name string) string {
	name = strings.TrimPrefix(name, "io.k8s.")
	for _, prefix := range []string{"api.", "apiextensions-apiserver.pkg.apis.", "kube-aggregator.pkg.apis."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

func typesText(group []*Rule) string {
	var names []string
	for _, r := range group {
		names = append(names, shortType(r.Type))
	}
	return strings.Join(names, ", ")
}

// kindsOfTypes returns for every named type the kinds that contain it.
func kindsOfTypes() map[string]map[string]bool {
	found := map[string]map[string]bool{}
	for _, version := range schema.Versions() {
		catalog, err := schema.Builtin(version)
		if err != nil {
			continue
		}
		for k := range catalog.Kinds() {
			visitTypes(k.Type(), map[*schema.Type]bool{}, func(name string) {
				if found[name] == nil {
					found[name] = map[string]bool{}
				}
				found[name][k.Kind] = true
			})
		}
	}
	return found
}

func visitTypes(t *schema.Type, seen map[*schema.Type]bool, visit func(string)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	visit(t.Name)
	if t.List != nil {
		visitTypes(t.List.Elem, seen, visit)
	}
	if t.Map != nil {
		visitTypes(t.Map.Elem, seen, visit)
		for i := range t.Map.Fields {
			visitTypes(t.Map.Fields[i].Type, seen, visit)
		}
	}
}

func kindsText(group []*Rule, kinds map[string]map[string]bool) string {
	names := map[string]bool{}
	for _, r := range group {
		maps.Copy(names, kinds[r.Type])
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func codeText(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
}

func valueText(r *Rule) string {
	switch {
	case r.value.nothing:
		return "taken away"
	case r.value.rounded:
		return "rounded up to thousandths"
	case r.value.members:
		return "the members it lacks of `" + strings.TrimPrefix(r.Value, "copy ") + "`"
	}
	return codeText(r.Value)
}

func whenText(r *Rule) string {
	s := r.When
	if r.value.rounded {
		s = ""
	}
	if r.Condition != "" {
		s = strings.TrimSpace(s + " if " + codeText(r.Condition))
	}
	return s
}

func versionsText(r *Rule) string {
	switch {
	case r.Since > 0 && r.Until > 0:
		return fmt.Sprintf("1.%d to 1.%d", r.Since, r.Until)
	case r.Since > 0:
		return fmt.Sprintf("since 1.%d", r.Since)
	case r.Until > 0:
		return fmt.Sprintf("until 1.%d", r.Until)
	}
	return "all"
}
