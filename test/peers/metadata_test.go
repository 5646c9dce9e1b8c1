package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// pieces are substrings of random names, keys and values: valid ones, invalid ones, and
// those valid only in some positions.
var pieces = []string{"a", "b1", "A", "-", ".", "_", "/", "%", "example.com", "x.y/z", "é", " ", "0", "ab", "..",
	strings.Repeat("n", 62), strings.Repeat("m", 63), strings.Repeat("l.", 120), "orphan", "foregroundDeletion"}

func text(r *rand.Rand) string {
	var b strings.Builder
	for range r.Intn(4) {
		b.WriteString(pieces[r.Intn(len(pieces))])
	}
	return b.String()
}

func randomMeta(r *rand.Rand) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: "obj", Namespace: "ns"}
	switch r.Intn(7) {
	case 0:
		m.Name = text(r)
	case 1:
		m.GenerateName = text(r)
	case 2:
		m.Labels = map[string]string{text(r): text(r)}
	case 3:
		m.Annotations = map[string]string{text(r): text(r)}
		if r.Intn(4) == 0 {
			m.Annotations["big"] = strings.Repeat("x", 256<<10-r.Intn(8))
		}
	case 4:
		for range 1 + r.Intn(3) {
			m.Finalizers = append(m.Finalizers, text(r))
		}
	case 5:
		for range 1 + r.Intn(3) {
			ref := metav1.OwnerReference{APIVersion: oneOf(r, "v1", "apps/v1", "", "apps/"), Kind: oneOf(r, "Event", "Pod", ""), Name: oneOf(r, "n", ""), UID: "u"}
			if r.Intn(3) == 0 {
				yes := r.Intn(2) == 0
				ref.Controller = &yes
			}
			if r.Intn(4) == 0 {
				ref.UID = ""
			}
			m.OwnerReferences = append(m.OwnerReferences, ref)
		}
	case 6:
		m.Generation = int64(r.Intn(3) - 1)
	}
	return m
}

// rbacName is kube-apiserver's ValidateRBACName, which validates the prefix of a
// generated name like a whole name.
func rbacName(name string, _ bool) []string { return content.IsPathSegmentName(name) }

func oneOf(r *rand.Rand, choices ...string) string { return choices[r.Intn(len(choices))] }

// TestMetadataValidationAgreesWithApimachinery compares the causes of refusals with apimachinery's
// validation: the same fields for the same reasons.
func TestMetadataValidationAgreesWithApimachinery(t *testing.T) {
	kinds := []struct {
		group, version, kind, resource string
		namespaced                     bool
		name                           validation.ValidateNameFunc
	}{
		{"", "v1", "ConfigMap", "configmaps", true, validation.NameIsDNSSubdomain},
		{"", "v1", "Service", "services", true, validation.NameIsDNSLabel},
		{"", "v1", "Node", "nodes", false, validation.NameIsDNSSubdomain},
		{"rbac.authorization.k8s.io", "v1", "Role", "roles", true, rbacName},
	}
	r := rand.New(rand.NewSource(1))
	refused := 0
	for i := range 6000 {
		k := kinds[i%len(kinds)]
		m := randomMeta(r)
		if !k.namespaced {
			m.Namespace = ""
		}
		if m.GenerateName != "" && m.Name == "" {
			continue
		}
		errs := validation.ValidateObjectMeta(&m, k.namespaced, k.name, field.NewPath("metadata"))
		errs = append(errs, withoutDomain(&m)...)
		if len(errs) == 0 { // the generic registry validates after the kind's own rules
			errs = validation.ValidateObjectMeta(&m, k.namespaced, pathSegment, field.NewPath("metadata"))
		}
		want := causes(errs)
		got := answered(t, k.group, k.version, k.kind, k.resource, m)
		if !slices.Equal(want, got) {
			b, _ := json.Marshal(m)
			t.Fatalf("%s %.300s\napimachinery: %q\npatchlab:     %q", k.kind, b, want, got)
		}
		if len(want) > 0 {
			refused++
		}
	}
	if refused < 1000 {
		t.Errorf("only %d objects were refused", refused)
	}
}

// withoutDomain rejects finalizers without a domain other than Kubernetes' own, as the
// validation of built-in kinds does in addition to apimachinery's.
func withoutDomain(m *metav1.ObjectMeta) field.ErrorList {
	var errs field.ErrorList
	own := []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, "kubernetes"}
	for i, name := range m.Finalizers {
		if !strings.Contains(name, "/") && !slices.Contains(own, name) {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "finalizers").Index(i), name, "no domain"))
		}
	}
	return errs
}

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

func causes(errs field.ErrorList) []string {
	seen := map[string]bool{}
	for _, e := range errs {
		seen[string(e.Type)+" "+e.Field] = true
	}
	return inOrder(seen)
}

