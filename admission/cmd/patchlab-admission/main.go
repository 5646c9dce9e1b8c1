// Command patchlab-admission is patchlab with admission and the reference engine
// linked into it: 'serve' runs CEL rules, policies and webhooks, 'run' CEL rules and
// policies, 'apply' CEL rules. patchlab hands over to it where a command needs them.
package main

import (
	"os"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/reference"
)

func main() { os.Exit(cli.RunLinked(linked(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// linked is what this program has that patchlab has not.
func linked() cli.Linked {
	return cli.Linked{
		Reference: &verify.Reference{
			Merge: func() fieldmanager.Engine { return reference.Merger() },
			Patch: reference.Patch{},
		},
		Admission: func(c *cluster.Config) error { return admission.Configure(c, admission.Options{}) },
		Policies:  func(c *cluster.Config) error { return admission.Configure(c, admission.Options{NoWebhooks: true}) },
	}
}
