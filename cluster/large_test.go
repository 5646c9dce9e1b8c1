package cluster_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// The cost of patching a large object is linear in its size, whether the patch makes the
// object large, changes little in it, or is refused because the result is too large to be
// stored. Allocated memory is the measure, because it is deterministic.
func TestWorkGrowsWithThePatchedObject(t *testing.T) {
	key := "this-key-is-long-so-that-the-managed-fields-are-long-too-%[1]d"
	data := func(n int, value string) string {
		return `"data":{` + many(n, `"`+key+`":"`+value+`"`) + `}`
	}
	cases := []struct {
		why    string
		format cluster.Format
		body   func(n int) string
	}{
		{"a merge patch that changes every key", cluster.MergePatch, func(n int) string { return `{` + data(n, "b") + `}` }},
		{"a merge patch that removes every key", cluster.MergePatch, func(n int) string { return `{"data":{` + many(n, `"`+key+`":null`) + `}}` }},
		{"a merge patch of a label", cluster.MergePatch, func(int) string { return `{"metadata":{"labels":{"a":"b"}}}` }},
		{"a strategic patch that changes every key", cluster.StrategicPatch, func(n int) string { return `{` + data(n, "b") + `}` }},
		{"JSON patch operations that change every key", cluster.JSONPatch, func(n int) string {
			return `[` + many(n, `{"op":"replace","path":"/data/`+key+`","value":"b"}`) + `]`
		}},
		{"JSON patch operations that remove every key", cluster.JSONPatch, func(n int) string {
			return `[` + many(n, `{"op":"remove","path":"/data/`+key+`"}`) + `]`
		}},
		{"an apply of every key", cluster.ApplyPatch, func(n int) string {
			return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},` + data(n, "b") + `}`
		}},
		{"an apply in YAML of every key", cluster.ApplyPatch, func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n" + strings.ReplaceAll(many(n, "  "+key+": b\n"), "\n,", "\n")
		}},
	}
	for _, c := range cases {
		cost := func(n int) uint64 {
			q := newRequests(t, cluster.Config{})
			q.must(cluster.Create, "/api/v1/namespaces/n/configmaps", `{"metadata":{"name":"a"},`+data(n, "a")+`}`)
			force := true
			request := func() *cluster.Request {
				r := &cluster.Request{Verb: cluster.Patch, Format: c.format, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "a", Body: []byte(c.body(n))}
				r.FieldManager, r.DryRun = "m", []string{"All"}
				if c.format == cluster.ApplyPatch {
					r.Force = &force
				}
				return r
			}
			send := func() {
				if _, err := q.c.Do(context.Background(), request()); err != nil {
					t.Fatalf("%s: %v", c.why, err)
				}
			}
			send() // builds what is cached for the kind
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			send()
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		const few, most = 500, 8000
		// Caches may be emptied between requests, so small costs vary.
		if a, b := max(cost(few), 256<<10), cost(most); b > 2*a*most/few || b > 64<<20 {
			t.Errorf("%s: %d KB for %d keys, %d KB for %d", c.why, a>>10, few, b>>10, most)
		}
	}
}
