// Package readme contains the test that runs the commands shown in the README and the
// pages in doc/.
package readme

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands print into the pages")

// transcript is a command shown in a page, with its expected output.
type transcript struct {
	line    int
	command string
	output  string
}

// transcripts returns the commands of a page: in code blocks marked console, each line
// that begins with "$ " is a command, followed by its standard output and standard
// error.
func transcripts(page string) []transcript {
	var found []transcript
	inside := false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && strings.HasPrefix(line, "$ "):
			found = append(found, transcript{line: i + 1, command: line[2:]})
		case inside && len(found) > 0:
			found[len(found)-1].output += line + "\n"
		}
	}
	return found
}

func TestPagesShowActualOutput(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "patchlab"), "./cmd/patchlab")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(root, "doc", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append([]string{filepath.Join(root, "README.md")}, pages...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown := string(text)
		for _, s := range transcripts(shown) {
			ran++
			got := run(root, bin, s.command)
			if *update {
				shown = strings.Replace(shown, "$ "+s.command+"\n"+s.output, "$ "+s.command+"\n"+got, 1)
			} else if got != s.output {
				t.Errorf("%s:%d: %s prints\n%s\nnot\n%s", filepath.Base(page), s.line, s.command, got, s.output)
			}
		}
		if *update {
			if err := os.WriteFile(page, []byte(shown), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran == 0 {
		t.Fatal("no transcript was found")
	}
}

// run executes a shell command in the root of the repository and returns its combined
// output. A failure is not an error, because a transcript may show one.
func run(root, bin, command string) string {
	c := exec.Command("sh", "-c", strings.ReplaceAll(command, "go run ./cmd/patchlab", "patchlab"))
	c.Dir = root
	c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	_ = c.Run()
	return out.String()
}
