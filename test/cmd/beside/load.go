package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
)

// outcome is the result of one side under load.
type outcome struct {
	side           *side
	writes, events int64
	write, event   latencies
	// processor is the user and system time of the server.
	processor time.Duration
	// before and most are the memory in MiB before the load and at its maximum.
	before, most int
	// wrong counts the watchers whose events differ from the writes.
	wrong int
}

// load writes to each side in turn while watchers watch it, and prints the results. It fails
// if a watcher missed an event or received one twice, or if memory exceeded the limit.
func load(ctx context.Context, o *options, sides []*side) error {
	var outcomes []*outcome
	for _, s := range sides {
		fmt.Fprintf(os.Stderr, "%s: %d writers and %d watchers for %s\n", s.name, o.writers, o.watchers, o.duration)
		out, err := loadOne(ctx, o, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		outcomes = append(outcomes, out)
	}
	fmt.Printf("%d writers and %d watchers over %d namespaces for %s\n\n", o.writers, o.watchers, o.groups, o.duration)
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "SERVER\tWRITES/S\tWRITE P50\tP99\tEVENTS/S\tEVENT P50\tP99\tPROCESSORS\tMIB BEFORE\tAT MOST\tWATCHERS MISLED")
	var failed error
	for _, r := range outcomes {
		seconds := o.duration.Seconds()
		_, _ = fmt.Fprintf(t, "%s\t%.0f\t%s\t%s\t%.0f\t%s\t%s\t%.1f\t%d\t%d\t%d\n", r.side.name, float64(r.writes)/seconds, r.write.at(0.5), r.write.at(0.99),
			float64(r.events)/seconds, r.event.at(0.5), r.event.at(0.99), r.processor.Seconds()/seconds, r.before, r.most, r.wrong)
		if r.wrong > 0 {
			failed = fmt.Errorf("%s: %d of %d watchers did not receive exactly the writes", r.side.name, r.wrong, o.watchers)
		}
		if r.side.end != nil && r.most > o.memory {
			failed = fmt.Errorf("%s used %d MiB, at most %d are allowed", r.side.name, r.most, o.memory)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return failed
}

// group is a namespace with the resourceVersions written in it, in ascending order, and
// the time at which each write was sent.
type group struct {
	namespace, from string
	mu              sync.Mutex
	sent            map[string]time.Time // by the object's number
	versions        []uint64
}

func loadOne(ctx context.Context, o *options, s *side) (*outcome, error) {
	out := &outcome{side: s, before: s.memory("VmRSS")}
	c := newWire(s)
	groups := make([]*group, o.groups)
	for i := range groups {
		namespace, err := s.namespace(ctx)
		if err != nil {
			return nil, err
		}
		groups[i] = &group{namespace: namespace, sent: map[string]time.Time{}}
		defer func() {
			if err := s.empty(ctx, namespace); err != nil {
				fmt.Fprintln(os.Stderr, "beside:", err)
			}
		}()
	}
	for i := range o.writers {
		g := groups[i%len(groups)]
		version, err := c.write(ctx, "POST", g.namespace, "", fmt.Sprintf("w%d", i), "0")
		if err != nil {
			return nil, err
		}
		g.from = fmt.Sprint(version)
	}
	watchers, err := openWatches(ctx, c, o, groups)
	if err != nil {
		return nil, err
	}
	processor := s.processorTime()
	if err := writeAll(ctx, c, o, groups, out); err != nil {
		return nil, err
	}
	var finished sync.WaitGroup
	for _, w := range watchers {
		finished.Go(w.finish)
	}
	finished.Wait()
	out.processor = s.processorTime() - processor
	for _, w := range watchers {
		out.events += int64(len(w.versions))
		out.event = append(out.event, w.took...)
		if !slices.Equal(w.versions, w.group.versions) {
			out.wrong++
		}
	}
	out.most = s.memory("VmHWM")
	slices.Sort(out.event)
	slices.Sort(out.write)
	return out, nil
}

// writeAll runs the writers. Each updates its own object as fast as the server
// responds.
func writeAll(ctx context.Context, c *wire, o *options, groups []*group, out *outcome) error {
	var writes atomic.Int64
	var mu sync.Mutex
	began := time.Now()
	work, ctx := errgroup.WithContext(ctx)
	for i := range o.writers {
		work.Go(func() error {
			g, own := groups[i%len(groups)], latencies{}
			for n := 1; time.Since(began) < o.duration && ctx.Err() == nil; n++ {
				number, start := fmt.Sprintf("%d.%d", i, n), time.Now()
				g.note(number, start)
				version, err := c.write(ctx, "PUT", g.namespace, fmt.Sprintf("/w%d", i), fmt.Sprintf("w%d", i), number)
				if err != nil {
					return err
				}
				own = append(own, time.Since(start))
				g.wrote(version)
				writes.Add(1)
			}
			mu.Lock()
			defer mu.Unlock()
			out.write = append(out.write, own...)
			return nil
		})
	}
	err := work.Wait()
	out.writes = writes.Load()
	for _, g := range groups {
		slices.Sort(g.versions)
	}
	return err
}

func (g *group) note(number string, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent[number] = at
}

func (g *group) wrote(version uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.versions = append(g.versions, version)
}

func (g *group) sentAt(number string) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sent[number]
}

// openWatches opens all watches. Each starts at the resourceVersion before the
// namespace's first measured write.
func openWatches(ctx context.Context, c *wire, o *options, groups []*group) ([]*watcher, error) {
	watchers := make([]*watcher, o.watchers)
	var work errgroup.Group
	work.SetLimit(50)
	for i := range watchers {
		work.Go(func() error {
			w, err := c.watch(ctx, groups[i%len(groups)])
			watchers[i] = w
			return err
		})
	}
	return watchers, work.Wait()
}

// latencies are sorted durations.
type latencies []time.Duration

// at returns the given quantile.
func (l latencies) at(part float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(int(part*float64(len(l))), len(l)-1)].Round(100 * time.Microsecond)
}
