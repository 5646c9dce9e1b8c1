package storetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// Benchmark measures writes, reads and watches of an implementation, on a store of 10,000 keys
// in 100 prefixes.
func Benchmark(b *testing.B, factory Factory) {
	for _, c := range []struct {
		name string
		run  func(b *testing.B, f *fixture)
	}{
		{"create", benchCreate},
		{"update", benchUpdate},
		{"update in parallel", benchUpdateParallel},
		{"update one key in parallel", benchUpdateContended},
		{"update without change", benchNoChange},
		{"delete and create", benchDelete},
		{"get", benchGet},
		{"list 100", func(b *testing.B, f *fixture) { benchList(b, f, "/b/42/", listOptions{}) }},
		{"list 10000", func(b *testing.B, f *fixture) { benchList(b, f, "/b/", listOptions{}) }},
		{"list a page of 500", func(b *testing.B, f *fixture) { benchList(b, f, "/b/", listOptions{Limit: 500}) }},
		{"count", benchCount},
		{"update, 1000 watchers elsewhere", func(b *testing.B, f *fixture) { benchWatched(b, f, 1000, "/b/7/") }},
		{"update, 1 watcher", func(b *testing.B, f *fixture) { benchWatched(b, f, 1, "/b/42/") }},
		{"update, 100 watchers", func(b *testing.B, f *fixture) { benchWatched(b, f, 100, "/b/42/") }},
		{"update, 1000 watchers", func(b *testing.B, f *fixture) { benchWatched(b, f, 1000, "/b/42/") }},
		{"deliver 1 event to 1000 watchers", benchDeliver},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := &fixture{TB: b, s: factory(b), ctx: context.Background()}
			for i := range 10_000 {
				f.create(benchKey(i), "0")
			}
			b.ReportAllocs()
			b.ResetTimer()
			c.run(b, f)
		})
	}
}

func benchKey(i int) string { return fmt.Sprintf("/b/%02d/object-%d", i%100, i/100) }

func benchCreate(b *testing.B, f *fixture) {
	for i := 0; b.Loop(); i++ {
		f.create(fmt.Sprintf("/b/%02d/new-%d", i%100, i), "1")
	}
}

// fresh returns an update to a value that has not been used before.
func fresh(n *atomic.Int64) store.UpdateFunc[Value] {
	return func(current store.Item[Value]) (Value, error) {
		return Value{UID: current.Value.UID, Data: fmt.Sprint(n.Add(1))}, nil
	}
}

func benchUpdate(b *testing.B, f *fixture) {
	var n atomic.Int64
	for i := 0; b.Loop(); i++ {
		f.change(benchKey(i%10_000), store.UpdateOptions{}, fresh(&n))
	}
}

func benchUpdateParallel(b *testing.B, f *fixture) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			f.change(benchKey(int(n.Load())%10_000), store.UpdateOptions{}, fresh(&n))
		}
	})
}

func benchUpdateContended(b *testing.B, f *fixture) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			f.change(benchKey(42), store.UpdateOptions{}, fresh(&n))
		}
	})
}

func benchNoChange(b *testing.B, f *fixture) {
	for b.Loop() {
		f.change(benchKey(42), store.UpdateOptions{}, func(current store.Item[Value]) (Value, error) { return current.Value, nil })
	}
}

func benchDelete(b *testing.B, f *fixture) {
	for i := 0; b.Loop(); i++ {
		f.delete(benchKey(i % 10_000))
		f.create(benchKey(i%10_000), "1")
	}
}

func benchGet(b *testing.B, f *fixture) {
	key := benchKey(4242)
	for b.Loop() {
		f.get(key)
	}
}

func benchList(b *testing.B, f *fixture, scope string, opts listOptions) {
	for b.Loop() {
		f.list(scope, opts)
	}
}

func benchCount(b *testing.B, f *fixture) {
	for b.Loop() {
		f.count("/b/42/")
	}
}

// benchWatched measures writes while watchers read as fast as they can.
func benchWatched(b *testing.B, f *fixture, watchers int, scope string) {
	for range watchers {
		w := f.watch(scope, store.WatchOptions{})
		go func() {
			for {
				if _, err := w.Next(f.ctx); err != nil {
					return
				}
			}
		}()
	}
	var n atomic.Int64
	for i := 0; b.Loop(); i++ {
		f.change(benchKey(i%100*100+42), store.UpdateOptions{}, fresh(&n))
	}
}

// benchDeliver measures the time until every watcher has received a write.
func benchDeliver(b *testing.B, f *fixture) {
	const watchers = 1000
	got := make(chan struct{}, watchers)
	for range watchers {
		w := f.watch("/b/42/", store.WatchOptions{})
		go func() {
			for {
				if _, err := w.Next(f.ctx); err != nil {
					return
				}
				got <- struct{}{}
			}
		}()
	}
	var n atomic.Int64
	for b.Loop() {
		f.change(benchKey(42), store.UpdateOptions{}, fresh(&n))
		for range watchers {
			<-got
		}
	}
}
