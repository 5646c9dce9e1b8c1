// Command patchlab-admission is patchlab with admission and the reference engine: 'serve' runs
// CEL rules, policies and webhooks, 'run' and 'apply' CEL rules and policies, and the other
// commands that compute changes CEL rules. patchlab executes it for commands that need them.
package main

import (
	"os"

	"k8s.io/klog/v2"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/admission/podsecurity"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/linked"
	_ "github.com/patchlab-dev/patchlab/internal/app/startup" // no garbage collection before main
	"github.com/patchlab-dev/patchlab/plugins"
)

func main() { os.Exit(cli.RunLinked(commands(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// commands returns the parts that this program adds to patchlab.
func commands() program.Linked {
	return program.Linked{
		Reference: linked.Reference(),
		Admission: func(c *cluster.Config, o program.AdmissionOptions) error {
			return admission.Configure(c, admission.Options{RBAC: o.RBAC, Disabled: o.Disabled})
		},
		Plugins:  []plugins.Plugin{podsecurity.Plugin()},
		Log:      klog.SetSlogLogger,
		Policies: func(c *cluster.Config) error { return admission.Configure(c, admission.Options{NoWebhooks: true}) },
	}
}
