package controllers

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestMaintain deletes objects that a server creates when it starts. They come back when kube-apiserver would create them,
// and others do not.
func TestMaintain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := cluster.New(cluster.Config{Addresses: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
			t.Fatal(err)
		}
		at := netip.MustParseAddrPort("192.0.2.2:6443")
		if err := PublishAddress(t.Context(), c, at); err != nil {
			t.Fatal(err)
		}
		create := &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "services", Namespace: "default",
			Body: []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"clusterIP":"10.96.0.7","ports":[{"port":1}]}}`)}
		if _, err := c.Do(t.Context(), create); err != nil {
			t.Fatal(err)
		}
		go Maintain(t.Context(), c, at)
		object := func(group, resource, namespace, name string) *cluster.Request {
			return &cluster.Request{Group: group, Version: "v1", Resource: resource, Namespace: namespace, Name: name}
		}
		for _, tc := range []struct {
			what  *cluster.Request
			after time.Duration // 0 for never
		}{
			{object("", "services", "default", "kubernetes"), serviceInterval},
			{object("", "endpoints", "default", "kubernetes"), serviceInterval},
			{object("discovery.k8s.io", "endpointslices", "default", "kubernetes"), serviceInterval},
			{object("networking.k8s.io", "servicecidrs", "", "kubernetes"), serviceInterval},
			{object(flowGroup, flowSchemas, "", "exempt"), configurationInterval},
			{object(flowGroup, priorityLevels, "", "workload-low"), configurationInterval},
			{object("networking.k8s.io", "ipaddresses", "", "10.96.0.7"), addressInterval},
			{object("", "configmaps", "kube-system", "kube-apiserver-legacy-service-account-token-tracking"), 0},
		} {
			del := *tc.what
			del.Verb = cluster.Delete
			if _, err := c.Do(t.Context(), &del); err != nil {
				t.Fatal(err)
			}
			if tc.after == 0 {
				time.Sleep(addressInterval)
			}
			time.Sleep(tc.after)
			synctest.Wait()
			if _, err := c.Do(t.Context(), tc.what); (err == nil) != (tc.after > 0) {
				t.Errorf("%s %s, which is to be back after %v: %v", tc.what.Resource, tc.what.Name, tc.after, err)
			}
		}
	})
}
