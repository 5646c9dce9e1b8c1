package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"
)

// works are the rows of the page, with the target ratio for each object.
var works = []struct {
	title, benchmark string
	goals            [4]float64
}{
	{"server-side apply against apimachinery's managedfields", "Apply", [4]float64{12, 15, 18, 4}},
	{"update tracking against the same", "Update", [4]float64{8, 10, 12, 3}},
	{"strategic merge patch of one item against strategicpatch", "Strategic", [4]float64{8, 100, 1000, 5}},
	{"merge patch against json-patch v5", "Merge", [4]float64{8, 12, 12, 10}},
	{"JSON patch, one deep replace, against json-patch v5", "JSON", [4]float64{12, 10, 10, 7}},
	{"three-way merge against strategicpatch", "ThreeWay", [4]float64{6, 8, 8, 4}},
}

var objects = [...]struct{ title, name string }{
	{"12 KB Deployment", "deployment"}, {"list of 1,000", "items-1000"}, {"list of 10,000", "items-10000"}, {"1 MiB ConfigMap", "configmap-1MiB"},
}

const text = `# Performance

Written by ` + "`make bench`" + ` (` + "`test/cmd/bench`" + `). Each figure is the median of
{{.Rounds}} rounds, in which the two sides of a row were measured in turn, on {{.Machine}}. Times are
processor time (user and system, including garbage collection on other cores), which
depends less than elapsed time on what else the machine does.

[beside.md](beside.md) compares the server with a real kube-apiserver.

## Requests

Each row is one change to an existing object, from the bytes of the request to the bytes
of the changed object, including decoding, defaults, validation and owners
(` + "`test/requests`" + `). "Engines" is the minimum that has to be done: parsing the body, merging
or patching, tracking the owners, and printing. A cluster, and the server over it
("serve"), hold the object; a Lab gets it as bytes, and is compared with engines that do
so too ("engines with bytes").

| change | object | engines | cluster | ratio | serve | engines with bytes | Lab | ratio | allocations, cluster | Lab |
|---|---|---|---|---|---|---|---|---|---|---|
{{range .Requests}}| {{.Work}} | {{.Object}} | {{.Engines}} | {{.Cluster}} | {{.Ratio}} | {{.Serve}} | {{.Texts}} | {{.Lab}} | {{.LabRatio}} | {{.Allocs}} | {{.LabAllocs}} |
{{end}}
The target for both ratios is at most 1.5. {{.RequestsMissed}}

` + requestNotes + `
## Compared with Kubernetes' libraries

The engines and the libraries that kube-apiserver and kubectl use ("peer"), from bytes to
bytes. "Ratio" is that of the processor times, "elapsed" that of the elapsed times.

| work | object | ours | peer | ratio | elapsed | target | allocations, ours | peer's |
|---|---|---|---|---|---|---|---|---|
{{range .Rows}}| {{.Work}} | {{.Object}} | {{.Ours}} | {{.Peer}} | {{.Ratio}} | {{.Elapsed}} | {{.Goal}} | {{.Allocs}} | {{.PeerAllocs}} |
{{end}}
{{.Missed}}

## Distance from the minimum

The time of one scan that checks whether an object is valid JSON (` + "`encoding/json.Valid`" + `)
and of one parse by package ` + "`document`" + `, beside that of an apply, which reads the object and
the configuration and writes an object.

| object with its managers | valid | our parse | apply | apply over valid | update over valid |
|---|---|---|---|---|---|
{{range .Floors}}| {{.Object}} | {{.Valid}} | {{.Parse}} | {{.Apply}} | {{.ApplyOver}} | {{.UpdateOver}} |
{{end}}
## Growth

The time for 10,000 items divided by that for 1,000 items in the same order; the target is
at most 12. Processor time includes the garbage collections that run on the other
processor. They mark the 10,000 items in use, and so cost more than ten times as much.

| work | sorted, elapsed | processor | shuffled, elapsed | processor |
|---|---|---|---|---|
{{range .Growth}}| {{.Work}} | {{.Sorted}} | {{.SortedCPU}} | {{.Shuffled}} | {{.ShuffledCPU}} |
{{end}}
## One Manager on two processors

One Manager applies to the Deployment from one goroutine per processor. The elapsed time
for each apply, in the fastest round because other work on the machine adds to it, is {{.Shared}}.

## What each mechanism saves

Each mechanism for reading lazily and for reusing memory was switched off in turn, and both
variants were measured alternately, for 5 ms at a time, in one process. The figures are the
processor time without the mechanism divided by that with it, medians of 41 turns (some of
31). A mechanism is kept if it makes a row at least 1.5 times as fast, or if a row would
miss its target without it.

| mechanism | without it | decision |
|---|---|---|
| lists are validated when a text is read, and nodes for their items are created on first use | merge patch of 1,000 items 2.7, of the Deployment 1.6 | kept, as ` + "`document.ParseLazy`" + ` |
| the nodes below such an item are deferred too, and one member can be read without the others | three-way merge of 1,000 items 2.0, strategic patch 1.8 (5.3 without reading one member) | kept |
| a single replaced value is exchanged in the text (` + "`document.ReplaceIn`" + `) | JSON patch of 1,000 items 2.1, of the Deployment 1.3 | kept |
| an object in a list is validated by comparing it with the preceding one | JSON patch of 1,000 items 1.5, merge patch 1.4 | kept |
| objects that occur repeatedly in managedFields are read once | update of 1,000 items 1.6, apply 1.4 | kept |
| the text is not copied | strategic patch of 1,000 items 1.8 | kept, in ` + "`document.ParseLazy`" + ` |
| a second text shares the parts that equal those of a first one (Options.Like) | three-way merge 1.1 to 1.2 | removed |
| the items of two lists are opened side by side (OpenLike) | 1.0 | removed |
| an option announces that items will be read (Options.Items) | strategic patch of 1,000 items 1.4 | removed: the positions of items are recorded when a list is validated, which is as fast |
| an option announces that everything will be read (Options.Whole) | apply 1.8 | removed: ` + "`document.Parse`" + ` reads everything, and ParseLazy is for callers that do not |
| a search in the text shows that no object in it has a key (SurelyLacks) | three-way merge of 1,000 items 1.6 | removed: the only caller knows this anyway |
| memory for reuse survives garbage collections (internal/engine/lend) | 1.0 | replaced by sync.Pool |

## Cold starts

Mean processor time (user and system) of {{.Starts}} starts of each command, in turn, with the
Deployment and one strategic merge patch. Memory is the median of the maximum resident set
sizes.

| command | user | user and system | resident |
|---|---|---|---|
{{range .Commands}}| ` + "`{{.Name}}`" + ` | {{.User}} | {{.CPU}} | {{.RSS}} |
{{end}}
` + "`patchlab apply`" + ` takes {{.Share}} of kubectl's user time. The targets are at most a
sixth of that time, and 12 MB.

### Why the reference engine is a program of its own

The libraries of the reference engine (structured-merge-diff, strategicpatch with
kube-openapi and protobuf behind it) are linked into ` + "`patchlab-reference`" + `, not into
` + "`patchlab`" + `: the table shows what they cost a command that does not use them. ` + "`patchlab verify`" + `
and ` + "`--engine reference`" + ` run that program, which they find beside the binary or on the PATH;
if there is none, they say what to install. The alternative was a build tag, but then users
would have to know which build they have. For the same reason ` + "`/metrics`" + ` is written without
prometheus/client_golang: with it the same apply used 13.1 MB, without it 11.1 MB.
`

