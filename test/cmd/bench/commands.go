package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// A command is a program whose start and execution are measured repeatedly.
type command struct {
	name   string
	args   []string
	user   float64 // milliseconds, total
	system float64
	rss    []float64 // resident memory of each start, in MB
	starts int
}

func (c *command) cpu() float64 { return (c.user + c.system) / float64(c.starts) }

// measureCommands runs patchlab apply, patchlab-reference apply and kubectl patch
// --local alternately, with one Deployment and one patch.
func measureCommands(dir string, starts int) ([]*command, error) {
	for _, b := range []struct{ dir, pkg, name string }{
		{"..", "./cmd/patchlab", "patchlab"}, {"..", "./cmd/patchlab-reference", "patchlab-reference"}, {".", "./cmd/kubectl", "kubectl"},
	} {
		c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, b.name), b.pkg)
		c.Dir, c.Stderr = b.dir, os.Stderr
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("building %s: %w", b.name, err)
		}
	}
	change := filepath.Join(dir, "patch.json")
	if err := os.WriteFile(change, []byte(`{"spec":{"replicas":5}}`), 0o600); err != nil {
		return nil, err
	}
	const live = "../testdata/bench/deployment.json"
	commands := []*command{
		{name: "patchlab apply", args: []string{filepath.Join(dir, "patchlab"), "apply", live, change, "--type", "strategic"}},
		{name: "patchlab-reference apply", args: []string{filepath.Join(dir, "patchlab-reference"), "apply", live, change, "--type", "strategic"}},
		{name: "patchlab-reference apply --engine reference", args: []string{filepath.Join(dir, "patchlab-reference"), "apply", live, change, "--type", "strategic", "--engine", "reference"}},
		{name: "kubectl patch --local", args: []string{filepath.Join(dir, "kubectl"), "patch", "--local", "-f", live, "--type", "strategic", "--patch-file", change, "-o", "yaml"}},
	}
	for range starts {
		for _, c := range commands {
			if err := c.start(); err != nil {
				return nil, err
			}
		}
	}
	return commands, nil
}

func (c *command) start() error {
	p := exec.Command(c.args[0], c.args[1:]...)
	if out, err := p.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c.name, err, out)
	}
	u := p.ProcessState.SysUsage().(*syscall.Rusage)
	c.user += float64(u.Utime.Nano()) / 1e6
	c.system += float64(u.Stime.Nano()) / 1e6
	c.rss = append(c.rss, float64(u.Maxrss)/1024)
	c.starts++
	return nil
}
