// Command kubeapiserver builds a real kube-apiserver and etcd from their Go modules,
// for tests and benchmarks that compare with them:
//
//	go run ./cmd/kubeapiserver -dir /tmp/kube
//	KUBEBUILDER_ASSETS=/tmp/kube/bin go test ./operator
//
// -kubernetes names another version than that of the recordings, which needs another folder.
// With -serve it then runs both on the loopback interface until it is interrupted, and
// prints the environment variables for other tests. With -recorded as well, admission
// plugins are off, as in the recordings of testdata/conformance and testdata/invalid; with -hooks
// too, those for webhooks and policies are on, as in testdata/admission. With
// -accounts instead, ServiceAccount is on. With -extensions, extension API servers can authenticate requests that
// kube-apiserver forwards. With -controllers, a kube-controller-manager runs these
// controllers. Run it in the folder test. The first build downloads about 300 MB of modules and
// takes some ten minutes on two cores; existing binaries are not rebuilt.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// The versions to build: kube-apiserver in that of the recordings unless another is asked
// for, etcd in that of store/etcd.
const (
	recordedVersion = "v1.36.3"
	etcd            = "v3.7.3"
)

func main() {
	kubernetes := flag.String("kubernetes", recordedVersion, "the version of kube-apiserver")
	dir := flag.String("dir", "", "folder to build in; the binaries are in bin (default kube-`version` in the folder for temporary files)")
	serve := flag.Bool("serve", false, "run etcd and kube-apiserver until interrupted")
	recorded := flag.Bool("recorded", false, "with -serve: disable admission plugins, as in the recordings")
	hooks := flag.Bool("hooks", false, "with -recorded: enable the admission plugins for webhooks and policies")
	accounts := flag.Bool("accounts", false, "with -serve: enable the admission plugin ServiceAccount; no controller creates accounts")
	extensions := flag.Bool("extensions", false, "with -serve: send requests to extension API servers with a client certificate, whose authority they can read")
	controllers := flag.String("controllers", "", "with -serve: `controllers` that a kube-controller-manager runs, separated by commas; none runs without")
	ranges := flag.String("ranges", "10.0.0.0/24", "with -serve: the `range` of cluster IPs, or one of each IP family, separated by a comma")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if *dir == "" {
		*dir = filepath.Join(os.TempDir(), "kube-"+*kubernetes)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, *kubernetes, *serve, options{*recorded, *hooks, *accounts, *extensions, *controllers, *ranges}); err != nil {
		fmt.Fprintln(os.Stderr, "kubeapiserver:", err)
		os.Exit(1)
	}
}

// options are the values of the flags that determine how the servers run.
type options struct {
	recorded, hooks, accounts, extensions bool
	controllers, ranges                   string
}

func run(ctx context.Context, dir, kubernetes string, serve bool, o options) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := build(ctx, dir, kubernetes, o.controllers != ""); err != nil {
		return err
	}
	if !serve {
		fmt.Println("KUBEBUILDER_ASSETS=" + filepath.Join(dir, "bin"))
		return nil
	}
	return runServers(ctx, dir, o)
}
