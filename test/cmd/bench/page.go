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
{{.Rounds}} rounds in which the sides of a row took turns, on {{.Machine}}. Times are
processor time (user and system, with garbage collection on other cores), which
other work on the machine changes less than elapsed time.

The server beside a real kube-apiserver is in [beside.md](beside.md).

## Requests

One change of an object that exists, from the bytes of the body to the bytes of the
object after it, with decoding, defaults, validation and owners
(` + "`test/requests`" + `). The engines are the least that has to be done: parsing the
body, the merge or patch, tracking the owners, printing. A cluster and the server
over it hold the object; a Lab is given it as bytes, and so are its engines.

| change | object | engines | cluster | ratio | serve | engines with bytes | Lab | ratio | allocations, cluster | Lab |
|---|---|---|---|---|---|---|---|---|---|---|
{{range .Requests}}| {{.Work}} | {{.Object}} | {{.Engines}} | {{.Cluster}} | {{.Ratio}} | {{.Serve}} | {{.Texts}} | {{.Lab}} | {{.LabRatio}} | {{.Allocs}} | {{.LabAllocs}} |
{{end}}
At most 1.5 is aimed at for both ratios. {{.RequestsMissed}}

` + requestNotes + `
## Ours over the peer

The engines beside the libraries that kube-apiserver and kubectl use, bytes in to
bytes out. The ratio of elapsed time is given beside that of processor time.

| work | object | ours | peer | ratio | elapsed | aimed at | allocations, ours | peer's |
|---|---|---|---|---|---|---|---|---|
{{range .Rows}}| {{.Work}} | {{.Object}} | {{.Ours}} | {{.Peer}} | {{.Ratio}} | {{.Elapsed}} | {{.Goal}} | {{.Allocs}} | {{.PeerAllocs}} |
{{end}}
{{.Missed}}

## How far from the floor

One scan that says that the object is valid JSON (` + "`encoding/json.Valid`" + `) and one
parse into our document; an apply reads the object and the configuration, and
writes an object.

| object with its managers | valid | our parse | apply | apply over valid | update over valid |
|---|---|---|---|---|---|
{{range .Floors}}| {{.Object}} | {{.Valid}} | {{.Parse}} | {{.Apply}} | {{.ApplyOver}} | {{.UpdateOver}} |
{{end}}
## Growth

Time for 10,000 items over that for 1,000 in the same order; at most 12 is aimed at.
Processor time counts the collections of garbage that run on the other processor
too; they mark the 10,000 items that are being worked on, and so cost more than ten
times as much.

| work | sorted, elapsed | processor | shuffled, elapsed | processor |
|---|---|---|---|---|
{{range .Growth}}| {{.Work}} | {{.Sorted}} | {{.SortedCPU}} | {{.Shuffled}} | {{.ShuffledCPU}} |
{{end}}
## Sharing

One manager applies to the Deployment from one goroutine per processor, in
elapsed time, the fastest round of each (other work on the machine counts here): {{.Shared}}.

## Mechanisms that were tried without

Reading lazily and reusing memory were each switched off in turn, in one process,
and both sides measured in turns of 5 ms: the processor time without the mechanism
over that with it, medians of 41 turns (others of 31). A mechanism stays if it makes
a row at least 1.5 times as fast, or a row would miss what is aimed at without it.

| mechanism | without it | decision |
|---|---|---|
| lists are checked when a text is read, and their items made when asked for | merge patch of 1,000 items 2.7, of the Deployment 1.6 | stays, as ` + "`document.ParseLazy`" + ` |
| items of such a list are put off in their turn, and one member is read without the others | three-way merge of 1,000 items 2.0, strategic patch 1.8 (5.3 without reading one member) | stays |
| a replaced value is exchanged in the text (` + "`document.ReplaceIn`" + `) | JSON patch of 1,000 items 2.1, of the Deployment 1.3 | stays |
| an object of a list is checked by comparing it with the one before | JSON patch of 1,000 items 1.5, merge patch 1.4 | stays |
| objects that are repeated in managedFields are read once | update of 1,000 items 1.6, apply 1.4 | stays |
| the text is not copied | strategic patch of 1,000 items 1.8 | stays, in ParseLazy |
| a second text shares what is the same in a first (Options.Like) | three-way merge 1.1 to 1.2 | gone |
| items of two lists are opened side by side (OpenLike) | 1.0 | gone |
| an option that items will be looked at (Options.Items) | strategic patch of 1,000 items 1.4 | gone: where items are is noted when a list is checked, which is as fast |
| an option that all will be looked at (Options.Whole) | apply 1.8 | gone: ` + "`Parse`" + ` reads everything, ParseLazy is for the others |
| a text is searched for a key that no object in it can have (SurelyLacks) | three-way merge of 1,000 items 1.6 | gone: the one caller knows by itself |
| memory is kept through collections of garbage (internal/engine/lend) | 1.0 | gone in favour of sync.Pool |

## Cold starts

Mean processor time (user and system) of {{.Starts}} starts each, in turn, on the Deployment
and one strategic merge patch; memory is the median of the largest resident size.

| command | user | user and system | resident |
|---|---|---|---|
{{range .Commands}}| ` + "`{{.Name}}`" + ` | {{.User}} | {{.CPU}} | {{.RSS}} |
{{end}}
` + "`patchlab apply`" + ` takes {{.Share}} of kubectl's user time (at most a sixth is aimed
at, and 12 MB).

### Why the reference engine is a program of its own

The libraries of the reference engine (structured-merge-diff, strategicpatch with
kube-openapi and protobuf behind it) are linked into ` + "`patchlab-reference`" + `, not into
` + "`patchlab`" + `: the table shows what they cost a command that does not use them. ` + "`patchlab verify`" + `
and ` + "`--engine reference`" + ` run that program, found beside the binary or on the PATH, and
say what to install where there is none. A build tag was the other way: then one
would have to know which build one has. For the same reason ` + "`/metrics`" + ` is written
without prometheus/client_golang: with it the same apply held 13.1 MB, without it 11.1 MB.
`

func page(s samples, commands []*command, rounds int) ([]byte, error) {
	data := map[string]any{
		"Rounds": rounds, "Machine": machine(), "Requests": requestsOf(s), "RequestsMissed": requestsMissed(s), "Rows": rowsOf(s), "Missed": missed(s), "Floors": floorsOf(s), "Growth": growthOf(s),
		"Starts": commands[0].starts, "Share": fmt.Sprintf("1/%.1f", commands[len(commands)-1].user/commands[0].user),
	}
	one, two := slices.Min(s["Shared/deployment/ours1"][timeUnit]), slices.Min(s["Shared/deployment/ours2"][timeUnit])
	data["Shared"] = fmt.Sprintf("%s on one processor, %s on two, which is %.2f times as many", duration(one), duration(two), one/two)
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
				fmt.Fprintf(&b, "%s, %s: %s of processor time (%s aimed at), %s elapsed; %s, %s allocations\n",
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
		return "Every row reaches what was aimed at."
	}
	return "Below what was aimed at in this run: " + strings.Join(below, "; ") + "."
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
