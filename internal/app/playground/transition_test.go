package playground

import (
	"strings"
	"testing"
)

// TestTransitionRulesMakeFieldsImmutable checks that a field protected by a CRD's
// transition rule is shown as immutable, also by an engine that does not evaluate CEL.
func TestTransitionRulesMakeFieldsImmutable(t *testing.T) {
	const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: disks.example.com}
spec:
  group: example.com
  names: {kind: Disk, listKind: DiskList, plural: disks, singular: disk}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: "oldSelf.zone==self.zone"}
            - {rule: "self.place.rack == oldSelf.place.rack"}
            - {rule: "self.size >= oldSelf.size", message: a disk does not shrink}
            properties:
              kind: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: the kind stays}]}
              zone: {type: string}
              place: {type: object, properties: {rack: {type: integer}, row: {type: integer}}}
              size: {type: integer}
              source:
                type: object
                x-kubernetes-validations: [{rule: "self == oldSelf"}]
                properties: {image: {type: string}}
`
	s := Scenario{Definitions: []string{definition}, Actors: []Actor{{Name: "a"}}, Steps: []Step{{Actor: "a", Do: "apply",
		Body: "apiVersion: example.com/v1\nkind: Disk\nmetadata: {name: d}\nspec: {kind: ssd, zone: eu, size: 3, place: {rack: 7, row: 8}, source: {image: x}}\n"}}}
	e := New()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 1}, &out)
	want := map[string]string{
		"kind: ssd": `"self == oldSelf", makes it immutable: an update with another value is refused with the message "the kind stays"`,
		"zone: eu":  `"oldSelf.zone==self.zone", makes it immutable: an update with another value is refused.`,
		"image: x":  `"self == oldSelf", makes it immutable`,
		"size: 3":   "",
		"rack: 7":   `"self.place.rack == oldSelf.place.rack", makes it immutable`,
		"row: 8":    "",
		"place:":    "",
	}
	seen := 0
	for _, row := range out.Rows {
		text, ok := want[strings.TrimSpace(row.Text)]
		if !ok {
			continue
		}
		seen++
		var line LineOutput
		must(t, e, "line", LineInput{Scenario: s, At: 1, Line: row.Line}, &line)
		if immutable := line.Meaning == isImmutable; immutable != (text != "") || !strings.Contains(line.Text, text) {
			t.Errorf("%s is %s: %s", row.Text, line.Meaning, line.Text)
		}
		if len(line.Owners) != 1 && !strings.HasSuffix(row.Text, ":") {
			t.Errorf("%s has %d owners", row.Text, len(line.Owners))
		}
	}
	if seen != len(want) {
		t.Fatalf("%d of %d lines are shown: %v", seen, len(want), out.Steps)
	}
}

func TestOtherRulesDoNotMakeFieldsImmutable(t *testing.T) {
	for _, rule := range []string{"self != oldSelf", "self == oldSelf || self == 'x'", "self.a == oldSelf.b", "self == 1", "oldSelf == 1", "size(self) == size(oldSelf)",
		"self.a.size() == oldSelf.a.size()", "!has(oldSelf.a) || self.a == oldSelf.a", "selfish == oldSelfish", ""} {
		if names, ok := unchanged(rule); ok {
			t.Errorf("%q is taken to fix %q", rule, names)
		}
	}
}
