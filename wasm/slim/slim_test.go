package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSlimModuleDoesTheSame builds a small program, runs it under Node as it is
// and slimmed, and compares what it prints: with panics recovered, goroutines and
// garbage collections, which all read the tables that are left.
func TestSlimModuleDoesTheSame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed (apt-get install nodejs)")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "program.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "./testdata/program")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	printed := func() string {
		out, err := exec.Command(node, "--stack-size=8192", filepath.Join(string(bytes.TrimSpace(root)), "lib/wasm/wasm_exec_node.js"), name).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	size := func() int64 {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	want, before := printed(), size()
	if err := run(name); err != nil {
		t.Fatal(err)
	}
	if got := printed(); got != want || want == "" {
		t.Errorf("slimmed it prints\n%s\nbefore\n%s", got, want)
	}
	if size() == before {
		t.Error("nothing has changed")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("main.aFunctionWithALongName")) || bytes.Contains(data, []byte("program/main.go")) {
		t.Error("names are left")
	}
}

func TestWhatIsNoModuleIsRefused(t *testing.T) {
	for _, c := range []struct {
		data, why string
		want      error
	}{
		{"", "nothing", errModule},
		{"\x00asm\x01\x00\x00\x00", "no sections", errModule},
		{"\x00asm\x01\x00\x00\x00\x0b\xff\xff\xff\xff\x0f", "a section longer than the file", errModule},
		{"\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x08\x0b\x01x", "no function table", errTable},
	} {
		name := filepath.Join(t.TempDir(), "m.wasm")
		if err := os.WriteFile(name, []byte(c.data), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(name); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.why, err, c.want)
		}
		if left, _ := os.ReadFile(name); string(left) != c.data {
			t.Errorf("%s: the file was changed", c.why)
		}
	}
}
