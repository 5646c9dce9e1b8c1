package protobuf

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

// unnecessaryFields are fields that the libraries no longer have. They were behind feature gates
// that were off, so kube-apiserver dropped them.
var unnecessaryFields = map[string]string{
	"resourceClaims.source": "1.30, the gate DynamicResourceAllocation",
	"spec.workloadRef":      "1.35, the gate GenericWorkload",
}

// TestMessagesHaveAllFields: clients send built-in kinds in protobuf, so a field of the schema of any
// version that its message lacks would be dropped. Alpha versions are not served.
func TestMessagesHaveAllFields(t *testing.T) {
	c := messages()
	for _, version := range schema.Versions() {
		builtin, err := schema.Builtin(version)
		if err != nil {
			t.Fatal(err)
		}
		for k := range builtin.Kinds() {
			if strings.Contains(k.Version, "alpha") {
				continue
			}
			m, ok := c.message(k.APIVersion(), k.Kind)
			if !ok {
				t.Errorf("Kubernetes %s: %s %s has no message", version, k.APIVersion(), k.Kind)
				continue
			}
			v := fieldVisitor{t: t, seen: map[*schema.Type]bool{}}
			v.visit(version+" "+k.APIVersion()+" "+k.Kind, k.Type(), m)
		}
	}
}

type fieldVisitor struct {
	t    *testing.T
	seen map[*schema.Type]bool
}

// visit reports the fields of a type that its message lacks.
func (v fieldVisitor) visit(path string, typ *schema.Type, message int) {
	if typ.Map == nil || v.seen[typ] {
		return
	}
	v.seen[typ] = true
	have := map[string]field{}
	collectFields(have, message)
	for _, f := range typ.Map.Fields {
		own, ok := have[f.Name]
		switch {
		case f.Name == "apiVersion" || f.Name == "kind":
		case !ok && unnecessaryFields[path[strings.LastIndexByte(path, '.')+1:]+"."+f.Name] != "":
		case !ok:
			v.t.Errorf("%s.%s: no field in protobuf", path, f.Name)
		case own.form == formMessage:
			of := f.Type
			if of.List != nil {
				of = of.List.Elem
			}
			if own.keyed {
				of = of.Map.Elem
			}
			v.visit(path+"."+f.Name, of, own.message)
		}
	}
}

// collectFields collects the fields of a message by their names, those of inline messages included.
func collectFields(have map[string]field, message int) {
	for _, f := range messages().messages[message] {
		switch {
		case f.inline:
			collectFields(have, f.message)
		case f.name != "":
			have[f.name] = f
		}
	}
}
