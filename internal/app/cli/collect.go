package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// mostGarbage and leastGarbage limit the garbage that a server leaves uncollected, as a
	// percentage of the memory in use. Each collection marks all stored objects, so Go's default
	// of 100 would cost a quarter of the processor time of creating a Deployment.
	mostGarbage  = 300
	leastGarbage = 100
	// garbageBytes limits the garbage above leastGarbage, so that a server with many objects
	// does not take several times their memory.
	garbageBytes = 256 << 20
)

// collectRarely makes garbage collection rarer until restore is called. It has no effect if
// the environment variable GOGC is set.
func collectRarely() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	var mu sync.Mutex
	stopped, percent := false, mostGarbage
	before := debug.SetGCPercent(percent)
	afterCollection(func() (again bool) {
		mu.Lock()
		defer mu.Unlock()
		if wanted := garbagePercent(memoryInUse()); !stopped && wanted != percent {
			percent = wanted
			debug.SetGCPercent(percent)
		}
		return !stopped
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		debug.SetGCPercent(before)
	}
}

// garbagePercent returns the percentage for a number of bytes in use.
func garbagePercent(inUse uint64) int {
	if inUse <= garbageBytes*100/mostGarbage {
		return mostGarbage
	}
	return max(leastGarbage, int(garbageBytes*100/inUse))
}

// memoryInUse returns the bytes of the heap that were in use at the last collection.
func memoryInUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterCollection calls f after each garbage collection until it returns false.
func afterCollection(f func() (again bool)) {
	garbage := new(*byte) // a small object without a pointer may be collected late
	runtime.AddCleanup(garbage, func(f func() bool) {
		if f() {
			afterCollection(f)
		}
	}, f)
}
