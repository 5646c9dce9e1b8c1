package peers

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/spec3"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/yaml"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

var (
	cases = flag.Int("cases", 1500, "how many generated schemas to compare")
	seed  = flag.Uint64("seed", 1, "the first of their seeds")
)

func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// An acceptedCRD is a CRD that both sides accepted.
type acceptedCRD struct {
	text     []byte
	v1       *apiextensionsv1.CustomResourceDefinition
	internal *apiextensions.CustomResourceDefinition
	theirs   *structuralschema.Structural
	ours     *schema.CRD
}

// read passes a CRD to both sides. It returns nil if both refuse it.
func read(t *testing.T, name string, text []byte) *acceptedCRD {
	t.Helper()
	j := &acceptedCRD{text: text, v1: &apiextensionsv1.CustomResourceDefinition{}, internal: &apiextensions.CustomResourceDefinition{}}
	if err := json.Unmarshal(text, j.v1); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(j.v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&j.v1.Spec)
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(j.v1.DeepCopy(), j.internal, nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var theirs, defaults field.ErrorList
	for _, e := range crdvalidation.ValidateCustomResourceDefinition(context.Background(), j.internal) {
		ofDefault := strings.Contains(e.Field, ".default") && // whether a default is required or forbidden is a structural rule
			!(strings.HasSuffix(e.Field, ".default") && (e.Type == field.ErrorTypeRequired || e.Type == field.ErrorTypeForbidden))
		switch {
		case strings.HasPrefix(e.Field, "status."):
		case ofDefault:
			defaults = append(defaults, e)
		default:
			theirs = append(theirs, e)
		}
	}
	doc, err := document.Parse(text, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var oursErr error
	if j.ours, oursErr = schema.FromCRD(doc.Root); (oursErr != nil) != (len(theirs) > 0) {
		t.Errorf("%s: patchlab: %v, kube-apiserver: %v\n%s", name, oursErr, theirs.ToAggregate(), text)
		return nil
	}
	if oursErr != nil {
		return nil
	}
	if wrong := structural.ValidateDefaults(j.ours, nil); (len(wrong) > 0) != (len(defaults) > 0) {
		t.Errorf("%s: defaults: patchlab: %v, kube-apiserver: %v\n%s", name, wrong, defaults.ToAggregate(), text)
		return nil
	}
	props := j.internal.Spec.Validation
	if props == nil {
		props = j.internal.Spec.Versions[0].Schema
	}
	if j.theirs, err = structuralschema.NewStructural(props.OpenAPIV3Schema); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return j
}

// TestCRDTypes compares the types of custom resources with those that kube-apiserver's
// field manager derives from the CRD.
func TestCRDTypes(t *testing.T) {
	files, err := filepath.Glob("../../schema/testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no CRDs", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.YAMLToJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		if j := read(t, f, text); j == nil {
			t.Errorf("%s is refused", f)
		} else {
			compareTypes(t, f, j)
		}
	}
	taken := 0
	for s := *seed; s < *seed+uint64(*cases) && !t.Failed(); s++ {
		text, err := json.Marshal(newGenerator(s).crd())
		if err != nil {
			t.Fatal(err)
		}
		if j := read(t, fmt.Sprint("seed ", s), text); j != nil {
			taken++
			compareTypes(t, fmt.Sprint("seed ", s), j)
		}
	}
	t.Logf("%d of %d generated CRDs were accepted by both sides", taken, *cases)
	if taken < *cases/4 && !t.Failed() {
		t.Error("too few CRDs were compared")
	}
}

// TestCRDValidationAgreesWithAPIServer checks that the CRDs that are refused are those that
// kube-apiserver's validation refuses, CEL aside.
func TestCRDValidationAgreesWithAPIServer(t *testing.T) {
	refused := 0
	for s := *seed; s < *seed+uint64(*cases) && !t.Failed(); s++ {
		g := newGenerator(s)
		crd := g.crd()
		version := crd["spec"].(object)["versions"].([]any)[0].(object)
		g.spoil(version["schema"].(object)["openAPIV3Schema"].(object))
		text, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		if j := read(t, fmt.Sprint("seed ", s), text); j == nil {
			refused++
		} else {
			compareTypes(t, fmt.Sprint("seed ", s), j)
		}
	}
	t.Logf("%d of %d refused by both sides", refused, *cases)
	if refused < *cases/10 && !t.Failed() {
		t.Error("too few CRDs were compared")
	}
}

func compareTypes(t *testing.T, name string, j *acceptedCRD) {
	t.Helper()
	for _, k := range j.ours.Declared {
		doc, err := builder.BuildOpenAPIV3(j.v1, k.Version, builder.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := schemaconv.ToSchemaFromOpenAPI(doc.Components.Schemas, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for model, s := range doc.Components.Schemas {
			if gvk, ok := s.Extensions["x-kubernetes-group-version-kind"].([]any); ok && len(gvk) == 1 && !strings.HasSuffix(model, "List") &&
				gvk[0].(map[string]any)["kind"] == k.Kind {
				c := newTypeComparison(t, want)
				c.compare(name+" "+model, k.Type(), smd.TypeRef{NamedType: &model})
				published := fromOpenAPI(t, doc, k.GroupVersionKind)
				c.compare(name+" "+model+" of OpenAPI", published.Type(), smd.TypeRef{NamedType: &model})
				if published.Resource != k.Resource || published.Namespaced != k.Namespaced || published.Status != k.Status || (published.Scale != nil) != (k.Scale != nil) {
					t.Errorf("%s: from OpenAPI %+v, from the CRD %+v", name, published, k)
				}
				if c.errors > 0 {
					t.Logf("%s", j.text)
				}
			}
		}
	}
}

// fromOpenAPI reads a kind from the OpenAPI document that kube-apiserver publishes.
func fromOpenAPI(t *testing.T, doc *spec3.OpenAPI, gvk schema.GroupVersionKind) *schema.Kind {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := document.Parse(text, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := schema.FromOpenAPI(parsed.Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if k.GroupVersionKind == gvk {
			return k
		}
	}
	t.Fatalf("%v is not in %v", gvk, kinds)
	return nil
}

// TestStructuralAgreesWithAPIServer compares the results of pruning, dropping nulls, defaulting and validating
// custom resources with those of apiextensions-apiserver.
func TestStructuralAgreesWithAPIServer(t *testing.T) {
	compared, pruned, defaulted, invalid := 0, 0, 0, 0
	for s := *seed; s < *seed+uint64(*cases) && !t.Failed(); s++ {
		g := newGenerator(s)
		crd := g.crd()
		text, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("seed ", s)
		j := read(t, name, text)
		if j == nil {
			continue
		}
		root := crd["spec"].(object)["versions"].([]any)[0].(object)["schema"].(object)["openAPIV3Schema"].(object)
		for range 5 {
			v, ok := g.members(root, 0).(object)
			if !ok {
				continue
			}
			v["apiVersion"], v["kind"], v["metadata"] = "example.com/v1", "Thing", object{"name": pick(g, "ab", "abcdefghij")}
			w := walk{t: t, name: name, crd: j, strict: !g.junctors}
			w.run(v)
			compared++
			pruned += w.pruned
			defaulted += w.defaulted
			invalid += w.invalid
		}
	}
	t.Logf("%d objects: %d pruned, %d defaulted, %d invalid", compared, pruned, defaulted, invalid)
	if !t.Failed() && (pruned == 0 || defaulted == 0 || invalid == 0 || invalid == compared) {
		t.Error("a side was never seen")
	}
}

type walk struct {
	t                          *testing.T
	name                       string
	crd                        *acceptedCRD
	strict                     bool // compare the errors as well as their presence
	pruned, defaulted, invalid int
}

func (w *walk) run(v object) {
	text, err := utiljson.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	theirs := object{}
	if err := utiljson.Unmarshal(text, &theirs); err != nil {
		w.t.Fatal(err)
	}
	doc, err := document.Parse(text, document.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	typ := w.crd.ours.Kinds[0].Type()

	kept, unknown := structural.Prune(typ, doc.Root)
	paths := pruning.PruneWithOptions(theirs, w.crd.theirs, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	var ours []string
	for _, p := range unknown {
		ours = append(ours, schema.FieldText(p))
	}
	if !slices.Equal(ours, paths) {
		w.fail("unknown fields", text, ours, paths)
	}
	w.same("pruned", text, kept, theirs)
	w.pruned += min(1, len(paths))
	if len(paths) == 0 && !document.SameNode(kept, doc.Root) {
		w.fail("identity of what is not pruned", text, "a copy", "the same")
	}

	before := runtime.DeepCopyJSON(theirs)
	defaulting.PruneNonNullableNullsWithoutDefaults(theirs, w.crd.theirs)
	kept = structural.DropNulls(typ, kept)
	w.same("without nulls", text, kept, theirs)
	defaulting.Default(theirs, w.crd.theirs)
	full, err := structural.Default(typ, kept)
	if err != nil {
		w.t.Fatal(err)
	}
	w.same("defaulted", text, full, theirs)
	if !reflect.DeepEqual(before, theirs) {
		w.defaulted++
	}
	w.validate(text, full, theirs)
}

func (w *walk) same(what string, input []byte, ours document.Value, theirs object) {
	w.t.Helper()
	want, err := utiljson.Marshal(theirs)
	if err != nil {
		w.t.Fatal(err)
	}
	doc, err := document.Parse(want, document.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	if !document.Equal(ours, doc.Root) {
		w.fail(what, input, ours, doc.Root)
	}
}

func (w *walk) fail(what string, input []byte, ours, theirs any) {
	w.t.Helper()
	w.t.Errorf("%s: %s differs\nours:   %v\ntheirs: %v\nobject: %s\nCRD: %s", w.name, what, ours, theirs, input, w.crd.text)
}

func (w *walk) validate(input []byte, v document.Value, theirs object) {
	validator, _, err := validation.NewSchemaValidator(w.props())
	if err != nil {
		w.t.Fatal(err)
	}
	errs := validation.ValidateCustomResource(nil, theirs, validator)
	errs = append(errs, w.besides(theirs)...)
	ours := structural.Validate(w.crd.ours.Kinds[0].Type(), v, structural.Options{})
	w.invalid += min(1, len(errs))
	w.errors("errors", input, ours, errs)

	// An update with the same object has only errors that ratcheting does not suppress.
	correlated := common.NewCorrelatedObject(theirs, theirs, &model.Structural{Structural: w.crd.theirs})
	errs = validation.ValidateCustomResourceUpdate(nil, theirs, theirs, validator, validation.WithRatcheting(correlated))
	errs = append(errs, objectmeta.Validate(nil, theirs, w.crd.theirs, false)...)
	w.errors("errors of the same again", input, structural.Validate(w.crd.ours.Kinds[0].Type(), v, structural.Options{Old: v}), errs)

	// An update of one field ratchets the errors of the others.
	for key := range sorted(theirs) {
		if key == "spec" || key == "status" || key == "data" {
			old := runtime.DeepCopyJSON(theirs)
			delete(old, key)
			correlated := common.NewCorrelatedObject(theirs, old, &model.Structural{Structural: w.crd.theirs})
			errs := validation.ValidateCustomResourceUpdate(nil, theirs, old, validator, validation.WithRatcheting(correlated))
			errs = append(errs, objectmeta.Validate(nil, theirs, w.crd.theirs, false)...)
			if len(listtype.ValidateListSetsAndMaps(nil, w.crd.theirs, old)) == 0 {
				errs = append(errs, listtype.ValidateListSetsAndMaps(nil, w.crd.theirs, theirs)...)
			}
			w.errors("errors with a new "+key, input, structural.Validate(w.crd.ours.Kinds[0].Type(), v, structural.Options{Old: v.Without(key)}), errs)
		}
	}
}

func (w *walk) props() *apiextensions.JSONSchemaProps {
	if w.crd.internal.Spec.Validation != nil {
		return w.crd.internal.Spec.Validation.OpenAPIV3Schema
	}
	return w.crd.internal.Spec.Versions[0].Schema.OpenAPIV3Schema
}

func (w *walk) besides(v object) field.ErrorList {
	return append(objectmeta.Validate(nil, v, w.crd.theirs, false), listtype.ValidateListSetsAndMaps(nil, w.crd.theirs, v)...)
}

// errors compares types and paths of errors. If the schema has alternatives it only compares
// whether there are errors, because the sides may report those of different alternatives.
func (w *walk) errors(what string, input []byte, ours []schema.FieldError, theirs field.ErrorList) {
	w.t.Helper()
	if (len(ours) > 0) != (len(theirs) > 0) {
		w.fail(what, input, ours, theirs)
		return
	}
	if !w.strict {
		return
	}
	var got, want []string
	for _, e := range ours {
		got = append(got, e.Error())
	}
	for _, e := range theirs {
		want = append(want, e.Error())
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		w.fail(what, input, without(got, want), without(want, got))
	}
}

// without returns the strings of a that are not in b.
func without(a, b []string) string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}
