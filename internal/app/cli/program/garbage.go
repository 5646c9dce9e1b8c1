package program

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// mostGarbage and leastGarbage limit the garbage that a program leaves uncollected, as a
	// percentage of the memory in use. Each collection marks all stored objects, so Go's default
	// of 100 would cost a quarter of the processor time of creating a Deployment.
	mostGarbage  = 300
	leastGarbage = 100
	// CommandGarbage and ServerGarbage limit the garbage above leastGarbage in bytes. The start of a command
	// needs so little memory that collecting it takes longer than the rest of its work. A server with many
	// objects must not take several times their memory.
	CommandGarbage = 16 << 20
	ServerGarbage  = 256 << 20
)

// A Collection makes garbage collection rarer. The nil collection has no effect.
type Collection struct {
	mu      sync.Mutex
	garbage uint64 // the bytes that may remain above leastGarbage
	percent int
	before  int
	ended   bool
}

// CollectRarely makes garbage collection rarer until end is called, with a limit in bytes. It has no effect if
// the environment variable GOGC is set.
func CollectRarely(garbage uint64) *Collection {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	c := &Collection{garbage: garbage, percent: mostGarbage, before: debug.SetGCPercent(mostGarbage)}
	afterCollection(c.adjust)
	return c
}

// Allow changes the limit in bytes, from the next collection on.
func (c *Collection) Allow(garbage uint64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.garbage = garbage
}

// adjust adapts the percentage to the memory in use. It returns false after the end.
func (c *Collection) adjust() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if wanted := garbagePercent(memoryInUse(), c.garbage); !c.ended && wanted != c.percent {
		c.percent = wanted
		debug.SetGCPercent(wanted)
	}
	return !c.ended
}

// End restores the percentage from before.
func (c *Collection) End() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	debug.SetGCPercent(c.before)
}

// garbagePercent returns the percentage for a number of bytes in use and a limit of garbage.
func garbagePercent(inUse, garbage uint64) int {
	if inUse <= garbage*100/mostGarbage {
		return mostGarbage
	}
	return max(leastGarbage, int(garbage*100/inUse))
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
