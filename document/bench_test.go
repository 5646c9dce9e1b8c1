package document

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// inputs returns the texts of the sizes in doc/performance.md.
func inputs() map[string][]byte {
	var containers, items []string
	for i := range 8 {
		var env []string
		for j := range 12 {
			env = append(env, fmt.Sprintf(`{"name":"VARIABLE_%d","value":"value number %d of it"}`, j, j))
		}
		containers = append(containers, fmt.Sprintf(`{"env":[%s],"image":"registry.example.com/team/app-%d:1.%d.0","imagePullPolicy":"IfNotPresent","name":"c%d","ports":[{"containerPort":%d,"protocol":"TCP"}],"resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}`, strings.Join(env, ","), i, i, i, 8000+i))
	}
	for i := range 10000 {
		items = append(items, fmt.Sprintf(`{"name":"item-%05d","port":%d,"value":"v%d"}`, i, i, i))
	}
	return map[string][]byte{
		"deployment-12k": []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":3,"template":{"spec":{"containers":[` + strings.Join(containers, ",") + `]}}}}`),
		"list-10000":     []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"items":[` + strings.Join(items, ",") + `]}}`),
		"configmap-1m":   []byte(`{"apiVersion":"v1","data":{"a":"` + strings.Repeat("some text of a file, ", 50000) + `"},"kind":"ConfigMap"}`),
	}
}

func BenchmarkParse(b *testing.B) {
	for name, in := range inputs() {
		b.Run(name+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(in, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/encoding-json-any", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				var x any
				if err := json.Unmarshal(in, &x); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/encoding-json-valid", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if !json.Valid(in) {
					b.Fatal("invalid")
				}
			}
		})
	}
}

func BenchmarkPrint(b *testing.B) {
	for name, in := range inputs() {
		d, err := Parse(in, Options{})
		if err != nil {
			b.Fatal(err)
		}
		changed := d.Root.With("changed", NewBool(true))
		var buf []byte
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				buf = changed.AppendJSON(buf[:0])
			}
		})
	}
}

// BenchmarkReadYAML reads a CustomResourceDefinition of 347 kB with the fast reader, and with the
// library alone.
func BenchmarkReadYAML(b *testing.B) {
	in, err := os.ReadFile("../testdata/diagnoses/custom-resource/crd.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func([]byte, Options, bool) ([]*Document, error){"ours": readYAML, "library": readByLibrary} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if docs, err := read(in, Options{}, false); err != nil || len(docs) != 1 {
					b.Fatal(len(docs), err)
				}
			}
		})
	}
}