func page(s samples, commands []*command, rounds int) ([]byte, error) {
	data := map[string]any{
		"Rounds": rounds, "Machine": machine(), "Requests": requestsOf(s), "RequestsMissed": requestsMissed(s), "Rows": rowsOf(s), "Missed": missed(s), "Floors": floorsOf(s), "Growth": growthOf(s),
		"Starts": commands[0].starts, "Share": fmt.Sprintf("1/%.1f", commands[len(commands)-1].user/commands[0].user),
	}
	one, two := slices.Min(s["Shared/deployment/ours1"][timeUnit]), slices.Min(s["Shared/deployment/ours2"][timeUnit])
	data["Shared"] = fmt.Sprintf("%s on one processor and %s on two, which is %.2f times as many applies", duration(one), duration(two), one/two)
	var list []map[string]string
	for _, c := range commands {
		list = append(list, map[string]string{"Name": c.name, "User": fmt.Sprintf("%.1f ms", c.user/float64(c.starts)),
			"CPU": fmt.Sprintf("%.1f ms", c.cpu()), "RSS": fmt.Sprintf("%.1f MB", median(c.rss))})
	}
	data["Commands"] = list
	t, err := template.New("page").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

func machine() string {
	version := runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.GoVersion
	}
	return fmt.Sprintf("%s, %s/%s, %d processors", version, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

func rowsOf(s samples) []map[string]string {
	var out []map[string]string
	for _, w := range works {
		for i, o := range objects {
			ours, peer := w.benchmark+"/"+o.name+"/ours", w.benchmark+"/"+o.name+"/peer"
			out = append(out, map[string]string{
				"Work": w.title, "Object": o.title,
				"Ours": duration(s.median(ours, cpuUnit)), "Peer": duration(s.median(peer, cpuUnit)),
				"Ratio": times(s.ratio(w.benchmark, o.name, cpuUnit)), "Elapsed": times(s.ratio(w.benchmark, o.name, timeUnit)),
				"Goal": times(w.goals[i]), "Allocs": count(s.median(ours, allocUnit)), "PeerAllocs": count(s.median(peer, allocUnit)),
			})
		}
	}
	return out
}

// rowsText formats the measured rows, and the growth with the number of items, as text.
func rowsText(s samples) string {
	var b strings.Builder
	for _, w := range works {
		for i, o := range objects {
			ours := w.benchmark + "/" + o.name + "/ours"
			if s[ours] != nil {
				fmt.Fprintf(&b, "%s, %s: %s of processor time (target %s), %s elapsed; %s, %s allocations\n",
					w.title, o.title, times(s.ratio(w.benchmark, o.name, cpuUnit)), times(w.goals[i]),
					times(s.ratio(w.benchmark, o.name, timeUnit)), duration(s.median(ours, cpuUnit)), count(s.median(ours, allocUnit)))
			}
		}
		if s[w.benchmark+"/items-1000/ours"] != nil && s[w.benchmark+"/items-10000/ours"] != nil {
			fmt.Fprintf(&b, "%s, elapsed for 10,000 items over 1,000: %s sorted, %s shuffled\n", w.title, growth(s, w.benchmark, "", timeUnit), growth(s, w.benchmark, "-shuffled", timeUnit))
		}
	}
	return b.String()
}

// ratio returns the peer's median divided by patchlab's.
func (s samples) ratio(benchmark, object, unit string) float64 {
	name := benchmark + "/" + object
	return s.median(name+"/peer", unit) / s.median(name+"/ours", unit)
}

// missed lists the rows that do not reach their target.
func missed(s samples) string {
	var below []string
	for _, w := range works {
		for i, o := range objects {
			if r := s.ratio(w.benchmark, o.name, cpuUnit); r < w.goals[i] {
				below = append(below, fmt.Sprintf("%s on %s (%s of %s)", w.title, o.title, times(r), times(w.goals[i])))
			}
		}
	}
	if len(below) == 0 {
		return "Every row reaches its target."
	}
	return "Below the target in this run: " + strings.Join(below, "; ") + "."
}

func floorsOf(s samples) []map[string]string {
	var out []map[string]string
	for _, o := range objects {
		valid := s.median("Floor/"+o.name+"/valid", cpuUnit)
		apply, update := s.median("Apply/"+o.name+"/ours", cpuUnit), s.median("Update/"+o.name+"/ours", cpuUnit)
		out = append(out, map[string]string{
			"Object": o.title, "Valid": duration(valid), "Parse": duration(s.median("Floor/"+o.name+"/parse", cpuUnit)),
			"Apply": duration(apply), "ApplyOver": times(apply / valid), "UpdateOver": times(update / valid),
		})
	}
	return out
}

func growthOf(s samples) []map[string]string {
	var out []map[string]string
	for _, w := range works {
		out = append(out, map[string]string{
			"Work":   w.title,
			"Sorted": growth(s, w.benchmark, "", timeUnit), "SortedCPU": growth(s, w.benchmark, "", cpuUnit),
			"Shuffled": growth(s, w.benchmark, "-shuffled", timeUnit), "ShuffledCPU": growth(s, w.benchmark, "-shuffled", cpuUnit),
		})
	}
	return out
}

// growth returns the ratio of the times for 10,000 and 1,000 items.
func growth(s samples, benchmark, order, unit string) string {
	at := func(items string) float64 { return s.median(benchmark+"/"+items+order+"/ours", unit) }
	return times(at("items-10000") / at("items-1000"))
}

func duration(ns float64) string {
	switch {
	case ns >= 1e9:
		return fmt.Sprintf("%.2f s", ns/1e9)
	case ns >= 1e6:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
	return fmt.Sprintf("%.0f µs", ns/1e3)
}

func times(r float64) string {
	if r >= 100 {
		return fmt.Sprintf("%.0f×", r)
	}
	return fmt.Sprintf("%.1f×", r)
}

func count(n float64) string { return fmt.Sprintf("%.0f", n) }
