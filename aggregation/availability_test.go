package aggregation

import (
	"net/http"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestAvailability goes through what may be missing. The conditions are those that kube-apiserver 1.36.3 sets for the same
// objects. The changes of the Service and its EndpointSlices themselves lead to the next condition.
func TestAvailability(t *testing.T) {
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/ext.example.com/v1" || r.Header.Get("X-Remote-User") != "system:kube-aggregator" || r.Header.Get("X-Remote-Group") != "system:masters" {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	a := newAggregator(t)
	slice := `{"metadata":{"name":"ext-1","labels":{"kubernetes.io/service-name":"ext"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"],` +
		`"conditions":{"ready":false}}],"ports":[{"name":"https","port":` + e.port + `}]}`
	service := func(spec string) func() {
		return func() { a.create(t, services, `{"metadata":{"name":"ext"},"spec":`+spec+`}`) }
	}
	gone := func() { a.delete(t, services, "ext") }
	url := "https://localhost:" + e.port + "/apis/ext.example.com/v1"
	for _, step := range []struct {
		why        string
		do         []func()
		begin, end string
	}{
		{"no Service", []func(){func() { a.create(t, apiServices, e.registration()) }},
			"False ServiceNotFound: ", `service/ext in "lab" is not present`},
		{"another port", []func(){service(`{"clusterIP":"10.0.0.7","ports":[{"port":1}]}`)},
			"False ServicePortError: ", `service/ext in "lab" is not listening on port ` + e.port},
		{"no EndpointSlices", []func(){gone, service(`{"clusterIP":"10.0.0.7","ports":[{"name":"https","port":` + e.port + `}]}`)},
			"False EndpointsNotFound: ", `cannot find endpointslices for service/ext in "lab"`},
		{"endpoints that are not ready", []func(){func() { a.create(t, endpointSliceSet, slice) }},
			"False MissingEndpoints: ", `endpointslices for service/ext in "lab" have no addresses with port name "https"`},
		{"a port with another name", []func(){func() {
			a.patch(t, endpointSliceSet, "ext-1", `{"endpoints":[{"addresses":["192.0.2.1"]}],"ports":[{"name":"other","port":1}]}`)
		}}, "False MissingEndpoints: ", `have no addresses with port name "https"`},
		{"a headless Service", []func(){gone, func() { a.patch(t, endpointSliceSet, "ext-1", `{"ports":[{"name":"","port":1}]}`) },
			service(`{"clusterIP":"None","ports":[{"port":` + e.port + `}]}`)},
			"False FailedDiscoveryCheck: ", `cannot route to service with ClusterIP "None"`},
		{"no port of a NodePort Service", []func(){gone, service(`{"type":"NodePort","clusterIP":"10.0.0.7","ports":[{"port":1}]}`)},
			"False FailedDiscoveryCheck: ", `no service port ` + e.port + ` found for service "ext"`},
		{"a service that answers", []func(){gone, service(`{"type":"ExternalName","externalName":"localhost"}`)},
			"True Passed: ", "all checks passed"},
		{"another authority", []func(){func() { a.patch(t, apiServices, "v1.ext.example.com", `{"spec":{"caBundle":null}}`) }},
			"False FailedDiscoveryCheck: failing or missing response from " + url + `: Get "` + url + `": tls: failed to verify certificate: x509: `, ""},
		{"no verification", []func(){func() { a.patch(t, apiServices, "v1.ext.example.com", `{"spec":{"insecureSkipTLSVerify":true}}`) }},
			"True Passed: ", "all checks passed"},
		{"nobody listens", []func(){func() { a.patch(t, apiServices, "v1.ext.example.com", `{"spec":{"service":{"port":1}}}`) }},
			`False FailedDiscoveryCheck: failing or missing response from https://localhost:1/apis/ext.example.com/v1: `, "connect: connection refused"},
		{"no service any more", []func(){func() {
			a.patch(t, apiServices, "v1.ext.example.com", `{"spec":{"service":null,"insecureSkipTLSVerify":null}}`)
		}}, "True Local: ", "Local APIServices are always available"},
	} {
		for _, do := range step.do {
			do()
		}
		a.awaitCondition(t, step.why, step.begin, step.end)
	}
}

// TestRefusedDiscoveryCheck: an answer with another code than 2xx is a failure, of which the URL is part.
func TestRefusedDiscoveryCheck(t *testing.T) {
	e := newExtension(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	url := "https://localhost:" + e.port + "/apis/ext.example.com/v1"
	a.awaitCondition(t, "403", "False FailedDiscoveryCheck: failing or missing response from "+url+": ", "bad status from "+url+": 403")
}

// TestTransitionTime: the time of a condition changes with its status alone.
func TestTransitionTime(t *testing.T) {
	first, later := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 9, 1, 0, 0, time.UTC)
	object := allPassed.setIn(parsed(t, `{"status":{"conditions":[{"type":"Other","status":"True"}]}}`), first)
	for _, c := range []struct {
		next condition
		want string
	}{
		{condition{statusTrue, "Local", "x"}, "2026-03-02T09:00:00Z"},
		{condition{statusFalse, "ServiceNotFound", "y"}, "2026-03-02T09:01:00Z"},
	} {
		next := c.next.setIn(object, later)
		if got := availability(next).Get("lastTransitionTime").StringOr(""); got != c.want || !c.next.isIn(next) || next.Lookup("status", "conditions").Len() != 2 {
			t.Errorf("%v: %s, want the time %s", c.next, next, c.want)
		}
	}
}

// TestHangingService: a service that does not answer delays neither the check of another one nor the end of the Aggregator.
func TestHangingService(t *testing.T) {
	released := make(chan struct{})
	hanging := newExtension(t, func(http.ResponseWriter, *http.Request) { <-released })
	t.Cleanup(func() { close(released) })
	e := newExtension(t, func(http.ResponseWriter, *http.Request) {})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, `{"metadata":{"name":"v1.slow.example.com"},"spec":{"group":"slow.example.com","version":"v1","groupPriorityMinimum":1500,
		"versionPriority":10,"insecureSkipTLSVerify":true,"service":{"name":"ext","namespace":"lab","port":`+hanging.port+`}}}`)
	begin := time.Now()
	a.create(t, apiServices, e.registration())
	a.awaitCondition(t, "beside a service that hangs", "True Passed: ", "")
	if took := time.Since(begin); took > answerTime {
		t.Errorf("the check took %v", took)
	}
}

// TestBrokenBundle: with certificates that cannot be parsed, the condition stays and requests are answered with 500, as in
// kube-apiserver 1.36.3.
func TestBrokenBundle(t *testing.T) {
	e := newExtension(t, func(http.ResponseWriter, *http.Request) {})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	a.awaitCondition(t, "a valid bundle", "True Passed: ", "")
	a.patch(t, apiServices, "v1.ext.example.com", `{"spec":{"caBundle":"YWJj"}}`)
	const want = "unable to load root certificates: unable to parse bytes as PEM block\n"
	is := ""
	eventually(t, func() string { return "the response is " + is }, func() bool {
		is = a.get(t, "/apis/ext.example.com/v1/x", cluster.User{Name: "ada"}, nil).Body.String()
		return is == want
	})
	if is := a.condition(t); is != "True Passed: all checks passed" {
		t.Errorf("the condition is %s", is)
	}
}
