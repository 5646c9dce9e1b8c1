package cluster_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// The messages are those of kube-apiserver 1.36.3.
func TestObjectsOfAnotherKind(t *testing.T) {
	const (
		maps        = "/api/v1/namespaces/n/configmaps"
		deployments = "/apis/apps/v1/namespaces/n/deployments"
		none        = `" in scheme "pkg/runtime/scheme.go:111"`
	)
	q := newRequests(t, cluster.Config{})
	for _, c := range []struct{ why, path, apiVersion, kind, want string }{
		{"the same group", maps, "v1", "Secret", `Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion`},
		{"another group", maps, "apps/v1", "Deployment", `Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): unknown conversion`},
		{"a list", maps, "v1", "PodList", `PodList in version "v1" cannot be handled as a ConfigMap: converting (v1.PodList) to (core.ConfigMap): unknown conversion`},
		{"a list of any kind", maps, "v1", "List", `List in version "v1" cannot be handled as a ConfigMap: converting (v1.List) to (core.ConfigMap): unknown conversion`},
		{"a kind of a subresource", maps, "autoscaling/v1", "Scale", `Scale in version "v1" cannot be handled as a ConfigMap: converting (v1.Scale) to (core.ConfigMap): unknown conversion`},
		{"no kind", maps, "v1", "Foo", `Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1` + none},
		{"no kind of another group", maps, "apps/v1", "Foo", `Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "apps/v1` + none},
		{"no version", maps, "apps/v9", "Deployment", `Deployment in version "v9" cannot be handled as a ConfigMap: no kind "Deployment" is registered for version "apps/v9` + none},
		{"a group that Kubernetes does not have", maps, "foo/v1", "ConfigMap", `ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "foo/v1` + none},
		{"an empty group", maps, "/v2", "ConfigMap", `ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2` + none},
		{"an empty group for a kind of another", deployments, "/v1", "Deployment", `Deployment in version "v1" cannot be handled as a Deployment: no kind "Deployment" is registered for version "v1` + none},
		{"no form of a version", deployments, "apps/foo", "Deployment", `Deployment in version "foo" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps/foo` + none},
		{"a beta version without a number", deployments, "apps/v1beta", "Deployment", `Deployment in version "v1beta" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps/v1beta` + none},
		{"the version in memory", deployments, "apps/__internal", "Deployment", `the API version in the data (apps/__internal) does not match the expected API version (apps/v1)`},
		{"no apiVersion at all", maps, "a/b/c", "ConfigMap", `the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion": "a/b/c", "kind" ...)`},
		{"the scheme of another program", maps, "apiextensions.k8s.io/v1", "CustomResourceDefinition",
			`CustomResourceDefinition in version "v1" cannot be handled as a ConfigMap: no kind "CustomResourceDefinition" is registered for version "apiextensions.k8s.io/v1` + none},
		{"in the scheme of another program", crds, "v1", "Pod", `Pod in version "v1" cannot be handled as a CustomResourceDefinition: no kind "Pod" is registered for version "v1` + none},
		{"a group with a dot", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "v1", "Pod", `Pod in version "v1" cannot be handled as a ClusterRole: converting (v1.Pod) to (rbac.ClusterRole): unknown conversion`},
		{"events of either group are the same", "/apis/events.k8s.io/v1/namespaces/n/events", "v1", "Event", `the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)`},
		{"another version", "/apis/autoscaling/v2/namespaces/n/horizontalpodautoscalers", "autoscaling/v1", "HorizontalPodAutoscaler",
			`the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)`},
		{"a version that is no longer served", "/apis/networking.k8s.io/v1/namespaces/n/ingresses", "extensions/v1beta1", "Ingress",
			`the API version in the data (extensions/v1beta1) does not match the expected API version (networking.k8s.io/v1)`},
		{"an alpha version of another group", maps, "apps/v1beta1", "ConfigMap", `ConfigMap in version "v1beta1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1beta1` + none},
		{"a version that was never released", "/apis/networking.k8s.io/v1/namespaces/n/ingresses", "networking.k8s.io/v1alpha1", "Ingress",
			`Ingress in version "v1alpha1" cannot be handled as a Ingress: no kind "Ingress" is registered for version "networking.k8s.io/v1alpha1` + none},
		{"another kind in a former version", maps, "batch/v1beta1", "CronJob", `CronJob in version "v1beta1" cannot be handled as a ConfigMap: converting (v1beta1.CronJob) to (core.ConfigMap): unknown conversion`},
		{"a list in a former version", maps, "extensions/v1beta1", "IngressList", `IngressList in version "v1beta1" cannot be handled as a ConfigMap: converting (v1beta1.IngressList) to (core.ConfigMap): unknown conversion`},
		{"a Status", maps, "v1", "Status", `Status in version "v1" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion`},
		{"a Status has no version", maps, "meta.k8s.io/v1", "Status", `Status in version "v1" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion`},
		{"an event of a watch", maps, "v1", "WatchEvent", `WatchEvent in version "v1" cannot be handled as a ConfigMap: converting (v1.WatchEvent) to (core.ConfigMap): unknown conversion`},
	} {
		_, st := q.do(cluster.Create, c.path, `{"apiVersion": "`+c.apiVersion+`", "kind": "`+c.kind+`", "metadata": {"name": "a"}}`)
		if st == nil || st.Code != 400 || st.Message != c.want {
			t.Errorf("%s: %v, want %s", c.why, st, c.want)
		}
	}
}
