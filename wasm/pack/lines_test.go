package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProgramRunsWithoutLines runs a program that collects garbage, grows its stack and recovers from
// a panic, for which the runtime reads the tables that stay.
func TestProgramRunsWithoutLines(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the program needs Node.js: ", err)
	}
	name := build(t)
	support := filepath.Join(strings.TrimSpace(output(t, exec.Command("go", "env", "GOROOT"))), "lib/wasm/wasm_exec_node.js")
	before := output(t, exec.Command(node, "--stack-size=8192", support, name))
	if !strings.Contains(before, "main.fail") || !strings.Contains(before, "main.go:") {
		t.Fatalf("the program prints %s", before)
	}
	if err := run(name); err != nil {
		t.Fatal(err)
	}
	after := output(t, exec.Command(node, "--stack-size=8192", support, name))
	if strings.Contains(after, ".go") || !strings.Contains(after, "main.fail") {
		t.Errorf("the stack trace has lines, or no functions: %s", after)
	}
	if want, got := functions(before), functions(after); want != got || !strings.Contains(got, "panic(") {
		t.Errorf("the stack trace was\n%sand is\n%s", want, got)
	}
	for _, want := range []string{
		"sum 200010000\n", "goroutines 2\n", "deferred\n", "recovered runtime error: invalid memory address",
		"recovered value method main.node.String called using nil *node pointer\n",
	} {
		if !strings.Contains(before, want) || !strings.Contains(after, want) {
			t.Errorf("%q is not printed before or after: %s\n%s", want, before, after)
		}
	}
}

// addresses are the arguments of functions in a stack trace.
var addresses = regexp.MustCompile(`\(.*\)$`)

// functions returns the lines of a stack trace with functions, without their arguments.
func functions(trace string) string {
	var b strings.Builder
	for line := range strings.Lines(trace) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ")") {
			b.WriteString(addresses.ReplaceAllString(line, "()") + "\n")
		}
	}
	return b.String()
}

// TestHiddenNames: the runtime's own functions that stack traces show or that the runtime needs keep their names.
func TestHiddenNames(t *testing.T) {
	for name, want := range map[string]bool{
		"runtime.mallocgc": true, "runtime.(*mheap).alloc": true, "runtime.(*mheap).alloc.func1": true, "runtime._LostContendedRuntimeLock": true,
		"runtime.gopanic": false, "runtime.gcenable.gowrap1": false, "runtime.forcegchelper": false, "runtime.GC": false, "runtime.(*errorString).Error": false, "runtime.(*Func).Name": false,
		"main.fail": false, "runtime/debug.freeOSMemory": false, "internal/runtime/maps.fatal": false, "runtime.": false, "": false,
	} {
		if got := isHidden(name); got != want {
			t.Errorf("%s: hidden is %t, want %t", name, got, want)
		}
	}
}

func TestLinesStayInAnotherLayout(t *testing.T) {
	module, err := os.ReadFile(build(t))
	if err != nil {
		t.Fatal(err)
	}
	packed := func(module []byte) (out []byte, notes string) {
		t.Helper()
		var b bytes.Buffer
		out, err := pack(module, &b)
		if err != nil {
			t.Fatal(err)
		}
		return out, b.String()
	}
	once, notes := packed(module)
	if again, _ := packed(once); notes != "" || !bytes.Equal(once, again) {
		t.Errorf("packed again, the module is another; notes %q", notes)
	}
	header := bytes.Index(once, []byte(tableMagic))
	for _, test := range []struct {
		why string
		at  int
	}{
		{"another version of the table", 0},
		{"another size of pointers", 7},
		{"more functions than there are", 8 + 2},
		{"names that start elsewhere", 8 + 3*8},
		{"functions that start elsewhere", 8 + 7*8},
	} {
		changed := bytes.Clone(once)
		changed[header+test.at] ^= 0x40
		got, notes := packed(changed)
		if !bytes.Equal(got, changed) || !strings.Contains(notes, errUnknownLayout.Error()) {
			t.Errorf("%s: the module was changed, or there is no note: %q", test.why, notes)
		}
	}
}

// build builds the program in testdata as build.sh builds the engines.
func build(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace.wasm")
	c := exec.Command("go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags", "-s -w -buildid=", "-o", name, "./testdata/trace")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	output(t, c)
	return name
}

func output(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", c.Args, err, out)
	}
	return string(out)
}
