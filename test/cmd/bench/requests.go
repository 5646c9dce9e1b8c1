package main

import (
	"fmt"
	"strings"
)

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

// maxRequestRatio is the target for the ratio of a request to its engines: the maximum.
const maxRequestRatio = 1.5

// requestsMissed lists the requests that take longer than maxRequestRatio allows.
func requestsMissed(s samples) string {
	var above []string
	for _, w := range requests {
		for _, o := range objects {
			name := "Request/" + w.name + "/" + o.name + "/"
			for _, way := range []struct{ title, name, least string }{{"a cluster", "cluster", "engines"}, {"a Lab", "lab", "texts"}} {
				if s[name+way.name] == nil {
					continue
				}
				if r := s.median(name+way.name, cpuUnit) / s.median(name+way.least, cpuUnit); r > maxRequestRatio {
					above = append(above, fmt.Sprintf("%s of the %s through %s (%s)", w.title, o.title, way.title, times(r)))
				}
			}
		}
	}
	if len(above) == 0 {
		return "Every row reaches it."
	}
	return "Above it in this run: " + strings.Join(above, "; ") + "."
}

// requestNotes is the page's text on requests that is not generated from measurements.
const requestNotes = `A write decodes, defaults and validates only the parts that the object does not share
with the live one, and a stored object remembers for which kind it is complete and valid
([pipeline.md](pipeline.md)). A Lab, which knows nothing about the object that it is
given, decodes, defaults and validates the whole object of a built-in kind, and makes one
pass over a custom resource. Part of the processor time above is garbage collection, which
grows with the memory in use: a cluster keeps the last 10,000 states of its objects (at
most 64 MiB) for watches, and marking them takes a tenth to a fifth of a short request. The
engines in the same row keep as many results, so that both sides mark as much. Instructions,
counted without garbage collection, depend neither on that nor on what else the machine
does:

    go test -c -o requests.test ./requests
    GODEBUG=asyncpreemptoff=1 GOGC=off GOMAXPROCS=1 valgrind --tool=callgrind ./requests.test \
        -test.run xxx -test.bench 'Request/json/items-1000$/cluster$' -test.benchtime 20x

Run this twice in the folder test, with different values of ` + "`-test.benchtime`" + `. The
difference in instructions divided by the difference in requests is, in millions:

| change | object | engines | cluster | ratio | engines with bytes | Lab | ratio |
|---|---|---|---|---|---|---|---|
| server-side apply | 12 KB Deployment | 1.34 | 1.58 | 1.18× | 1.90 | 2.43 | 1.28× |
| merge patch | 12 KB Deployment | 0.68 | 0.82 | 1.20× | 1.33 | 1.94 | 1.46× |
| JSON patch | 12 KB Deployment | 0.75 | 1.05 | 1.40× | 1.37 | 2.01 | 1.47× |
| server-side apply | list of 1,000 | 12.58 | 12.44 | 0.99× | 13.47 | 15.68 | 1.16× |
| merge patch | list of 1,000 | 5.16 | 5.26 | 1.02× | 6.58 | 9.28 | 1.41× |
| JSON patch | list of 1,000 | 6.47 | 7.10 | 1.10× | 8.84 | 11.90 | 1.35× |

No ratio is above 1.5. In a merge or JSON patch of a Deployment through a Lab, parsing
takes a third of the instructions, and tracking owners, validation, decoding and defaulting
take most of the rest.

In earlier versions, each step looked at the whole object. The table compares ` + "`Cluster.Do`" + `
at commit 8e223bc with that at ff46e71, which skips the parts that a write does not change:
processor time, the lowest quarter of eight alternating rounds on a machine with other work
(` + "`go test ./requests -bench Request/.*/cluster`" + ` in test, with the benchmark copied to the
older commit).

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

The next table compares a Lab at commit ba53d08 with that at 4f26155, which does not
validate again what is known to be valid: processor time, the lowest of 14 alternating
rounds on a machine with other work.

| change | object | before | after | allocations before | after |
|---|---|---|---|---|---|
| server-side apply | 12 KB Deployment | 457 µs | 366 µs | 281 | 269 |
| merge patch | 12 KB Deployment | 264 µs | 248 µs | 310 | 300 |
| JSON patch | 12 KB Deployment | 274 µs | 250 µs | 328 | 317 |
| server-side apply | list of 1,000 | 1.85 ms | 1.71 ms | 137 | 137 |
| merge patch | list of 1,000 | 1.27 ms | 1.07 ms | 140 | 137 |
| JSON patch | list of 1,000 | 1.52 ms | 1.28 ms | 167 | 167 |

These rows are not compared with kube-apiserver's handler chain: the defaults, strategies
and validation of apps/v1 are in k8s.io/kubernetes, which is not meant to be imported as a
library (its go.mod replaces the staging modules). The parts of the chain that are
libraries, the field manager and the patch libraries, are measured below.
`
