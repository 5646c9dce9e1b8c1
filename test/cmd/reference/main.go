// Command reference writes the pages in doc/cli and the manual pages in doc/cli/man from
// patchlab's commands:
//
//	cd test && go run ./cmd/reference
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/patchlab-dev/patchlab/internal/app/cli"
)

func main() {
	folder := flag.String("folder", "../doc/cli", "folder to write to")
	flag.Parse()
	if err := write(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	files, err := pages()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages returns the reference pages by file name.
func pages() (map[string][]byte, error) {
	root := cli.Command()
	root.DisableAutoGenTag = true // the tag has the date
	files := map[string][]byte{}
	index := &bytes.Buffer{}
	fmt.Fprintf(index, "# Commands\n\n%s.\n\nWritten by `cd test && go run ./cmd/reference` from the commands' own help. Manual pages are in [man](man).\n"+
		"If the program is on the PATH as `kubectl-patchlab`, all commands also work as `kubectl patchlab …`; kubectl\n"+
		"completes them if it is there as `kubectl_complete-patchlab` too. `patchlab completion bash|zsh|fish|powershell` prints the completion of a shell.\n\n| command | what it does |\n|---|---|\n", root.Short)
	err := walk(root, func(c *cobra.Command) error {
		name := strings.ReplaceAll(c.CommandPath(), " ", "_")
		c.Long = asCode(c.Long)
		var page, manual bytes.Buffer
		if err := doc.GenMarkdown(c, &page); err != nil {
			return err
		}
		files[name+".md"] = page.Bytes()
		if err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "patchlab", Manual: "patchlab"}, &manual); err != nil {
			return err
		}
		files[filepath.Join("man", strings.ReplaceAll(name, "_", "-")+".1")] = withoutDate(manual.Bytes())
		fmt.Fprintf(index, "| [%s](%s.md) | %s |\n", c.CommandPath(), name, c.Short)
		return nil
	})
	files["README.md"] = index.Bytes()
	return files, err
}

// asCode formats the indented lines of a help text, such as lists of exit codes, as
// code. Markdown would join them into a paragraph.
func asCode(text string) string {
	var b strings.Builder
	before := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") {
			if strings.TrimSpace(before) != "" && !strings.HasPrefix(before, "  ") {
				b.WriteString("\n")
			}
			b.WriteString("  ")
		}
		b.WriteString(line)
		before = line
	}
	return b.String()
}

// walk calls f for a command and its visible subcommands.
func walk(c *cobra.Command, f func(*cobra.Command) error) error {
	if err := f(c); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := walk(sub, f); err != nil {
			return err
		}
	}
	return nil
}

// heading matches the first line of a manual page, which has the date of generation.
var heading = regexp.MustCompile(`(?m)^(\.TH "[^"]*" "1") "[^"]*"`)

func withoutDate(page []byte) []byte { return heading.ReplaceAll(page, []byte(`$1 ""`)) }
