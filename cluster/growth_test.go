package cluster_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// many joins n copies of part with commas; %[1]d in part is the number of the copy.
func many(n int, part string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, part, i)
	}
	return b.String()
}

// The cost of a request is linear in the size of its body, which is at most 3 MiB. Allocated
// memory is the measure, because it is deterministic.
func TestWorkGrowsWithTheBody(t *testing.T) {
	const (
		maps     = "/api/v1/namespaces/n/configmaps"
		services = "/api/v1/namespaces/n/services"
		pods     = "/api/v1/namespaces/n/pods"
		quotas   = "/api/v1/namespaces/n/resourcequotas"
		sets     = "/apis/apps/v1/namespaces/n/statefulsets"
	)
	open := `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"m":{"type":"array","items":{"type":"string","enum":[` +
		many(1000, `"%[1]d"`) + `]}},"e":{"type":"object","additionalProperties":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}}`
	cases := []struct {
		why, path string
		body      func(n int) string
		options   cluster.Options
	}{
		{"numbers without canonical form, in a list", things, func(n int) string {
			return `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":[` + many(n, `%[1]d.0`) + `]}}`
		}, cluster.Options{}},
		{"numbers without canonical form, in an object", things, func(n int) string {
			return `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":{` + many(n, `"k%[1]d":%[1]d.0`) + `}}}`
		}, cluster.Options{}},
		{"objects in a custom resource", things, func(n int) string {
			return `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"e":{` +
				many(n, `"k%[1]d":{"apiVersion":"v1","kind":"A","metadata":{"name":"a","x":1}}`) + `}}}`
		}, cluster.Options{}},
		{"containers with defaults", pods, func(n int) string {
			return `{"metadata":{"name":"a"},"spec":{"containers":[` + many(n, `{"name":"c%[1]d","image":"i"}`) + `]}}`
		}, cluster.Options{}},
		{"claims with defaults", sets, func(n int) string {
			return `{"metadata":{"name":"a"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"volumeClaimTemplates":[` +
				many(n, `{"metadata":{"name":"c%[1]d"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`) + `]}}`
		}, cluster.Options{}},
		{"allocated ports", services, func(n int) string {
			return `{"metadata":{"name":"a"},"spec":{"type":"NodePort","ports":[` + many(n, `{"name":"p%[1]d","port":%[1]d}`) + `]}}`
		}, cluster.Options{}},
		{"stringData of a Secret", "/api/v1/namespaces/n/secrets", func(n int) string {
			return `{"metadata":{"name":"a"},"stringData":{` + many(n, `"k%[1]d":"v"`) + `}}`
		}, cluster.Options{}},
		{"a deeply nested schema", crds, func(n int) string {
			return thingCRD("deeps", "Deep", strings.Repeat(`{"type":"object","properties":{"a":`, n)+`{"type":"string","default":"x"}`+strings.Repeat("}}", n), "")
		}, cluster.Options{}},
		{"controllers", maps, func(n int) string {
			return `{"metadata":{"name":"a","ownerReferences":[` + many(n, `{"apiVersion":"v1","kind":"A","name":"a","uid":"u%[1]d","controller":true}`) + `]}}`
		}, cluster.Options{}},
		{"a manager name with unprintable characters", maps, func(n int) string { return `{"metadata":{"name":"a"}}` },
			cluster.Options{FieldManager: strings.Repeat("\x01", 1<<15)}},
		{"causes that each show a list", quotas, func(n int) string {
			return `{"metadata":{"name":"a"},"spec":{"hard":{"cpu":"1","memory":"1"},"scopeSelector":{"matchExpressions":[` +
				many(n, `{"scopeName":"BestEffort","operator":"Exists","values":["%[1]d"]}`) + `]}}}`
		}, cluster.Options{}},
		{"causes that each show an enumeration", things, func(n int) string {
			return `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"m":[` + many(10*n, `"x%[1]d"`) + `]}}`
		}, cluster.Options{}},
		{"claims of a container that the pod has not", pods, func(n int) string {
			return `{"metadata":{"name":"a"},"spec":{"resourceClaims":[` + many(n, `{"name":"c%[1]d","resourceClaimName":"x"}`) +
				`],"containers":[{"name":"c","image":"i","resources":{"claims":[` + many(n, `{"name":"d%[1]d"}`) + `]}}]}}`
		}, cluster.Options{}},
		{"unknown fields and duplicate keys", maps, func(n int) string {
			return `{"metadata":{"name":"a"},` + many(n, `"x%[1]d":1`) + `,"data":{` + many(n, `"a":"%[1]d"`) + `}}`
		}, cluster.Options{}},
	}
	for _, c := range cases {
		cost := func(n int) (bytes uint64) {
			q := newRequests(t, cluster.Config{Addresses: true})
			q.must(cluster.Create, crds, thingCRD("things", "Thing", open, ""))
			body := c.body(n)
			c.options.DryRun = []string{"All"}
			q.do(cluster.Create, c.path, `{}`, options(c.options)) // builds what is cached for the kind
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			q.do(cluster.Create, c.path, body, options(c.options))
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		const few, most = 100, 1600
		if a, b := cost(few), cost(most); b > 3*a*most/few || b > 64<<20 {
			t.Errorf("%s: %d KB for %d, %d KB for %d", c.why, a>>10, few, b>>10, most)
		}
	}
}

// Lists and maps of as many members as a body can hold, each of which causes an error or is compared
// with another list. Work that is quadratic in their number does not show in allocated memory; here it
// takes minutes.
func TestLongListsInWrongObjects(t *testing.T) {
	const maps = "/api/v1/namespaces/n/configmaps"
	q := newRequests(t, cluster.Config{Addresses: true})
	finalizers := func(name string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":[` + many(60_000, `"a/`+name+`%[1]d"`) + `]}}`
	}
	q.must(cluster.Create, maps, finalizers("x"))
	q.must(cluster.Delete, maps+"/a", `{}`)
	for _, c := range []struct {
		why, path, body string
		verb            cluster.Verb
		change          func(*cluster.Request)
		code, causes    int
		message         string
	}{
		{"keys of a ConfigMap", maps, `{"metadata":{"name":"b"},"data":{` + many(200_000, `"!%[1]d":""`) + `}}`,
			cluster.Create, nil, 422, 15_373, `, and 184627 more]`},
		{"finalizers of an object that is being deleted", maps + "/a", finalizers("y"),
			cluster.Update, nil, 422, 2, `"a/y59999"`},
		{"constraints of a pod", "/api/v1/namespaces/n/pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],"topologySpreadConstraints":[` +
			many(20_000, `{"maxSkew":1,"topologyKey":"k%[1]d","whenUnsatisfiable":"ScheduleAnyway"},{"maxSkew":1,"topologyKey":"k%[1]d","whenUnsatisfiable":"ScheduleAnyway"}`) + `]}}`,
			cluster.Create, nil, 422, 20_000, `Duplicate value: "{k19999, ScheduleAnyway}"`},
		{"ports of a Service", "/api/v1/namespaces/n/services", `{"metadata":{"name":"a"},"spec":{"type":"NodePort","ports":[` +
			many(60_000, `{"name":"p%[1]d","port":%[1]d}`) + `]}}`,
			cluster.Create, nil, 500, 1, `failed to allocate a nodePort: range is full`},
		{"equal members of a set", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/a",
			`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"a"},"spec":{"policyName":"x","validationActions":[` + strings.Repeat(`"Deny",`, 60_000) + `"Deny"]}}`,
			cluster.Patch, func(r *cluster.Request) { r.Format, r.Options.FieldManager = cluster.ApplyPatch, "m" }, 500, 0, `duplicate entries for key [="Deny"]`},
	} {
		change := c.change
		if change == nil {
			change = func(*cluster.Request) {}
		}
		_, st := q.do(c.verb, c.path, c.body, change)
		if st == nil || st.Code != c.code || !strings.Contains(st.Message, c.message) {
			t.Errorf("%s: %.300v, want %d and %q", c.why, st, c.code, c.message)
		} else if st.Details != nil && len(st.Details.Causes) != c.causes {
			t.Errorf("%s: %d causes, want %d", c.why, len(st.Details.Causes), c.causes)
		}
	}
}

// TestDefaultsAreBounded writes and reads objects whose defaults would be larger than any object that can be
// stored. Nothing of a refused write remains.
func TestDefaultsAreBounded(t *testing.T) {
	const short, long = `{"type":"object","properties":{"x":{"type":"string"}}}`, `{"type":"object","properties":{"x":{"type":"string","default":"%s"}}}`
	list := func(item string) string {
		return thingCRD("things", "Thing", `{"type":"object","properties":{"a":{"type":"array","items":`+item+`}}}`, "")
	}
	thing := func(name string, n int) string {
		return `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"` + name + `"},"spec":{"a":[` + strings.Repeat("{},", n-1) + `{}]}}`
	}
	few, most := thing("a", 10), thing("a", 100_000)
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, list(short))
	q.must(cluster.Create, things, thing("stored", 100_000))
	merge := func(r *cluster.Request) { r.Format = cluster.MergePatch }
	q.must(cluster.Patch, crds+"/things.x.example.com", list(fmt.Sprintf(long, strings.Repeat("x", 1000))), merge)
	q.must(cluster.Create, things, few)
	nothing := func(*cluster.Request) {}
	apply := func(r *cluster.Request) {
		r.Format, r.Options.FieldManager, r.Options.Force = cluster.ApplyPatch, "m", new(true)
	}
	for _, c := range []struct {
		why, path, body string
		verb            cluster.Verb
		change          func(*cluster.Request)
	}{
		{"create", things, thing("b", 100_000), cluster.Create, nothing},
		{"create without storing", things, thing("b", 100_000), cluster.Create, options(cluster.Options{DryRun: []string{"All"}})},
		{"update", things + "/a", most, cluster.Update, nothing},
		{"merge patch", things + "/a", most, cluster.Patch, merge},
		{"apply", things + "/a", most, cluster.Patch, apply},
		{"apply of a new object", things + "/b", strings.Replace(most, `"a"`, `"b"`, 1), cluster.Patch, apply},
		{"update of an object that was stored without them", things + "/stored", `{"metadata":{"labels":{"a":"b"}}}`, cluster.Patch, merge},
	} {
		if _, st := q.do(c.verb, c.path, c.body, c.change); st == nil || st.Code != 500 || !errors.Is(st, structural.ErrDefaults) {
			t.Errorf("%s: %.300v, want %v", c.why, st, structural.ErrDefaults)
		}
	}
	if _, st := q.do(cluster.Get, things+"/b", ""); st == nil || st.Code != 404 {
		t.Errorf("a refused create: %v", st)
	}
	if n := q.must(cluster.Get, things+"/a", "").Lookup("spec", "a").Len(); n != 10 {
		t.Errorf("after refused writes, the object has %d items, want 10", n)
	}
	if _, st := q.do(cluster.Get, things+"/stored", ""); st == nil || !errors.Is(st, structural.ErrDefaults) {
		t.Errorf("get of an object that was stored without them: %.300v", st)
	}
	q.must(cluster.Patch, crds+"/things.x.example.com", list(short), merge)
	q.must(cluster.Delete, things+"/stored", `{}`)
}
