package semantic

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestEqual(t *testing.T) {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	pod, ok := schema.NewRegistry(catalog).Resource("", "v1", "pods")
	if !ok {
		t.Fatal("no pods")
	}
	spec := pod.Type().Map.Member("spec")
	for _, c := range []struct {
		why, a, b string
		equal     bool
	}{
		{"another spelling of an amount", `{"containers":[{"resources":{"requests":{"memory":"1Gi"}}}]}`, `{"containers":[{"resources":{"requests":{"memory":"1073741824"}}}]}`, true},
		{"another amount", `{"containers":[{"resources":{"requests":{"memory":"1Gi"}}}]}`, `{"containers":[{"resources":{"requests":{"memory":"1G"}}}]}`, false},
		{"an absent member of a map of amounts is not 0", `{"containers":[{"resources":{"requests":{"memory":"0"}}}]}`, `{"containers":[{"resources":{"requests":{}}}]}`, false},
		{"an absent amount behind a pointer is not 0", `{"volumes":[{"emptyDir":{"sizeLimit":"0"}}]}`, `{"volumes":[{"emptyDir":{}}]}`, false},
		{"another absent amount is", `{"volumes":[{"downwardAPI":{"items":[{"resourceFieldRef":{"divisor":"0"}}]}}]}`, `{"volumes":[{"downwardAPI":{"items":[{"resourceFieldRef":{}}]}}]}`, true},
		{"an empty list is an absent one", `{"tolerations":[]}`, `{}`, true},
		{"an empty map is an absent one", `{"nodeSelector":{}}`, `{}`, true},
		{"an empty struct is not an absent one", `{"affinity":{}}`, `{}`, false},
		{"the order of a list counts", `{"tolerations":[{"key":"a"},{"key":"b"}]}`, `{"tolerations":[{"key":"b"},{"key":"a"}]}`, false},
		{"the order of members does not", `{"nodeName":"n","hostname":"h"}`, `{"hostname":"h","nodeName":"n"}`, true},
		{"null is absent", `{"activeDeadlineSeconds":null}`, `{}`, true},
	} {
		parse := func(text string) document.Value {
			d, err := document.Parse([]byte(text), document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return d.Root
		}
		a, b := parse(c.a), parse(c.b)
		if Equal(spec, a, b) != c.equal || Equal(spec, b, a) != c.equal {
			t.Errorf("%s: %s and %s: want %v", c.why, c.a, c.b, c.equal)
		}
	}
}
