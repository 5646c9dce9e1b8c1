package main

import (
	_ "embed"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// endToEnd are the names of the specs of Kubernetes' end-to-end tests that need neither containers nor
// controllers other than those of 'patchlab serve', one per line. Each also passes on a
// kube-apiserver 1.36.3 with kube-controller-manager, kube-scheduler and simulated nodes.
//
//go:embed testdata/e2e.txt
var endToEnd string

// endToEndServe are the flags of the server for these specs: the controllers and plugins that a
// cluster has, roles, and nodes that are ready.
var endToEndServe = []string{
	"--authorization-mode", "RBAC", "--enable-admission-plugins", "default", "--controllers", "namespace,gc,roles,quota,serviceaccount",
	"--load", "suites/testdata/nodes.yaml",
}

// endToEnd runs the chosen specs of the end-to-end tests in one process against one server. kubectl is
// that of cmd/kubectl.
func (s *suite) endToEnd(t *target, program, folder string) (*result, error) {
	kubectl := filepath.Join(t.dir, "kubectl")
	version := "-X k8s.io/component-base/version.gitVersion=" + s.version // which one of the specs parses
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", version, "-o", kubectl, "./cmd/kubectl").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building cmd/kubectl: %w\n%s", err, out)
	}
	args := []string{
		"--provider=skeleton", "--kubectl-path=" + kubectl, "--allowed-not-ready-nodes=-1", "--disable-log-dump",
		"--e2e-verify-service-account=false", // nothing creates the ConfigMap kube-root-ca.crt
		"--ginkgo.no-color", "--ginkgo.silence-skips", "--ginkgo.timeout=" + perSuite.String(),
	}
	specs := strings.Split(strings.TrimSpace(s.chosen), "\n")
	for _, name := range specs {
		args = append(args, "--ginkgo.focus="+regexp.QuoteMeta(name)+"$")
	}
	log, err := t.startShared(program, folder, "e2e.log", endToEndServe, args...)
	if err != nil {
		return nil, err
	}
	r := &result{}
	if r.addSpecs(log.text) == 0 {
		return nil, log.withoutResults()
	}
	r.skipped = len(specs) - r.passed - len(r.failed) // and not all that were not chosen
	return r, nil
}
