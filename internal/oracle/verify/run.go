package verify

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
)

// Options configures a run.
type Options struct {
	// First is the first seed, Cases the number of consecutive seeds.
	First uint64
	Cases int
	// Progress, if not nil, is called periodically with the number of completed cases, from
	// any goroutine.
	Progress func(done int)
	// ShrinkTries is the maximum number of runs for shrinking a failing case, 0 for
	// defaultShrinkTries.
	ShrinkTries int
}

// Report is the result of a run.
type Report struct {
	First uint64
	Cases int
	// Works counts cases by work, Answers counts the common results of both engines, and
	// Known counts cases by known difference, including those that did not occur.
	Works, Answers, Known map[string]int
	// Kinds counts the cases of each kind of the source, including kinds without a case,
	// but not random kinds. Features counts the cases by feature.
	Kinds, Features map[string]int
}

// Failure is a case with different results, and the smallest case found that still has
// them.
type Failure struct {
	Case, Least           *Case
	Difference            *Difference // between the results for Least
	Tries                 int
	SizeBefore, SizeAfter int // of the inputs as JSON
}

// Run compares the engines on the cases of a source. It stops at the first seed with
// different results, independently of the number of processors. An error is that of ctx.
func Run(ctx context.Context, ref Reference, s *Source, o Options) (*Report, *Failure, error) {
	r := run{ref: ref, source: s, o: o, total: newReport(s, o)}
	r.bad.Store(int64(o.Cases))
	shared := ref.Merge()
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() { r.work(ctx, newReferee(ref, shared)) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if bad := r.bad.Load(); bad < int64(o.Cases) {
		judge, c := newReferee(ref, shared), s.Case(o.First+uint64(bad))
		found := judge.safely(c).Difference
		if found == nil {
			found = &Difference{What: "another answer, but not when asked again: run the same seeds again"}
		}
		return r.total, judge.shrink(c, found, o.ShrinkTries), nil
	}
	return r.total, nil, nil
}

func newReport(s *Source, o Options) *Report {
	r := &Report{First: o.First, Works: map[string]int{}, Answers: map[string]int{}, Known: map[string]int{}, Kinds: map[string]int{}, Features: map[string]int{}}
	for _, name := range knownDifferences {
		r.Known[name] = 0
	}
	for _, k := range s.Kinds {
		r.Kinds[k.GroupVersionKind.String()] = 0
	}
	return r
}

type run struct {
	ref       Reference
	source    *Source
	o         Options
	next, bad atomic.Int64 // offsets of seeds
	mu        sync.Mutex
	total     *Report
}

// work processes cases until there are none left or an earlier one has failed.
func (r *run) work(ctx context.Context, judge *referee) {
	for ctx.Err() == nil {
		at := r.next.Add(1) - 1
		if at >= r.bad.Load() {
			return
		}
		c := r.source.Case(r.o.First + uint64(at))
		out := judge.safely(c)
		if out.Difference != nil {
			for bad := r.bad.Load(); at < bad && !r.bad.CompareAndSwap(bad, at); bad = r.bad.Load() {
			}
		}
		r.count(c, out)
	}
}

func (r *run) count(c *Case, out outcome) {
	features := c.features()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.Cases++
	r.total.Works[c.Work.String()]++
	if !c.drawn {
		r.total.Kinds[c.Kinds[0].GroupVersionKind.String()]++
	}
	for what, found := range features {
		if found {
			r.total.Features[what]++
		}
	}
	for what, n := range out.done {
		r.total.Answers[what] += n
	}
	if out.known != "" {
		r.total.Known[out.known]++
	}
	if r.o.Progress != nil && r.total.Cases%100 == 0 {
		r.o.Progress(r.total.Cases)
	}
}

// Examine compares the engines on one case; it returns nil if they agree.
func Examine(ref Reference, c *Case, o Options) *Failure {
	r := newReferee(ref, nil)
	found := r.safely(c).Difference
	if found == nil {
		return nil
	}
	return r.shrink(c, found, o.ShrinkTries)
}

// shrink removes the parts of a case that do not affect the failure; found is the
// difference before.
func (r *referee) shrink(c *Case, found *Difference, tries int) *Failure {
	least := *c
	f := &Failure{Case: c, Least: &least, SizeBefore: len(c.Input.JSON())}
	of := func(input document.Value) *Difference {
		part := *c
		if part.Input = parse(generate.Text(input)); !part.possible() { // one text, as it was sent
			return nil
		}
		return r.safely(&part).Difference
	}
	all := r.tries
	r.tries = 20 // results rarely vary; the final comparison uses the full number
	least.Input, f.Tries = Shrink(c.Input, tries, func(input document.Value) bool { return of(input) != nil })
	r.tries = all
	if f.Difference = of(least.Input); f.Difference == nil { // results vary, or the input is not possible
		least.Input, f.Difference = c.Input, found
	}
	f.SizeAfter = len(least.Input.JSON())
	return f
}

// safely compares the engines and reports a panic as a difference, since the input may have
// any form while it is shrunk.
func (r *referee) safely(c *Case) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			stack := strings.Split(string(debug.Stack()), "\n")
			const begin, frames = 7, 12 // after the frames of the panic itself
			out = outcome{Difference: &Difference{"one of the engines panics", fmt.Sprint(p), strings.Join(stack[min(begin, len(stack)):min(begin+frames, len(stack))], "\n")}}
		}
	}()
	return r.compare(c)
}
