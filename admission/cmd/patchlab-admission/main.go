// Command patchlab-admission is patchlab with admission and the reference engine
// linked into it: 'serve' runs CEL rules, policies and webhooks, 'run' CEL rules and
// policies, 'apply' CEL rules. patchlab hands over to it where a command needs them.
package main

import (
	"os"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli"
	"github.com/patchlab-dev/patchlab/internal/app/linked"
)

func main() { os.Exit(cli.RunLinked(commands(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// commands returns what is linked into this program in addition to patchlab.
func commands() cli.Linked {
	return cli.Linked{
		Reference: linked.Reference(),
		Admission: func(c *cluster.Config) error { return admission.Configure(c, admission.Options{}) },
		Policies:  func(c *cluster.Config) error { return admission.Configure(c, admission.Options{NoWebhooks: true}) },
	}
}