func inOrder(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

func answered(t *testing.T, group, version, kind, resource string, m metav1.ObjectMeta) []string {
	t.Helper()
	apiVersion := version
	if group != "" {
		apiVersion = group + "/" + version
	}
	object := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": m}
	if kind == "Service" {
		object["spec"] = map[string]any{"ports": []any{map[string]any{"port": 80}}} // valid but for the metadata
	}
	body, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	_, err = cluster.Step(cluster.Config{}, document.Value{}, &cluster.Request{Verb: cluster.Create,
		Group: group, Version: version, Resource: resource, Namespace: m.Namespace, Body: body})
	var st *cluster.Status
	if err == nil {
		return []string{}
	}
	if !errors.As(err, &st) || st.Code != 422 {
		t.Fatalf("%.200s: %v", body, err)
	}
	seen := map[string]bool{}
	for _, c := range st.Details.Causes {
		seen[c.Type+" "+c.Field] = true
	}
	return inOrder(seen)
}

// TestSelectorsAgreeWithApimachinery compares the lists for selectors with what
// apimachinery's selectors match.
func TestSelectorsAgreeWithApimachinery(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sets := []labels.Set{{}, {"a": "1"}, {"a": "2", "b": ""}, {"in": "x"}, {"x.y/z": "b"}, {"b": "10", "a": "in"}, {"notin": "5"}}
	for i, set := range sets {
		body, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": fmt.Sprint("o", i), "labels": set}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "ns", Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	words := []string{"a", "b", "in", "notin", "x.y/z", "1", "2", "10", "", " ", ",", "=", "==", "!=", "!", "(", ")", ">", "<", "a in (1,2)", "b notin ()", "!b", "a=1", "-", "a b", "in in (x)", "\t", "/", "a/", "é", "_"}
	r := rand.New(rand.NewSource(2))
	good := 0
	for range 20000 {
		var b strings.Builder
		for range 1 + r.Intn(5) {
			b.WriteString(words[r.Intn(len(words))])
		}
		selector := b.String()
		parsed, parseErr := labels.Parse(selector)
		shown, st := list(t, c, cluster.Options{LabelSelector: selector})
		if (parseErr != nil) != (st != nil) {
			t.Fatalf("labels %q: apimachinery: %v, patchlab: %v", selector, parseErr, st)
		}
		if parseErr != nil {
			if st.Message != parseErr.Error() {
				t.Fatalf("labels %q: apimachinery: %v\npatchlab: %s", selector, parseErr, st.Message)
			}
			continue
		}
		good++
		for i, set := range sets {
			if want := parsed.Matches(set); want != shown[fmt.Sprint("o", i)] {
				t.Fatalf("labels %q on %v: apimachinery matches %v", selector, set, want)
			}
		}
	}
	if good < 1000 {
		t.Errorf("only %d selectors are valid", good)
	}
	fieldWords := []string{"metadata.name", "metadata.namespace", "=", "==", "!=", ",", "o1", "ns", `\`, `\,`, "", "o2", `\=`, "x", "é"}
	for range 20000 {
		var b strings.Builder
		for range 1 + r.Intn(6) {
			b.WriteString(fieldWords[r.Intn(len(fieldWords))])
		}
		selector := b.String()
		parsed, invalid := fields.ParseSelector(selector)
		parseErr := invalid
		if parseErr == nil {
			for _, q := range parsed.Requirements() {
				if q.Field != "metadata.name" && q.Field != "metadata.namespace" {
					parseErr = errors.New("unknown field " + q.Field)
				}
			}
		}
		shown, st := list(t, c, cluster.Options{FieldSelector: selector})
		if (parseErr != nil) != (st != nil) {
			t.Fatalf("fields %q: apimachinery: %v, patchlab: %v", selector, parseErr, st)
		}
		if invalid != nil && st.Message != invalid.Error() {
			t.Fatalf("fields %q: apimachinery: %v\npatchlab: %s", selector, invalid, st.Message)
		}
		for i := range sets {
			name := fmt.Sprint("o", i)
			if parseErr == nil && parsed.Matches(fields.Set{"metadata.name": name, "metadata.namespace": "ns"}) != shown[name] {
				t.Fatalf("fields %q on %s: apimachinery matches %v", selector, name, !shown[name])
			}
		}
	}
}

func list(t *testing.T, c *cluster.Cluster, o cluster.Options) (map[string]bool, *cluster.Status) {
	t.Helper()
	resp, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.List, Version: "v1", Resource: "configmaps", Namespace: "ns", Options: o})
	var st *cluster.Status
	if errors.As(err, &st) {
		return nil, st
	}
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, item := range resp.Object.Get("items").Items() {
		shown[item.Lookup("metadata", "name").StringOr("")] = true
	}
	return shown, nil
}
