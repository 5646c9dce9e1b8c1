package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/admission/podsecurity"
	"github.com/patchlab-dev/patchlab/plugins"
)

// target is the server under test: the one at url, or one started by the command.
type target struct {
	command, url, token string
	// etcd is the URL of an etcd in which the command stores its objects, with a prefix
	// for each server; "" selects memory.
	etcd string
	// kube is the folder with the programs that cmd/kubeapiserver built. If it is set,
	// the target is a kube-apiserver from there.
	kube string
	dir  string
	// servers is the number of servers started on etcd.
	servers int
}

// start runs a test of a program that starts its server through the files of testdata.
func (t *target) start(s *suite, program, folder string, args ...string) (string, error) {
	var env []string
	if s.flags {
		env = []string{"SUITES_PLUGINS=" + strings.Join(plugins.Names(podsecurity.Plugin()), ",")}
	}
	return t.execute(program, folder, perTest, env, args)
}

// startShared runs a test program that finds its server through a kubeconfig, and writes its output to a log file
// with the given name. The command, if it is the target, serves with the given flags.
func (t *target) startShared(program, folder, name string, flags []string, args ...string) (log *testLog, err error) {
	config := filepath.Join(t.dir, "kubeconfig")
	url, stop := t.url, func() {}
	if url == "" {
		if url, stop, err = t.serve(flags...); err != nil {
			return nil, err
		}
	}
	defer stop()
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
		"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{"token":%q}}]}`, url, t.token)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	log = &testLog{file: filepath.Join(t.dir, name)}
	log.text, log.failed = t.execute(program, folder, perSuite, []string{"USE_EXISTING_CLUSTER=true", "KUBECONFIG=" + config}, args)
	return log, os.WriteFile(log.file, []byte(log.text), 0o644)
}

// testLog is the output of a test program, and the file that it was written to.
type testLog struct {
	text, file string
	failed     error // of the program, such as one because tests failed
}

// withoutResults returns the error for an output without the results of all tests.
func (l *testLog) withoutResults() error {
	if l.failed != nil {
		return fmt.Errorf("no results of all tests: %w, see %s", l.failed, l.file)
	}
	return fmt.Errorf("no results of all tests, see %s", l.file)
}

// serve starts the command with further flags, and returns its URL.
func (t *target) serve(flags ...string) (url string, stop func(), err error) {
	args := append([]string{"serve", "--tls", "--listen", "127.0.0.1:0", "--token", t.token}, flags...)
	if t.etcd != "" {
		t.servers++
		args = append(args, "--store", "etcd", "--etcd-endpoints", t.etcd, "--etcd-prefix", fmt.Sprintf("/shared-%d", t.servers))
	}
	c := exec.Command(t.command, args...)
	out, err := c.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	var log strings.Builder
	c.Stderr = &log
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() } // SIGKILL would leave the process of the server running
	line, _ := bufio.NewReader(out).ReadString('\n')                   // without an address, the error has what was printed
	url, found := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !found {
		stop()
		return "", nil, fmt.Errorf("%s does not serve: it printed %q, and on stderr: %s", t.command, line, log.String())
	}
	return url, stop, nil
}

func (t *target) execute(program, folder string, limit time.Duration, env, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = folder
	c.WaitDelay = time.Second
	c.Env = append(append(os.Environ(), "SUITES_COMMAND="+t.command, "SUITES_URL="+t.url, "SUITES_TOKEN="+t.token, "SUITES_ETCD="+t.etcd), env...)
	out, err := c.CombinedOutput()
	return string(out), err
}
