package defaults

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// manifest is a typical Deployment manifest.
const manifest = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},
"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
"containers":[{"name":"web","image":"nginx:1.25","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"0.5","memory":"1024Mi"}},
"livenessProbe":{"httpGet":{"port":80}},"env":[{"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}]},
{"name":"side","image":"busybox"}],"volumes":[{"name":"c","configMap":{"name":"c"}},{"name":"t","emptyDir":{}}]}}}}`

func deployment(tb testing.TB) (*schema.Kind, document.Value) {
	tb.Helper()
	c, err := schema.Builtin("")
	if err != nil {
		tb.Fatal(err)
	}
	k, _ := c.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	d, err := document.Parse([]byte(manifest), document.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return k, d.Root
}

func BenchmarkDeployment(b *testing.B) {
	k, sent := deployment(b)
	r, err := For("")
	if err != nil {
		b.Fatal(err)
	}
	decoded, _, err := Decode(k, sent, FromJSON)
	if err != nil {
		b.Fatal(err)
	}
	full := r.Apply(k, decoded, Options{})
	b.Run("Decode/sent", func(b *testing.B) {
		for b.Loop() {
			Decode(k, sent, FromJSON)
		}
	})
	b.Run("Decode/stored", func(b *testing.B) {
		for b.Loop() {
			Decode(k, full, FromJSON)
		}
	})
	b.Run("Apply/sent", func(b *testing.B) {
		for b.Loop() {
			r.Apply(k, decoded, Options{})
		}
	})
	b.Run("Apply/stored", func(b *testing.B) {
		for b.Loop() {
			r.Apply(k, full, Options{})
		}
	})
	b.Run("For", func(b *testing.B) {
		for b.Loop() {
			For("")
		}
	})
}
