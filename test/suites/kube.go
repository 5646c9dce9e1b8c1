package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// run runs a suite against the target. On a real kube-apiserver, objects left by one
// suite would break the next, so each suite gets a new server.
func (t *target) run(s *suite) (*result, error) {
	if t.kube == "" {
		return s.run(t)
	}
	stop, err := t.startKube(s)
	if err != nil {
		return nil, err
	}
	defer func() { stop() }() // the last server
	r, err := s.run(t)
	if err != nil || !s.ownServers {
		return r, err
	}
	// These tests expect a new server each. A failed test is repeated on one, because
	// it may have met objects of another test.
	for _, name := range r.failed {
		stop()
		stop = func() {}
		next, err := t.startKube(s)
		if err != nil {
			return nil, err
		}
		stop = next
		again, err := s.alone(t, name)
		if err != nil {
			return nil, err
		}
		r.replace(name, again)
	}
	return r, nil
}

// startKube starts a kube-apiserver and its etcd with empty storage, as the suite needs it,
// and makes it the target.
func (t *target) startKube(s *suite) (stop func(), err error) {
	program := filepath.Join(t.dir, "kubeapiserver")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/kubeapiserver").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building cmd/kubeapiserver: %w\n%s", err, out)
	}
	args := []string{"-dir", t.kube, "-serve"}
	if s.anyNamespace {
		args = append(args, "-recorded")
	}
	c := exec.Command(program, args...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	stop = func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("kubeapiserver printed %q: %w", line, err)
	}
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "PATCHLAB_TEST_SERVER":
			t.url = value
		case "PATCHLAB_TEST_TOKEN":
			t.token = value
		}
	}
	return stop, nil
}
