// Package startup turns garbage collection off while the packages of a program are initialized, unless GOGC is set.
// kube-apiserver's libraries allocate five megabytes then, and the two collections that this causes take a quarter of
// the time until the main function. Package cli turns garbage collection on.
//
// Only main packages import this package. Go initializes packages in the order of their paths, each after those that
// it imports (Go specification, "Program initialization"), so that this one comes before all of k8s.io.
package startup

import (
	"os"
	"runtime/debug"
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(-1)
	}
}
