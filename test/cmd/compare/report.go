package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// report counts responses by group: a folder of manifests, or a resource.
type report struct {
	groups map[string]*counts
	kinds  map[string][]string // examples by kind of difference
	notes  map[string]int
	events int // of watches in the responses
	// judging is held while the responses to a case are compared, because several cases may be sent at once.
	judging sync.Mutex
}

// counts are the responses of a group: those that agree and all, for requests that
// kube-apiserver refuses and those that it accepts.
type counts struct{ refusedSame, refused, acceptedSame, accepted int }

func newReport() *report {
	return &report{groups: map[string]*counts{}, kinds: map[string][]string{}, notes: map[string]int{}}
}

// add counts a response of kube-apiserver with a code, and the difference of ours, which
// is "" if there is none.
func (r *report) add(group string, code int, example, difference string) {
	c := r.groups[group]
	if c == nil {
		c = &counts{}
		r.groups[group] = c
	}
	all, same := &c.accepted, &c.acceptedSame
	if code >= 400 {
		all, same = &c.refused, &c.refusedSame
	}
	*all++
	if difference == "" {
		*same++
		return
	}
	kind := resourceOf(example) + ": " + general(difference)
	r.kinds[kind] = append(r.kinds[kind], example+": "+difference)
}

// note counts a case without a comparison.
func (r *report) note(why string) { r.notes[why]++ }

func (r *report) total() counts {
	var sum counts
	for _, c := range r.groups {
		sum.refused += c.refused
		sum.refusedSame += c.refusedSame
		sum.accepted += c.accepted
		sum.acceptedSame += c.acceptedSame
	}
	return sum
}

// differing returns the percentage of the responses that differ; 100 if there are none.
func (r *report) differing() float64 {
	t := r.total()
	if t.refused+t.accepted == 0 {
		return 100
	}
	return 100 * (1 - float64(t.refusedSame+t.acceptedSame)/float64(t.refused+t.accepted))
}

// print writes the differences, the most frequent last, and the counts.
func (r *report) print(w io.Writer, examples int) {
	kinds := slices.SortedFunc(maps.Keys(r.kinds), func(a, b string) int {
		if n := len(r.kinds[a]) - len(r.kinds[b]); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, k := range kinds {
		fmt.Fprintf(w, "%d × %s\n", len(r.kinds[k]), k)
		for _, e := range r.kinds[k][:min(examples, len(r.kinds[k]))] {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(e, "\n", "\n    "))
		}
	}
	for _, g := range slices.Sorted(maps.Keys(r.groups)) {
		fmt.Fprintf(w, "%-44s %s\n", g, *r.groups[g])
	}
	for _, n := range slices.Sorted(maps.Keys(r.notes)) {
		fmt.Fprintf(w, "not compared: %s: %d\n", n, r.notes[n])
	}
	if r.events > 0 {
		fmt.Fprintf(w, "events of watches: %d\n", r.events)
	}
	t := r.total()
	fmt.Fprintf(w, "%-44s %s; %.2f %% of all differ\n", "all", t, r.differing())
}

func (c counts) String() string {
	return fmt.Sprintf("to refuse %5d, same %5d (%6.2f %%); to accept %5d, same %5d (%6.2f %%)",
		c.refused, c.refusedSame, share(c.refusedSame, c.refused), c.accepted, c.acceptedSame, share(c.acceptedSame, c.accepted))
}

func share(n, all int) float64 {
	if all == 0 {
		return 100
	}
	return 100 * float64(n) / float64(all)
}

var (
	index  = regexp.MustCompile(`\[\d+\]`)
	quoted = regexp.MustCompile(`c-[0-9a-f]{10}|\d{3,}`)
)

// general shortens a difference to what similar ones have in common.
func general(difference string) string {
	difference = quoted.ReplaceAllString(index.ReplaceAllString(difference, "[*]"), "…")
	if runes := []rune(difference); len(runes) > 300 {
		difference = string(runes[:300])
	}
	return difference
}

// resourceOf returns the resource in an example, which starts with the case's name.
func resourceOf(example string) string {
	name, _, _ := strings.Cut(example, " ")
	parts := strings.Split(name, "/")
	return parts[min(1, len(parts)-1)]
}

// brief is a request in one line.
func brief(r conformance.Request) string {
	body := r.Body
	if len(body) > 1500 {
		body = body[:1500] + "…"
	}
	return strings.TrimSpace(r.Method + " " + r.Path + " " + r.Query + " " + body)
}
