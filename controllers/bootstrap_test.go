package controllers

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestBootstrapCreatesTheInitialObjects(t *testing.T) {
	for _, version := range schema.Versions() {
		c, err := cluster.New(cluster.Config{Version: version, Addresses: true, StrictNamespaces: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 2 { // the second run keeps the existing objects
			if err := Bootstrap(context.Background(), c, true); err != nil {
				t.Fatalf("%s: %v", version, err)
			}
		}
		for _, r := range []cluster.Request{
			{Version: "v1", Resource: "namespaces", Name: "kube-system"},
			{Version: "v1", Resource: "services", Namespace: "default", Name: "kubernetes"},
			{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses", Name: "system-node-critical"},
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "cluster-admin"},
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Name: "cluster-admin"},
		} {
			resp, err := c.Do(context.Background(), &r)
			if err != nil {
				t.Errorf("%s: %v", version, err)
				continue
			}
			if manager := resp.Object.Lookup("metadata", "managedFields").At(0).Get("manager").StringOr(""); manager != "kube-apiserver" {
				t.Errorf("%s: %s was made by %q", version, r.Name, manager)
			}
		}
		if cidr, err := c.Do(context.Background(), &cluster.Request{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Name: "kubernetes"}); err == nil {
			condition := cidr.Object.Lookup("status", "conditions").At(0)
			if condition.Get("status").StringOr("") != "True" || cidr.Object.Lookup("metadata", "managedFields").At(0).Get("manager").StringOr("") != "kubernetes-service-cidr-controller" {
				t.Errorf("%s: the ServiceCIDR is %s", version, cidr.Object)
			}
		} else if version >= "1.33" {
			t.Errorf("%s: %v", version, err)
		}
		// The fields that only the allocation of addresses sets have no manager.
		service, err := c.Do(context.Background(), &cluster.Request{Version: "v1", Resource: "services", Namespace: "default", Name: "kubernetes"})
		if err != nil {
			t.Fatal(err)
		}
		owned := service.Object.Lookup("metadata", "managedFields").At(0).Lookup("fieldsV1", "f:spec")
		for _, field := range []string{"clusterIPs", "ipFamilies"} {
			if owned.Get("f:"+field).Exists() || service.Object.Lookup("spec", field).Len() != 1 {
				t.Errorf("%s: %s is owned or missing: %s", version, field, service.Object)
			}
		}
		// The cluster IP of the kubernetes Service is not allocated to another Service.
		resp, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "services", Namespace: "default",
			Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":1}]}}`)})
		if err != nil || resp.Object.Lookup("spec", "clusterIP").StringOr("") == "10.96.0.1" {
			t.Errorf("%s: %v %v", version, resp, err)
		}
	}
}
