package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// FuzzLint checks that any objects can be checked, and that each finding is complete and about a field that the object
// has or lacks: its path begins with that of a value.
func FuzzLint(f *testing.F) {
	registry := kinds(f)
	for _, c := range lintCases {
		f.Add(c.object)
	}
	known := LintRules()
	f.Fuzz(func(t *testing.T, text string) {
		docs, err := document.Read([]byte(text), document.Options{})
		if err != nil || len(text) > 1<<13 {
			return
		}
		var objects []document.Value
		for _, d := range docs {
			objects = append(objects, d.Root)
		}
		for i, found := range Lint(registry, objects...) {
			for _, one := range found {
				if !slices.ContainsFunc(known, func(r LintRule) bool { return r.ID == one.Rule }) || one.Message == "" || one.Remedy == "" {
					t.Errorf("incomplete: %+v", one)
				}
				parent := one.Path[:max(0, len(one.Path)-1)]
				if !strings.HasPrefix(one.Rule, "no-") && !objects[i].Follow(parent).Exists() {
					t.Errorf("%s: %s has no %s", one.Rule, objects[i], one.Path)
				}
			}
		}
	})
}
