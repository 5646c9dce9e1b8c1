package main

// requests are the rows on whole requests, as opposed to engines.
var requests = []struct{ title, name string }{
	{"server-side apply", "apply"}, {"merge patch", "merge"}, {"JSON patch, one deep replace", "json"},
}

func requestsOf(s samples) []map[string]string {
	var out []map[string]string
	for _, w := range requests {
		for _, o := range objects {
			name := "Request/" + w.name + "/" + o.name + "/"
			if s[name+"cluster"] == nil {
				continue
			}
			at := func(way string) float64 { return s.median(name+way, cpuUnit) }
			out = append(out, map[string]string{
				"Work": w.title, "Object": o.title,
				"Engines": duration(at("engines")), "Cluster": duration(at("cluster")), "Ratio": times(at("cluster") / at("engines")),
				"Serve": duration(at("serve")), "Texts": duration(at("texts")), "Lab": duration(at("lab")), "LabRatio": times(at("lab") / at("texts")),
				"Allocs": count(s.median(name+"cluster", allocUnit)), "LabAllocs": count(s.median(name+"lab", allocUnit)),
			})
		}
	}
	return out
}

// requestNotes is the page's text on requests that is not generated from measurements.
const requestNotes = `A write decodes, fills in and validates only the parts that it does not share with
the live object, and a stored object remembers for which kind it is complete and
valid (doc/pipeline.md). Before that each step looked at the whole object: the
table compares ` + "`Cluster.Do`" + ` at commit 8e223bc with that of this page's commit, by the
lowest quarter of eight rounds in turn on a machine with other work, processor time
(` + "`go test ./requests -bench Request/.*/cluster`" + ` in test, with the benchmark copied
to the older commit).

| change | object | before | after | ratio | memory before | after | allocations before | after |
|---|---|---|---|---|---|---|---|---|
| server-side apply | 12 KB Deployment | 536 µs | 406 µs | 1.3× | 73 KB | 66 KB | 513 | 181 |
| merge patch | 12 KB Deployment | 417 µs | 173 µs | 2.4× | 53 KB | 36 KB | 545 | 125 |
| JSON patch | 12 KB Deployment | 517 µs | 328 µs | 1.6× | 56 KB | 42 KB | 581 | 200 |
| server-side apply | list of 1,000 | 3581 µs | 2515 µs | 1.4× | 618 KB | 562 KB | 1131 | 97 |
| merge patch | list of 1,000 | 2713 µs | 727 µs | 3.7× | 229 KB | 160 KB | 1178 | 110 |
| JSON patch | list of 1,000 | 2443 µs | 1247 µs | 2.0× | 296 KB | 222 KB | 1189 | 117 |
| server-side apply | list of 10,000 | 28899 µs | 21852 µs | 1.3× | 7081 KB | 8673 KB | 10163 | 144 |
| merge patch | list of 10,000 | 23013 µs | 7493 µs | 3.1× | 2013 KB | 1960 KB | 10175 | 117 |
| JSON patch | list of 10,000 | 30304 µs | 9796 µs | 3.1× | 2485 KB | 3535 KB | 10182 | 134 |

A real kube-apiserver's handler chain is not beside these rows: the defaults,
strategies and validation of apps/v1 are in k8s.io/kubernetes, which is not made to be
imported as a library (its go.mod replaces the staging modules). What is a library of
the chain, the field manager and the patch libraries, is measured below.
`
