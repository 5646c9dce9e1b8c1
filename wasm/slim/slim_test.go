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
	node, name := builtProgram(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
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

// builtProgram returns Node's path and the small program as the linker writes it.
func builtProgram(t *testing.T) (node, name string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed (apt-get install nodejs)")
	}
	name = filepath.Join(t.TempDir(), "program.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "./testdata/program")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return node, name
}

// TestStartPutsAllBack compares the memory of the program as it is with that of the
// program whose tables are put back when it is instantiated, all of it.
func TestStartPutsAllBack(t *testing.T) {
	node, name := builtProgram(t)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	table, err := findTable(m.image)
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(m.image)
	if err := m.moveToStart(table); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(m.image, []byte{0}) < bytes.Count(before, []byte{0})+10000 {
		t.Error("next to nothing was taken away")
	}
	other := name + ".start"
	if err := os.WriteFile(other, m.encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	const compare = `
const memory = (file) => {
  const module = new WebAssembly.Module(require("node:fs").readFileSync(file)), imports = {}
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => {}
  return Buffer.from(new WebAssembly.Instance(module, imports).exports.mem.buffer)
}
const [a, b] = process.argv.slice(1).map(memory), at = a.findIndex((byte, i) => byte !== b[i])
if (a.length !== b.length || at >= 0) { console.log("other from address " + at); process.exit(1) }`
	if out, err := exec.Command(node, "-e", compare, name, other).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
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
