package defaults

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// prepared returns an object as it is stored on create.
func prepared(t *testing.T, text string, q Request) (*schema.Kind, document.Value) {
	t.Helper()
	k, v := made(t, "", parse(t, text), nil)
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	return k, r.PrepareForCreate(k, v, q)
}

func TestPrepareForCreate(t *testing.T) {
	pod := func(resources string) string {
		return `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a","image":"i","resources":` + resources + `}]}}`
	}
	cases := []struct{ name, sent, at, want string }{
		{"status is dropped", `{"apiVersion":"apps/v1","kind":"Deployment","status":{"replicas":3}}`, "status", `{}`},
		{"a node's is not", `{"apiVersion":"v1","kind":"Node","status":{"phase":"Running"}}`, "status.phase", `"Running"`},
		{"best effort", pod(`{}`), "status.qosClass", `"BestEffort"`},
		{"burstable", pod(`{"requests":{"cpu":"1"}}`), "status.qosClass", `"Burstable"`},
		{"guaranteed", pod(`{"limits":{"cpu":"1","memory":"1Gi"}}`), "status.qosClass", `"Guaranteed"`},
		{"requests below limits", pod(`{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}}`), "status.qosClass", `"Burstable"`},
		{"a class claimed", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[]},"status":{"qosClass":"Guaranteed"}}`, "status.qosClass", `"Guaranteed"`},
		{"gates", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[],"schedulingGates":[{"name":"g"}]}}`, "status.conditions",
			`[{"lastProbeTime":null,"lastTransitionTime":"2026-04-01T12:00:00Z","message":"Scheduling is blocked due to non-empty scheduling gates","reason":"SchedulingGated","status":"False","type":"PodScheduled"}]`},
		{"AppArmor by annotation", `{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/a":"localhost/p"}},"spec":{"containers":[{"name":"a"}]}}`,
			"spec.containers", `[{"imagePullPolicy":"IfNotPresent","name":"a","resources":{},"securityContext":{"appArmorProfile":{"localhostProfile":"p","type":"Localhost"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]`},
		{"namespace", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"spec":{"finalizers":["a/b"]}}`, "spec.finalizers", `["a/b","kubernetes"]`},
		{"claim from a source", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"dataSource":{"kind":"PersistentVolumeClaim","name":"c"}}}`,
			"spec.dataSourceRef", `{"apiGroup":null,"kind":"PersistentVolumeClaim","name":"c"}`},
		{"claim from what only the new field may name", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"dataSource":{"kind":"Other","name":"c"}}}`, "spec.dataSource", "nothing"},
		{"secrets of a service account", `{"apiVersion":"v1","kind":"ServiceAccount","secrets":[{"name":"s","namespace":"n"}]}`, "secrets", `[{"name":"s"}]`},
		{"daemon set", `{"apiVersion":"apps/v1","kind":"DaemonSet"}`, "metadata.annotations", `{"deprecated.daemonset.template.generation":"1"}`},
		{"job", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","uid":"u"}}`, "spec.selector", `{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}}`},
		{"job that selects itself", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","uid":"u"},"spec":{"manualSelector":true}}`, "spec.selector", "nothing"},
		{"certificate", `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"request":"","signerName":"s","username":"me"}}`,
			"spec", `{"extra":{"k":["v"]},"groups":["g"],"request":"","signerName":"s","uid":"1","username":"you"}`},
		{"custom resource", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1","served":true,"storage":true}]}}`, "status.storedVersions", `["v1"]`},
		{"headless", `{"apiVersion":"v1","kind":"Service","spec":{"clusterIP":"None","selector":{"a":"b"}}}`, "spec.clusterIPs", `["None"]`},
		{"headless without selector", `{"apiVersion":"v1","kind":"Service","spec":{"clusterIP":"None"}}`, "spec.ipFamilies", `["IPv4","IPv6"]`},
		{"external name", `{"apiVersion":"v1","kind":"Service","spec":{"type":"ExternalName","externalName":"h"}}`, "spec.ipFamilies", "nothing"},
		{"address given out", `{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80}]}}`, "spec.clusterIPs", `["10.96.0.1"]`},
		{"addresses without the first one", `{"apiVersion":"v1","kind":"Service","spec":{"clusterIPs":["None"]}}`, "spec.clusterIP", "nothing"},
		{"ports given out", `{"apiVersion":"v1","kind":"Service","spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"name":"a","port":80},{"name":"b","port":80,"protocol":"UDP"},{"name":"c","port":81,"nodePort":31000}]}}`,
			"spec.ports", `[{"name":"a","nodePort":30001,"port":80,"protocol":"TCP","targetPort":80},{"name":"b","nodePort":30001,"port":80,"protocol":"UDP","targetPort":80},{"name":"c","nodePort":31000,"port":81,"protocol":"TCP","targetPort":81}]`},
	}
	for _, c := range cases {
		port := int64(30000)
		q := Request{
			Now:       noon,
			User:      User{Name: "you", UID: "1", Groups: []string{"g"}, Extra: map[string][]string{"k": {"v"}}},
			ClusterIP: func(string) string { return "10.96.0.1" },
			NodePort:  func() int64 { port++; return port },
		}
		_, got := prepared(t, c.sent, q)
		steps, err := parseSteps(c.at)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			got = got.Get(s.name)
		}
		if got.String() != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.at, got, c.want)
		}
	}
	// Without allocators, addresses stay unset.
	if _, v := prepared(t, `{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80}]}}`, Request{}); v.Lookup("spec", "clusterIP").Exists() {
		t.Errorf("an unexpected address: %s", v)
	}
}

