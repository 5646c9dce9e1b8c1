// Package protobuf compares patchlab's protobuf encoding of the built-in kinds
// with the one of k8s.io/api, in both directions.
package protobuf

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	serialized "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/sets"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
)

var (
	seed   = flag.Int64("seed", 1, "the seed of the first random object of each kind")
	rounds = flag.Int("rounds", 20, "how many random objects of each kind")
)

// TestDecodeAgreesWithJSON fills objects of every built-in kind with random values and
// compares the decoded JSON and protobuf encodings.
func TestDecodeAgreesWithJSON(t *testing.T) {
	scheme := builtinScheme(t)
	codec := serialized.NewSerializer(scheme, scheme)
	fill := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, schemas), rand.NewSource(*seed), serializer.NewCodecFactory(scheme))
	kinds := 0
	for _, gvk := range builtinKinds(scheme) {
		kinds++
		for round := range *rounds {
			obj, err := scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			fill.Fill(obj)
			obj.GetObjectKind().SetGroupVersionKind(gvk)
			var body bytes.Buffer
			if err := codec.Encode(obj, &body); err != nil {
				t.Fatalf("%s: %v", gvk, err)
			}
			got, err := protobuf.Decode(body.Bytes())
			if err != nil {
				t.Fatalf("%s, object %d: %v", gvk, round, err)
			}
			want, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			if diff := firstDifference("", decoded(t, want), decoded(t, got.JSON())); diff != "" {
				t.Fatalf("%s, object %d with -seed %d: %s", gvk, round, *seed, diff)
			}
		}
	}
	if kinds < 100 {
		t.Errorf("only %d kinds were compared", kinds)
	}
	t.Logf("%d objects of %d kinds decode to the same from JSON and protobuf, from seed %d", kinds**rounds, kinds, *seed)
}

func builtinKinds(s *runtime.Scheme) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	meta := reflect.TypeFor[metav1.ObjectMeta]().PkgPath()
	for gvk, t := range s.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal && t.PkgPath() != meta && !strings.HasSuffix(gvk.Kind, "List") {
			if _, ok := reflect.New(t).Interface().(interface{ Marshal() ([]byte, error) }); ok {
				out = append(out, gvk)
			}
		}
	}
	slices.SortFunc(out, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// schemas returns fuzzer functions that keep random JSON schemas small and valid.
func schemas(serializer.CodecFactory) []any {
	return []any{
		func(s *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			s.Description = c.String(20)
			s.Type = "object"
			if c.Bool() {
				s.Properties = map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}, "b": {
					Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}},
				}}
				s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: c.Bool()}
				s.Default = &apiextensionsv1.JSON{Raw: []byte(`{"a":[1,"x"]}`)}
				s.Dependencies = apiextensionsv1.JSONSchemaDependencies{"c": {Property: []string{"a", "b"}}}
			} else {
				s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "boolean"}}
				s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []apiextensionsv1.JSONSchemaProps{{Type: "string"}, {Type: "number"}}}
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(`{"kind":"Any","n":[1,2.5]}`) },
		func(j *apiextensionsv1.JSON, c randfill.Continue) { j.Raw = []byte(`[true]`) },
	}
}

func decoded(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return x
}

// firstDifference compares the contents of two documents. null equals absent, and protobuf
// does not distinguish empty lists, maps and bytes from absent ones.
func firstDifference(path string, want, got any) string {
	if want == nil && none(got) || got == nil && none(want) && want != "" {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, k := range sets.List(sets.KeySet(w).Union(sets.KeySet(g))) {
			if d := firstDifference(path+"."+k, w[k], g[k]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if d := firstDifference(path+"[]", w[i], g[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(want, got) {
		return path + ": JSON has " + text(want) + ", protobuf has " + text(got)
	}
	return ""
}

// none reports whether a value is empty.
func none(x any) bool { return slices.Contains([]string{"null", `""`, "[]", "{}"}, text(x)) }

func text(x any) string {
	b, _ := json.Marshal(x)
	return string(b)
}

// TestMessagesAreCurrent checks that messages.txt has all types in this module's dependencies. It
// also has those of the newest version, which this test does not know.
func TestMessagesAreCurrent(t *testing.T) {
	messages, err := os.ReadFile("../../internal/engine/protobuf/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./cmd/wiremessages", "../internal/engine/protobuf/messages.txt")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, messages) {
		t.Error("internal/engine/protobuf/messages.txt is out of date; run go generate ./internal/engine/protobuf")
	}
}

// TestEncodedObjectsAreDecodedByKubernetes encodes random objects of every built-in kind and decodes
// them with Kubernetes' types. The result must equal that of decoding Kubernetes' own
// encoding.
func TestEncodedObjectsAreDecodedByKubernetes(t *testing.T) {
	s := builtinScheme(t)
	codec := serialized.NewSerializer(s, s)
	fill := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, schemas), rand.NewSource(*seed), serializer.NewCodecFactory(s))
	objects := 0
	for _, gvk := range builtinKinds(s) {
		for round := range *rounds {
			obj, err := s.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			fill.Fill(obj)
			obj.GetObjectKind().SetGroupVersionKind(gvk)
			accessor, err := meta.Accessor(obj)
			if err != nil {
				continue // options and similar kinds have no metadata and are never returned
			}
			accessor.SetResourceVersion("1234567")
			text, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			d, err := document.Parse(text, document.Options{MaxBytes: -1})
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := protobuf.Encode(gvk.GroupVersion().String(), gvk.Kind, d.Root)
			if err != nil {
				t.Fatalf("%s, object %d: %v", gvk, round, err)
			}
			message := encoded.AppendMessage(nil, gvk.GroupVersion().String(), gvk.Kind, "1234567")
			got, _, err := codec.Decode(message, nil, nil)
			if err != nil {
				t.Fatalf("%s, object %d: %v", gvk, round, err)
			}
			var own bytes.Buffer
			if err := codec.Encode(obj, &own); err != nil {
				t.Fatal(err)
			}
			want, _, err := codec.Decode(own.Bytes(), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !equality.Semantic.DeepEqual(got, want) {
				gotText, _ := json.Marshal(got)
				wantText, _ := json.Marshal(want)
				t.Fatalf("%s, object %d with -seed %d: %s", gvk, round, *seed, firstDifference("", decoded(t, wantText), decoded(t, gotText)))
			}
			objects++
		}
	}
	if objects < 60**rounds {
		t.Errorf("only %d objects were compared", objects)
	}
	t.Logf("%d objects decode like Kubernetes' encoding of them, from seed %d", objects, *seed)
}

// builtinScheme is a scheme of all built-in kinds.
func builtinScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}
