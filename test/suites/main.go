// Command suites runs test suites of other projects against patchlab serve or, with
// -url, against another API server, and prints a table of the results.
//
//	go run ./suites -command ../bin/patchlab
//	go run ./suites -command ../bin/patchlab -etcd /tmp/kube/bin/etcd
//	go run ./suites -kube /tmp/kube
//	go run ./suites -command ../bin/patchlab -kube /tmp/kube CLONE/internal/controller...
//	go run ./suites -url https://127.0.0.1:6443 -token secret -only controller-runtime
//
// The suites are downloaded as modules; this repository has no copies of them. The
// suites of Kubernetes start servers in the test process. The files of testdata replace
// that code (go test -overlay) and start the command, or connect to the server, for
// each test.
//
// With arguments, it runs the tests in these folders instead, which are those of packages that use
// envtest in clones of other projects: with the stand-ins of 'patchlab envtest' and, with -kube, with
// the programs of Kubernetes.
//
// A run of all suites takes half an hour on two cores, mostly for compiling Kubernetes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	home, _ := os.UserCacheDir()
	t := &target{}
	flag.StringVar(&t.command, "command", "patchlab", "the patchlab to serve with")
	flag.StringVar(&t.url, "url", "", "URL of another API server to ask instead")
	flag.StringVar(&t.token, "token", "suites", "bearer token for the server")
	etcd := flag.String("etcd", "", "program of an etcd in which the command keeps its objects, instead of in memory")
	flag.StringVar(&t.kube, "kube", "", "folder of cmd/kubeapiserver: ask a kube-apiserver of it, a new one for each suite")
	only := flag.String("only", "", "regular expression of the suites to run")
	dir := flag.String("dir", filepath.Join(home, "patchlab-suites"), "folder for the suites' modules and programs")
	flag.Parse()
	t.dir = *dir
	if err := run(t, *etcd, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func run(t *target, etcd, only string, folders []string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if t.url == "" {
		if t.command, err = filepath.Abs(t.command); err != nil {
			return err
		}
	}
	if len(folders) > 0 {
		return compareEnvtest(t, folders)
	}
	if etcd != "" {
		url, stop, err := startEtcd(etcd)
		if err != nil {
			return err
		}
		defer stop()
		t.etcd = url
	}
	if t.url == "" && t.kube == "" {
		// Fail before the suites are compiled, and not once for each test.
		_, stop, err := t.serve()
		if err != nil {
			return err
		}
		stop()
	}
	fmt.Println("| suite | tests | passed | failed | left out | failures |\n|---|---:|---:|---:|---:|---|")
	failed := 0
	for _, s := range suites {
		if !wanted.MatchString(s.name) || s.flags && (t.url != "" || t.kube != "") {
			continue
		}
		r, err := t.run(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Println(r.row(s))
		failed += len(r.unexpected(s))
	}
	if failed > 0 {
		return fmt.Errorf("%d unexpected failures", failed)
	}
	return nil
}
