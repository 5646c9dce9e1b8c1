//go:build !js

package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices"

// recordedAPIServices are those of a kube-apiserver v1.36.3 without CustomResourceDefinitions, with
// the priorities of the group and of the version.
const recordedAPIServices = `v1. 18000 1
v1.admissionregistration.k8s.io 16700 15
v1.apiextensions.k8s.io 16700 15
v1.apps 17800 15
v1.authentication.k8s.io 17700 15
v1.authorization.k8s.io 17600 15
v1.autoscaling 17500 15
v1.batch 17400 15
v1.certificates.k8s.io 17300 15
v1.coordination.k8s.io 16500 15
v1.discovery.k8s.io 16200 15
v1.events.k8s.io 17750 15
v1.flowcontrol.apiserver.k8s.io 16100 21
v1.networking.k8s.io 17200 15
v1.node.k8s.io 16300 15
v1.policy 17100 15
v1.rbac.authorization.k8s.io 17000 15
v1.resource.k8s.io 16200 21
v1.scheduling.k8s.io 16600 15
v1.storage.k8s.io 16800 15
v2.autoscaling 17500 30
`

func registered(t *testing.T, config cluster.Config) requests {
	t.Helper()
	q := newRequests(t, config)
	if err := q.c.RegisterVersions(context.Background()); err != nil {
		t.Fatal(err)
	}
	return q
}

// apiServicesOf returns the names of the APIServices of a group, each with the value of its label.
func (q requests) apiServicesOf(group string) []string {
	var found []string
	for _, service := range q.must(cluster.List, apiServices, "").Get("items").Items() {
		name := service.Lookup("metadata", "name").StringOr("")
		if spec := service.Get("spec"); spec.Get("group").StringOr("") == group {
			found = append(found, name+" "+service.Lookup("metadata", "labels", "kube-aggregator.kubernetes.io/automanaged").StringOr("-"))
		}
	}
	return found
}

func TestBuiltinVersionsAreRegistered(t *testing.T) {
	q := registered(t, cluster.Config{})
	var got strings.Builder
	for _, service := range q.must(cluster.List, apiServices, "").Get("items").Items() {
		spec := service.Get("spec")
		fmt.Fprintln(&got, service.Lookup("metadata", "name").StringOr(""), spec.Get("groupPriorityMinimum"), spec.Get("versionPriority"))
	}
	if got.String() != recordedAPIServices {
		t.Errorf("registered:\n%s\nwant:\n%s", &got, recordedAPIServices)
	}
	service := q.must(cluster.Get, apiServices+"/v1.apps", "")
	entry := service.Lookup("metadata", "managedFields").At(0)
	for what, is := range map[string][2]string{
		"spec":    {service.Get("spec").String(), `{"group":"apps","groupPriorityMinimum":17800,"version":"v1","versionPriority":15}`},
		"labels":  {service.Lookup("metadata", "labels").String(), `{"kube-aggregator.kubernetes.io/automanaged":"onstart"}`},
		"manager": {entry.Get("manager").StringOr("") + " " + entry.Get("operation").StringOr(""), "kube-apiserver Update"},
		"fields": {entry.Get("fieldsV1").String(), `{"f:metadata":{"f:labels":{".":{},"f:kube-aggregator.kubernetes.io/automanaged":{}}},` +
			`"f:spec":{"f:group":{},"f:groupPriorityMinimum":{},"f:version":{},"f:versionPriority":{}}}`},
		"available": {condition(service, "Available"), "True Local"},
	} {
		if is[0] != is[1] {
			t.Errorf("%s: %s, want %s", what, is[0], is[1])
		}
	}
}

// Every version that a plain kube-apiserver of a supported Kubernetes version serves has a priority, except
// that of APIServices themselves.
func TestAllBuiltinVersionsHavePriorities(t *testing.T) {
	for _, version := range schema.Versions() {
		q := registered(t, cluster.Config{Version: version})
		seen := map[string]bool{"apiregistration.k8s.io/v1": true}
		for k := range q.c.Kinds().Kinds() {
			if k.Resource == "" || seen[k.APIVersion()] {
				continue
			}
			seen[k.APIVersion()] = true
			if got := q.apiServicesOf(k.Group); !slices.Contains(got, k.Version+"."+k.Group+" onstart") {
				t.Errorf("Kubernetes %s: %s has no APIService; its group has %v", version, k.APIVersion(), got)
			}
		}
	}
}

// Kubernetes' controllers crdregistration and autoregister.
func TestCustomVersionsAreRegistered(t *testing.T) {
	const group, automatic = "x.example.com", " true"
	q := registered(t, cluster.Config{})
	expect := func(when string, want ...string) {
		t.Helper()
		if got := q.apiServicesOf(group); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	v1, v1beta1 := "v1."+group, "v1beta1."+group
	crd := thingCRD("things", "Thing", simpleSpec, "")
	q.must(cluster.Create, crds, crd)
	expect("both versions are served", v1+automatic, v1beta1+automatic)
	service := q.must(cluster.Get, apiServices+"/"+v1, "")
	if got := service.Get("spec").String(); got != `{"group":"x.example.com","groupPriorityMinimum":1000,"version":"v1","versionPriority":100}` {
		t.Errorf("spec of %s: %s", v1, got)
	}

	q.must(cluster.Create, crds, thingCRD("others", "Other", simpleSpec, ""))
	q.must(cluster.Delete, crds+"/things.x.example.com", "")
	expect("another definition serves the versions", v1+automatic, v1beta1+automatic)

	q.must(cluster.Delete, apiServices+"/"+v1, "")
	expect("one was deleted by a client", v1+automatic, v1beta1+automatic)
	q.must(cluster.Update, apiServices+"/"+v1, service.
		With("metadata", q.must(cluster.Get, apiServices+"/"+v1, "").Get("metadata")).
		Set(document.NewInt(7), "spec", "versionPriority").String())
	if got := q.must(cluster.Get, apiServices+"/"+v1, "").Lookup("spec", "versionPriority").String(); got != "100" {
		t.Errorf("a changed priority is not restored, but %s", got)
	}

	others := q.must(cluster.Get, crds+"/others.x.example.com", "")
	one := document.NewList(others.Lookup("spec", "versions").At(0), others.Lookup("spec", "versions").At(1).With("served", document.NewBool(false)))
	if one.At(1).Get("name").StringOr("") != "v1" {
		t.Fatalf("the versions are %s", one)
	}
	q.must(cluster.Update, crds+"/others.x.example.com", others.Set(one, "spec", "versions").String())
	expect("a version is no longer served", v1beta1+automatic)
	q.must(cluster.Delete, crds+"/others.x.example.com", "")
	expect("no definition is left")

	q.must(cluster.Create, apiServices, `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"`+v1+`"},
		"spec":{"group":"x.example.com","version":"v1","groupPriorityMinimum":5,"versionPriority":5,"service":{"name":"s","namespace":"n"}}}`)
	expect("a client's own", v1+" -")
	q.must(cluster.Create, crds, crd)
	expect("a client's own was there first", v1+" -", v1beta1+automatic)
	q.must(cluster.Delete, crds+"/things.x.example.com", "")
	expect("a client's own stays", v1+" -")
}
