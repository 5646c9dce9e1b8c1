// Command patchlab shows what Kubernetes does with a change to an object, without a cluster.
package main

import (
	"os"

	"github.com/patchlab-dev/patchlab/internal/app/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
