package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	for inUse, want := range map[uint64]int{
		0: 300, 10 << 20: 300, 85 << 20: 300, 128 << 20: 200, 256 << 20: 100, 1 << 40: 100,
	} {
		if got := garbagePercent(inUse); got != want {
			t.Errorf("%d MiB in use: %d %%, want %d", inUse>>20, got, want)
		}
	}
}

func TestCollectRarely(t *testing.T) {
	before := debug.SetGCPercent(70)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "50")
	collectRarely()()
	if got := debug.SetGCPercent(70); got != 70 {
		t.Errorf("with GOGC: %d %%, want it unchanged", got)
	}
	t.Setenv("GOGC", "")
	restore := collectRarely()
	if got := debug.SetGCPercent(mostGarbage); got != mostGarbage {
		t.Errorf("while serving: %d %%, want %d", got, mostGarbage)
	}
	restore()
	if got := debug.SetGCPercent(70); got != 70 {
		t.Errorf("after serving: %d %%, want the 70 from before", got)
	}
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
