// Command patchlab-reference is patchlab with the reference engine: the libraries that
// kube-apiserver and kubectl use. patchlab executes it for 'patchlab verify' and for '--engine
// reference'.
package main

import (
	"os"

	"github.com/patchlab-dev/patchlab/internal/app/cli"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/linked"
)

func main() {
	os.Exit(cli.RunLinked(program.Linked{Reference: linked.Reference()}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
