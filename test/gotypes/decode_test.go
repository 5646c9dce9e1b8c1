package gotypes

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotype"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

const (
	seed    = 1
	perKind = 300
)

// kinds returns the kinds of the catalog that k8s.io/api has. It omits kinds whose
// conversion in the API server adds fields to every object.
func kinds(t *testing.T) []*schema.Kind {
	t.Helper()
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	var list []*schema.Kind
	for k := range catalog.Kinds() {
		converts := k.Kind == "DaemonSet" || k.Kind == "HorizontalPodAutoscaler"
		if scheme.Scheme.Recognizes(k8sschema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}) && !converts && k.Type().Map.Field("metadata") != nil {
			list = append(list, k)
		}
	}
	if len(list) < 80 {
		t.Fatalf("only %d kinds", len(list))
	}
	return list
}

// object returns a random object of a kind. Half of the objects have invalid values.
func object(g generator, k *schema.Kind) document.Value {
	v := g.value(k.Type(), 0)
	if v.Kind() != document.Object {
		v = document.NewObject()
	}
	if g.IntN(2) == 0 {
		v = g.spoil(v, 0)
	}
	return v.With("apiVersion", document.NewString(k.APIVersion())).With("kind", document.NewString(k.Kind))
}

// theirs decodes, stores and reads an object with apimachinery. err reports invalid
// values, unknown lists the unknown fields.
func theirs(text string) (stored document.Value, unknown []string, err error) {
	s := scheme.Scheme
	strict := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, s, s, serializer.SerializerOptions{Strict: true})
	decoded, _, err := strict.Decode([]byte(text), nil, nil)
	if e, ok := runtime.AsStrictDecodingError(err); ok {
		for _, u := range e.Errors() {
			unknown = append(unknown, u.Error())
		}
	} else if err != nil {
		return stored, nil, err
	}
	var buffer bytes.Buffer
	storage := protobuf.NewSerializer(s, s)
	if err := storage.Encode(decoded, &buffer); err != nil {
		return stored, unknown, err
	}
	read, _, err := storage.Decode(buffer.Bytes(), nil, nil)
	if err != nil {
		return stored, unknown, err
	}
	data, err := json.Marshal(read)
	if err != nil {
		return stored, unknown, err
	}
	d, err := document.Parse(data, document.Options{})
	if err != nil {
		return stored, unknown, err
	}
	return d.Root, unknown, nil
}

// message returns the message of the server for an error of Decode.
func message(err error) string {
	var undecoded *defaults.DecodeError
	if !errors.As(err, &undecoded) {
		return err.Error()
	}
	return gotype.Message(undecoded)
}

// conversions returns the messages for all values of an unstructured object that cannot be converted. apimachinery
// returns the one that is first in the order of the fields in Go, which is not known here.
func conversions(k *schema.Kind, v document.Value) []string {
	var list []string
	for {
		_, _, err := defaults.Decode(k, v, defaults.FromTree)
		var undecoded *defaults.DecodeError
		if !errors.As(err, &undecoded) {
			return list
		}
		list = append(list, gotype.Message(undecoded))
		if v, err = v.SetAt(undecoded.Path, document.NewNull()); err != nil {
			return append(list, err.Error())
		}
	}
}

func messages(problems []defaults.Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Message)
	}
	return list
}

func TestDecodeText(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	count, refused := 0, 0
	for _, k := range kinds(t) {
		for range perKind {
			v := object(g, k)
			want, unknown, err := theirs(v.String())
			got, problems, ours := defaults.Decode(k, v, defaults.FromJSON)
			count++
			switch {
			case (err != nil) != (ours != nil):
				t.Errorf("%s\n theirs %v\n   ours %v", v, err, ours)
			case err != nil:
				refused++
				if got := message(ours); got != err.Error() {
					t.Errorf("%s\n got %s\nwant %s", v, got, err)
				}
			case !document.Identical(got, want):
				t.Errorf("%s\n got %s\nwant %s", v, got, want)
			case !slices.Equal(messages(problems), unknown) && len(unknown) < 100:
				t.Errorf("%s\n got %q\nwant %q", v, messages(problems), unknown)
			}
			if t.Failed() && count > 1000 {
				t.FailNow()
			}
		}
	}
	t.Logf("seed %d: %d objects have equal results, %d of them invalid", seed, count, refused)
}

func TestDecodeTree(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(seed, 2))}
	count, refused := 0, 0
	for _, k := range kinds(t) {
		gvk := k8sschema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
		for range perKind {
			v := object(g, k)
			var tree map[string]any
			if err := utiljson.Unmarshal(v.JSON(), &tree); err != nil {
				t.Fatal(err)
			}
			into, err := scheme.Scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(tree, into, true)
			var unknown []string
			if e, ok := runtime.AsStrictDecodingError(err); ok {
				for _, u := range e.Errors() {
					unknown = append(unknown, u.Error())
				}
				err = nil
			}
			_, problems, ours := defaults.Decode(k, v, defaults.FromTree)
			count++
			switch {
			case (err != nil) != (ours != nil):
				t.Errorf("%s\n theirs %v\n   ours %v", v, err, ours)
			case err != nil:
				refused++
				if got := conversions(k, v); !slices.Contains(got, err.Error()) {
					t.Errorf("%s\n got %q\nwant %s", v, got, err)
				}
			case strings.Join(messages(problems), ", ") != strings.Join(unknown, ", "):
				t.Errorf("%s\n got %q\nwant %q", v, messages(problems), unknown)
			}
			if t.Failed() && count > 1000 {
				t.FailNow()
			}
		}
	}
	t.Logf("seed %d: %d objects have equal conversions, %d of them invalid", seed, count, refused)
}