func TestPrepareForUpdate(t *testing.T) {
	service := func(spec string) string { return `{"apiVersion":"v1","kind":"Service","spec":` + spec + `}` }
	const given = `{"type":"LoadBalancer","clusterIP":"10.0.0.9","clusterIPs":["10.0.0.9"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","ports":[{"name":"a","port":80,"nodePort":30080}],"allocateLoadBalancerNodePorts":true,"loadBalancerClass":"c/d"}`
	cases := []struct{ name, live, next, sub, at, want string }{
		{"status stays", `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1},"status":{"replicas":1}}`,
			`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2},"status":{"replicas":2}}`, "", "status.replicas", "1"},
		{"only the status", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"a":"1"}},"spec":{"replicas":1},"status":{"replicas":1}}`,
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"a":"2"}},"spec":{"replicas":2},"status":{"replicas":2}}`, "status", "metadata.labels.a", `"1"`},
		{"what was left out comes back", service(given), service(`{"type":"LoadBalancer","ports":[{"name":"a","port":80}]}`), "", "spec.clusterIPs", `["10.0.0.9"]`},
		{"node ports by name", service(given), service(`{"type":"NodePort","ports":[{"name":"b","port":81},{"name":"a","port":82}]}`), "", "spec.ports",
			`[{"name":"b","port":81,"protocol":"TCP","targetPort":81},{"name":"a","nodePort":30080,"port":82,"protocol":"TCP","targetPort":82}]`},
		{"a load balancer without node ports gives up those that the update omits", service(given), service(`{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[{"name":"a","port":80},{"name":"b","port":81,"nodePort":30081}]}`), "", "spec.ports",
			`[{"name":"a","port":80,"protocol":"TCP","targetPort":80},{"name":"b","nodePort":30081,"port":81,"protocol":"TCP","targetPort":81}]`},
		{"and does not get them back", service(strings.Replace(given, ":true", ":false", 1)), service(`{"type":"NodePort","ports":[{"name":"a","port":80}]}`), "", "spec.ports",
			`[{"name":"a","port":80,"protocol":"TCP","targetPort":80}]`},
		{"another type needs no node ports", service(given), service(`{"type":"ClusterIP","allocateLoadBalancerNodePorts":true,"loadBalancerClass":"c/d","ports":[{"name":"a","port":80,"nodePort":30080}]}`), "", "spec",
			`{"clusterIP":"10.0.0.9","clusterIPs":["10.0.0.9"],"internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","ports":[{"name":"a","port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"None","type":"ClusterIP"}`},
		{"an external name no address", service(given), service(`{"type":"ExternalName","externalName":"h","clusterIP":"10.0.0.9","clusterIPs":["10.0.0.9"]}`), "", "spec.clusterIPs", "nothing"},
		{"an address changed alone", service(`{"clusterIP":"None","clusterIPs":["None"],"selector":{"a":"b"}}`), service(`{"clusterIP":"10.0.0.9","clusterIPs":["None"],"selector":{"a":"b"}}`), "", "spec.clusterIPs", `["10.0.0.9"]`},
		{"daemon set's template changed", `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"annotations":{"deprecated.daemonset.template.generation":"4"}}}`,
			`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"annotations":{"deprecated.daemonset.template.generation":"9"}},"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}`, "", "metadata.annotations", `{"deprecated.daemonset.template.generation":"5"}`},
		{"an autoscaler's status in annotations", `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":1},"status":{"currentCPUUtilizationPercentage":5}}`,
			`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":2},"status":{"currentCPUUtilizationPercentage":9}}`, "", "metadata.annotations",
			`{"autoscaling.alpha.kubernetes.io/current-metrics":"[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":5,\"currentAverageValue\":\"0\"}}]"}`},
		{"namespace's finalizers", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]}}`, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"spec":{}}`, "", "spec.finalizers", `["kubernetes"]`},
		{"volume's phase", `{"apiVersion":"v1","kind":"PersistentVolume","spec":{},"status":{"phase":"Pending","lastPhaseTransitionTime":"2020-01-01T00:00:00Z"}}`,
			`{"apiVersion":"v1","kind":"PersistentVolume","spec":{},"status":{"phase":"Bound"}}`, "status", "status.lastPhaseTransitionTime", `"2026-04-01T12:00:00Z"`},
		{"ephemeral containers only", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a","image":"a:1"}]}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[],"ephemeralContainers":[{"name":"e","image":"e:1"}]}}`, "ephemeralcontainers", "spec.containers",
			`[{"image":"a:1","imagePullPolicy":"IfNotPresent","name":"a","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]`},
		{"resources only", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a","image":"a:1"}]}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a","image":"b:1","resources":{"requests":{"cpu":"1"}}}]}}`, "resize", "spec.containers",
			`[{"image":"a:1","imagePullPolicy":"IfNotPresent","name":"a","resources":{"requests":{"cpu":"1"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]`},
		{"approval", `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"request":"","signerName":"s"}}`,
			`{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"request":"","signerName":"x"},"status":{"certificate":"YQ==","conditions":[{"type":"Approved","status":"True"}]}}`, "approval", "status",
			`{"conditions":[{"lastTransitionTime":"2026-04-01T12:00:00Z","lastUpdateTime":"2026-04-01T12:00:00Z","status":"True","type":"Approved"}]}`},
	}
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		k, live := made(t, "", parse(t, c.live), nil)
		_, next := made(t, "", parse(t, c.next), nil)
		got := r.PrepareForUpdate(k, next, live, Request{Subresource: c.sub, Now: noon})
		steps, err := parseSteps(c.at)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			got = got.Get(s.name)
		}
		if got.String() != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.at, got, c.want)
		}
	}
}

// TestNodePorts: a new Service has one node port for each port number, the first that is
// requested for it; an update has one for each port, as kube-apiserver 1.36.3 allocates them.
func TestNodePorts(t *testing.T) {
	service := func(ports string) string {
		return `{"apiVersion":"v1","kind":"Service","spec":{"type":"NodePort","ports":[` + ports + `]}}`
	}
	const live = `{"name":"a","port":80,"nodePort":31000}`
	cases := []struct{ name, live, next, want string }{
		{"requested later", "", `{"name":"a","port":80},{"name":"b","port":80,"protocol":"UDP","nodePort":31000}`, "31000 31000"},
		{"requested twice", "", `{"name":"a","port":80,"nodePort":31001},{"name":"b","port":80,"protocol":"UDP","nodePort":31002},{"name":"c","port":80,"protocol":"SCTP"}`, "31001 31002 31001"},
		{"not requested", "", `{"name":"a","port":80},{"name":"b","port":80,"protocol":"UDP"},{"name":"c","port":81}`, "30001 30001 30002"},
		{"added", live, live + `,{"name":"b","port":80,"protocol":"UDP"}`, "31000 30001"},
		{"replaced", live, `{"name":"x","port":80},{"name":"y","port":80,"protocol":"UDP"}`, "30001 30002"},
	}
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		port := int64(30000)
		q := Request{Now: noon, NodePort: func() int64 { port++; return port }}
		var got document.Value
		if c.live == "" {
			_, got = prepared(t, service(c.next), q)
		} else {
			k, was := made(t, "", parse(t, service(c.live)), nil)
			_, next := made(t, "", parse(t, service(c.next)), nil)
			got = r.PrepareForUpdate(k, next, was, q)
		}
		var numbers []string
		for _, p := range got.Lookup("spec", "ports").Items() {
			numbers = append(numbers, p.Get("nodePort").String())
		}
		if all := strings.Join(numbers, " "); all != c.want {
			t.Errorf("%s: node ports are %s, want %s", c.name, all, c.want)
		}
	}
}
