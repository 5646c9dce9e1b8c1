package program

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	for _, tc := range []struct {
		inUse, garbage uint64 // MiB
		want           int
	}{
		{0, 256, 300}, {10, 256, 300}, {85, 256, 300}, {128, 256, 200}, {256, 256, 100}, {1 << 20, 256, 100},
		{2, 16, 300}, {8, 16, 200}, {100, 16, 100},
	} {
		if got := garbagePercent(tc.inUse<<20, tc.garbage<<20); got != tc.want {
			t.Errorf("%d MiB in use and %d MiB of garbage: %d %%, want %d", tc.inUse, tc.garbage, got, tc.want)
		}
	}
}

func TestCollectRarely(t *testing.T) {
	before := debug.SetGCPercent(70)
	defer debug.SetGCPercent(before)
	percent := func(step string, want int) {
		t.Helper()
		got := debug.SetGCPercent(want)
		if got != want {
			t.Errorf("%s: %d %%, want %d", step, got, want)
		}
	}
	t.Setenv("GOGC", "50")
	c := CollectRarely(CommandGarbage)
	c.Allow(ServerGarbage)
	percent("with GOGC", 70)
	c.End()
	t.Setenv("GOGC", "")
	c = CollectRarely(CommandGarbage)
	percent("at the start", mostGarbage)
	runtime.GC() // without one, no memory counts as in use
	c.Allow(0)
	c.adjust()
	percent("with memory in use and no garbage allowed", leastGarbage)
	c.Allow(1 << 60)
	c.adjust()
	percent("with more garbage allowed", mostGarbage)
	c.End()
	percent("at the end", 70)
}

func TestAfterCollection(t *testing.T) {
	calls := make(chan struct{}, 10)
	afterCollection(func() bool {
		calls <- struct{}{}
		return len(calls) < 2
	})
	for deadline := time.Now().Add(time.Minute); len(calls) < 2; {
		if time.Now().After(deadline) {
			t.Fatalf("called %d times, want twice", len(calls))
		}
		runtime.GC()
	}
	runtime.GC()
	if n := len(calls); n != 2 {
		t.Errorf("called %d times, want none after it returned false", n)
	}
}
