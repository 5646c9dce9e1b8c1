package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab"
)

// TestMarkdownSummaryFitsIntoAComment: whatever the number and the size of the changes, GitHub takes the summary, what
// is most important is in it, and what is left out is counted.
func TestMarkdownSummaryFitsIntoAComment(t *testing.T) {
	rows := func(n int, o outcome, detail func(int) string) (rows []row) {
		for i := range n {
			rows = append(rows, row{target: patchlab.Target{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: o.String() + strconv.Itoa(i)}, outcome: o, detail: detail(i)})
		}
		return rows
	}
	none := func(int) string { return "" }
	same := func(int) string { return "-a\n+b\n" }
	each := func(i int) string { return fmt.Sprintf("-a: %d\n+a: %d\n", i, i+1) }
	large := func(i int) string { return fmt.Sprintf("-a: %d\n", i) + strings.Repeat("+b: 1\n", 20_000) }
	line := func(int) string { return strings.Repeat("ü", 70_000) }
	// alike returns the row of an object with another diff but the same change as the others.
	alike := func(rows []row) []row {
		for i := range rows {
			rows[i].change = "a"
		}
		return rows
	}
	// compact returns rows with diffs that do not fit, and short ones that do.
	compact := func(rows []row) []row {
		for i := range rows {
			rows[i].short = fmt.Sprintf("- .a: %d\n", i)
		}
		return rows
	}
	medium := func(i int) string { return fmt.Sprintf("-a: %d\n", i) + strings.Repeat("+b: 1\n", 300) }
	texts := func(n int, text string) (texts []string) {
		for i := range n {
			texts = append(texts, fmt.Sprint(text, i))
		}
		return texts
	}
	// of returns rows about objects of a kind, with changes that those of other kinds do not have.
	of := func(version, kind string, rows []row) []row {
		for i := range rows {
			rows[i].target.APIVersion, rows[i].target.Kind, rows[i].change = version, kind, kind+rows[i].detail
		}
		return rows
	}
	onlyMetadata := func(rows []row) []row {
		for i := range rows {
			rows[i].metadataOnly = true
		}
		return rows
	}
	for _, c := range []struct {
		why     string
		summary summary
		want    []string // in this order
	}{
		{"2,000 changes, and a few of each other outcome after them", summary{rows: append(append(append(rows(2000, changed, each), rows(2, removed, none)...), rows(1, conflicting, each)...), rows(2, refused, each)...)},
			[]string{"| ConfigMap refused0 ", "| ConfigMap refused1 ", "| ConfigMap conflict0 ", "| ConfigMap removed1 ", "| ConfigMap changed0 ", "<summary>1965 more objects</summary>\n\n| object | result |\n|---|---|\n| ConfigMap changed35 ", " more objects are not listed, to fit into a comment: 1", " changed.\n\n</details>\n",
				"<summary>ConfigMap refused1 in namespace shop: refused</summary>", "<summary>ConfigMap conflict0 ", "<summary>ConfigMap changed0 ", "diffs and messages are omitted, to fit into a comment; `patchlab diff` prints all.\n"}},
		{"2,000 changes of the same label", summary{rows: rows(2000, changed, same)}, []string{"<summary>2000 objects: changed in the same way</summary>\n\n- ConfigMap changed0 ", "- ConfigMap changed19 ", "- and 1980 more\n\n```diff\n-a\n+b\n```\n"}},
		{"2,000 changes of the same label in different diffs", summary{rows: alike(rows(2000, changed, each))}, []string{"<summary>2000 objects: changed in the same way</summary>", "- and 1980 more\n\n```diff\n-a: 0\n+a: 1\n```\n"}},
		{"changes and messages of medium size are shortened so that all fit", summary{rows: append(rows(30, changed, medium), rows(3, refused, medium)...)},
			[]string{"<summary>ConfigMap refused0 ", "+b: 1\n```\n\n</details>", "<summary>ConfigMap refused2 ", "+b: 1\n```\n\n</details>", "<summary>ConfigMap changed0 ", "-a: 0\n+b: 1\n", "```\n\nThe rest is omitted", "<summary>ConfigMap changed29 ", "-a: 29\n+b: 1\n"}},
		{"large changes before small ones do not displace them", summary{rows: append(rows(80, changed, large), rows(1, created, each)...)},
			[]string{"<summary>ConfigMap changed0 ", "The rest is omitted", "<summary>ConfigMap created0 ", "-a: 0\n+a: 1\n```\n\n</details>", "diffs and messages are omitted"}},
		{"a shorter form of what does not fit", summary{rows: compact(rows(50, changed, large))},
			[]string{"<summary>ConfigMap changed0 ", "```diff\n- .a: 0\n```\n\n</details>", "<summary>ConfigMap changed49 ", "```diff\n- .a: 49\n```\n\n</details>"}},
		{"one outcome that is not listed at all", summary{rows: append(rows(1000, refused, same), rows(1000, created, none)...)}, []string{" more objects are not listed, to fit into a comment: ", " refused, 1000 created.\n"}},
		{"large changes do not displace the others", summary{rows: append(rows(2, changed, large), rows(1, changed, each)...)},
			[]string{"<summary>ConfigMap changed0 ", "+b: 1\n```\n\nThe rest is omitted, to fit into a comment; `patchlab diff` prints all.\n\n</details>", "<summary>ConfigMap changed1 ", "-a: 0\n+a: 1\n```\n\n</details>"}},
		{"the diffs of workloads are those that a reader must not miss, and those of labels the least", summary{rows: slices.Concat(
			onlyMetadata(of("apps/v1", "StatefulSet", rows(500, changed, each))), of("apiextensions.k8s.io/v1", "CustomResourceDefinition", rows(40, changed, medium)), rows(40, changed, medium),
			of("v1", "Service", rows(1, changed, medium)), of("apps/v1", "Deployment", rows(1, added, medium)), of("apps/v1", "Deployment", rows(2, changed, medium)), of("batch/v1", "Job", rows(1, refused, medium)))},
			[]string{"| Job.batch refused0 in namespace shop | refused |\n| Deployment.apps changed0 in namespace shop | changed |\n| Deployment.apps changed1 in namespace shop | changed |\n| Service changed0 in namespace shop | changed |\n| CustomResourceDefinition.apiextensions.k8s.io changed0 ",
				"<summary>Job.batch refused0 ", "<summary>Deployment.apps changed0 ", "+b: 1\n```\n\n</details>", "<summary>Deployment.apps changed1 ", "+b: 1\n```\n\n</details>", "<summary>Deployment.apps added0 ", "+b: 1\n```\n\n</details>",
				"<summary>Service changed0 ", "+b: 1\n```\n\n</details>", "<summary>CustomResourceDefinition.apiextensions.k8s.io changed0 ", "The rest is omitted", "<summary>ConfigMap changed0 ", "The rest is omitted", "diffs and messages are omitted"}},
		{"a long line", summary{rows: rows(1, changed, line)}, []string{"```diff\nüü", "ü\n```\n\nThe rest is omitted"}},
		{"many warnings and notes", summary{warned: texts(2000, "warning "), notes: append(texts(2000, "note "), strings.Repeat("x", 70_000)), rows: rows(3, changed, each)},
			[]string{"| ConfigMap changed2 ", "\n:warning: warning 0\n", " more warnings are not listed, to fit into a comment.\n", "<summary>2001 notes</summary>\n\n- note 0\n", " more lines are omitted, to fit into a comment.\n\n</details>", "<summary>ConfigMap changed2 "}},
		{"a note with many lines leaves room for the others", summary{notes: []string{"kinds:\n  " + strings.Join(texts(2000, "K"), "\n  "), "another"}}, []string{"- kinds:\n  - K0\n  - K1\n", "- another\n", " more lines are omitted"}},
		{"a few more rows than are shown", summary{rows: rows(50, added, none)}, []string{"|---|---|\n| ConfigMap added0 ", "| ConfigMap added40 in namespace shop | added |\n| ConfigMap added41 "}},
		{"more rows", summary{rows: rows(51, added, none)}, []string{"| ConfigMap added39 in namespace shop | added |\n\n<details><summary>11 more objects</summary>\n\n| object | result |\n|---|---|\n| ConfigMap added40 ", "| ConfigMap added50 in namespace shop | added |\n\n</details>\n"}},
		{"nothing has changed", summary{rows: rows(3, unchanged, none)}, []string{"**patchlab**: 0 objects\n"}},
	} {
		c.summary.app, c.summary.details = &App{}, "patchlab diff"
		text := c.summary.markdown()
		if n := utf8.RuneCountInString(text); n > 65_536 || len(text) > maxComment || !utf8.ValidString(text) {
			t.Errorf("%s: the summary has %d characters in %d bytes, more than a comment can have", c.why, n, len(text))
		}
		rest := text
		for _, want := range c.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: the summary lacks %q, or has it in another place", c.why, want)
				continue
			}
			rest = after
		}
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") || strings.Count(text, "```")%2 != 0 {
			t.Errorf("%s: an element is not closed", c.why)
		}
	}
}

// TestMarkdownSummaryOfLargeObjects checks the summary of the command.
func TestMarkdownSummaryOfLargeObjects(t *testing.T) {
	var manifests strings.Builder
	for i := range 20 {
		size := 10
		if i == 3 {
			size = 70_000
		}
		fmt.Fprintf(&manifests, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata: {k: %s}\n", i, strings.Repeat("x", size))
	}
	var out, errOut bytes.Buffer
	if code := Run([]string{"apply", "-f", "-", "--summary", "markdown"}, strings.NewReader(manifests.String()), &out, &errOut); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	for _, want := range []string{"| ConfigMap c19 in namespace default | created |", "<summary>ConfigMap c3 in namespace default: created</summary>", "`patchlab apply --filename=CONFIG -o diff` prints all.", "<summary>ConfigMap c19 in namespace default: created</summary>"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	if out.Len() > 64_000 {
		t.Errorf("the summary has %d bytes", out.Len())
	}
}

// TestMarkdownText: a name neither formats text nor ends the cell of a table, and notifies nobody.
func TestMarkdownText(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"an object", "Deployment.apps web in namespace shop", "Deployment.apps web in namespace shop"},
		{"the end of a cell", `a\|b`, `a&#92;&#124;b`},
		{"HTML", "</details><img src=x>&lt;", "&#60;/details&#62;&#60;img src=x&#62;&#38;lt;"},
		{"a link, and an image", "![a](https://example.com)", "!&#91;a&#93;(https://example.com)"},
		{"marks", "*a*_b_`c`~d~$e$", "&#42;a&#42;&#95;b&#95;&#96;c&#96;&#126;d&#126;&#36;e&#36;"},
		{"a user and an issue of GitHub", "@octocat #1", "@&#8203;octocat #&#8203;1"},
		{"several lines, and a hidden character", "a\n\n# b\u202e", `a  #&#8203; b&#92;u202e`},
	} {
		if got := markdownText(c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestTextSummaryOfADump: the objects of a cluster that no manifest concerns do not displace the others.
func TestTextSummaryOfADump(t *testing.T) {
	for _, c := range []struct {
		why     string
		objects int
		want    string
	}{
		{"a few", 20, "ConfigMap c19  only in FROM\n20 objects: 20 only in FROM\n"},
		{"one more than are listed", 21, "ConfigMap c19  only in FROM\n1 other object is only in FROM; --summary json lists them\n21 objects: 21 only in FROM\n"},
		{"a cluster", 3000, "ConfigMap c19  only in FROM\n2980 other objects are only in FROM; --summary json lists them\n3000 objects: 3000 only in FROM\n"},
	} {
		s := summary{app: &App{}}
		for i := range c.objects {
			s.rows = append(s.rows, row{target: patchlab.Target{APIVersion: "v1", Kind: "ConfigMap", Name: "c" + strconv.Itoa(i)}, outcome: onlyInFrom})
			s.counts[onlyInFrom]++
		}
		if text := s.markdown(); strings.Count(text, " | only in FROM |\n") != 20 || c.objects > 20 && !strings.Contains(text, fmt.Sprintf("\n\n%s only in FROM.\n", count(c.objects-20, "other object is", "other objects are"))) {
			t.Errorf("%s: %s", c.why, text)
		}
		if text := s.text(); !strings.HasSuffix(text, c.want) || strings.Count(text, "\n") > mostOnlyInFrom+2 {
			t.Errorf("%s: %s\nwant %s at the end", c.why, text, c.want)
		}
	}
}
