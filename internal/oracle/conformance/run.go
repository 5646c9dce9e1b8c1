package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// watchTime is the timeout of a watch that does not send all of its events.
const watchTime = 2500 * time.Millisecond

// Answer is a raw response.
type Answer struct {
	Code     int
	Warnings []string // values of the Warning headers
	Body     []byte
	Events   [][]byte // of a watch
	Hooks    [][]byte // AdmissionReviews sent to webhooks
}

// Send sends a request in which names have been replaced by values.
type Send func(Request) (Answer, error)

// Runner runs cases. The zero value uses the system clock.
type Runner struct {
	// Now and Sleep replace the system clock for the server: a clock that advances only by
	// Sleep prevents a second boundary within a case.
	Now   func() time.Time
	Sleep func(time.Duration)
	// AllWarnings compares the warnings of failures too, and not only those of successes.
	AllWarnings bool
	// FieldWarnings compares only the warnings about unknown and duplicate fields. The engines for
	// browsers are built without those of the kinds.
	FieldWarnings bool
}

// worded are the families in which the messages of refusals are compared as well.
var worded = []string{"more-versions", "more-texts"}

// Run sends a case's requests in order and stops at the first answer that differs from the
// recorded one. It returns the number of steps without a difference, and the difference (""
// if there is none).
//
// In an open case, differing causes of a refusal are ignored; an open case without
// differing causes is a difference, so that it is removed from open.txt.
func (r Runner) Run(c Case, send Send) (agreed int, differs string) {
	vars := &variables{Now: r.Now}
	open := c.Open != ""
	for i, step := range c.Steps {
		r.sleep(step.Request.SleepMS)
		request := vars.expandRequest(step.Request)
		answer, err := send(request)
		if err != nil {
			return i, fmt.Sprintf("step %d %s %s: %v", i, request.Method, request.Path, err)
		}
		got := vars.response(answer)
		want := step.Response
		if r.FieldWarnings {
			want.Warnings, got.Warnings = fieldWarnings(want.Warnings), fieldWarnings(got.Warnings)
		}
		d := Difference(want, got, c.family() == "order")
		if d == "" && want.Code >= 400 && slices.Contains(worded, c.family()) {
			d = messageDifference(want.Body, got.Body)
		}
		if d == "" {
			d = HooksDifference(step.Response.Hooks, got.Hooks)
		}
		if d == "" && r.AllWarnings && !slices.Equal(step.Response.Warnings, got.Warnings) {
			d = fmt.Sprintf("warnings: want %q, got %q", step.Response.Warnings, got.Warnings)
		}
		if c.Open != "" && strings.HasPrefix(d, causesDiffer) {
			open = false
			continue
		}
		if d != "" {
			return i, fmt.Sprintf("step %d %s %s: %s", i, request.Method, request.Path, d)
		}
	}
	if open {
		return len(c.Steps), fmt.Sprintf("all causes agree; remove the case from open.txt (%s)", c.Open)
	}
	return len(c.Steps), ""
}

// Record sends a case's requests in order and returns the case with the responses.
func (r Runner) Record(c Case, send Send) (Case, error) {
	vars := &variables{Now: r.Now}
	steps := make([]Step, 0, len(c.Steps))
	for i, step := range c.Steps {
		r.sleep(step.Request.SleepMS)
		request := vars.expandRequest(step.Request)
		answer, err := send(request)
		if err != nil {
			return c, fmt.Errorf("%s: step %d %s %s: %w", c.Name, i, request.Method, request.Path, err)
		}
		steps = append(steps, Step{Request: step.Request, Response: vars.response(answer)})
	}
	c.Steps, c.Open = steps, ""
	return c, nil
}

func (r Runner) sleep(ms int) {
	if ms <= 0 {
		return
	}
	d := time.Duration(ms) * time.Millisecond
	if r.Sleep != nil {
		r.Sleep(d)
		return
	}
	time.Sleep(d)
}

func (v *variables) response(a Answer) Response {
	out := Response{Code: a.Code, Warnings: a.Warnings}
	for _, e := range a.Events {
		out.Events = append(out.Events, v.Normalize(decodeBody(e)))
	}
	if len(a.Events) == 0 && a.Body != nil {
		out.Body = v.Normalize(decodeBody(a.Body))
	}
	for _, h := range a.Hooks {
		out.Hooks = append(out.Hooks, v.Normalize(decodeBody(h)))
	}
	return out
}

// Report counts, by family, the cases and steps without a difference.
type Report struct{ families map[string]*count }

type count struct{ passed, cases, agreed, steps int }

// Add counts a case with the number of its steps without a difference.
func (r *Report) Add(c Case, agreed int) {
	if r.families == nil {
		r.families = map[string]*count{}
	}
	f := r.families[c.family()]
	if f == nil {
		f = &count{}
		r.families[c.family()] = f
	}
	f.cases++
	f.steps += len(c.Steps)
	f.agreed += agreed
	if agreed == len(c.Steps) {
		f.passed++
	}
}

// String returns a table of the counts with a line per family and a line for the total.
func (r *Report) String() string {
	var b strings.Builder
	var all count
	names := make([]string, 0, len(r.families))
	for f := range r.families {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		c := *r.families[f]
		c.print(&b, f)
		all.passed += c.passed
		all.cases += c.cases
		all.agreed += c.agreed
		all.steps += c.steps
	}
	all.print(&b, "all")
	return b.String()
}

func (c count) print(b *strings.Builder, family string) {
	fmt.Fprintf(b, "%-22s %4d of %4d cases, %5d of %5d steps\n", family, c.passed, c.cases, c.agreed, c.steps)
}
