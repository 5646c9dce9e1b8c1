package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// TestMarkdownSummaryFitsIntoAComment: whatever the number and the size of the changes, GitHub takes the summary, what
// is most important is in it, and what is left out is counted.
func TestMarkdownSummaryFitsIntoAComment(t *testing.T) {
	rows := func(n int, o Outcome, detail func(int) string) (rows []Row) {
		for i := range n {
			rows = append(rows, Row{Target: patchlab.Target{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: o.String() + strconv.Itoa(i)}, Outcome: o, Detail: detail(i)})
		}
		return rows
	}
	none := func(int) string { return "" }
	same := func(int) string { return "-a\n+b\n" }
	each := func(i int) string { return fmt.Sprintf("-a: %d\n+a: %d\n", i, i+1) }
	large := func(i int) string { return fmt.Sprintf("-a: %d\n", i) + strings.Repeat("+b: 1\n", 20_000) }
	line := func(int) string { return strings.Repeat("ü", 70_000) }
	// alike returns the row of an object with another diff but the same change as the others.
	alike := func(rows []Row) []Row {
		for i := range rows {
			rows[i].Change = "a"
		}
		return rows
	}
	// compact returns rows with diffs that do not fit, and short ones that do.
	compact := func(rows []Row) []Row {
		for i := range rows {
			rows[i].Short = fmt.Sprintf("- .a: %d\n", i)
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
	of := func(version, kind string, rows []Row) []Row {
		for i := range rows {
			rows[i].Target.APIVersion, rows[i].Target.Kind, rows[i].Change = version, kind, kind+rows[i].Detail
		}
		return rows
	}
	onlyMetadata := func(rows []Row) []Row {
		for i := range rows {
			rows[i].MetadataOnly = true
		}
		return rows
	}
	for _, c := range []struct {
		why     string
		summary Summary
		want    []string // in this order
	}{
		{"2,000 changes, and a few of each other outcome after them", Summary{Rows: append(append(append(rows(2000, Changed, each), rows(2, Removed, none)...), rows(1, Conflicting, each)...), rows(2, Refused, each)...)},
			[]string{"| ConfigMap refused0 ", "| ConfigMap refused1 ", "| ConfigMap conflict0 ", "| ConfigMap removed1 ", "| ConfigMap changed0 ", "<summary>1965 more objects</summary>\n\n| object | result |\n|---|---|\n| ConfigMap changed35 ", " more objects are not listed, to fit into a comment: 1", " changed.\n\n</details>\n",
				"<summary>ConfigMap refused1 in namespace shop: refused</summary>", "<summary>ConfigMap conflict0 ", "<summary>ConfigMap changed0 ", "diffs and messages are omitted, to fit into a comment; `patchlab diff` prints all.\n"}},
		{"2,000 changes of the same label", Summary{Rows: rows(2000, Changed, same)}, []string{"<summary>2000 objects: changed in the same way</summary>\n\n- ConfigMap changed0 ", "- ConfigMap changed19 ", "- and 1980 more\n\n```diff\n-a\n+b\n```\n"}},
		{"2,000 changes of the same label in different diffs", Summary{Rows: alike(rows(2000, Changed, each))}, []string{"<summary>2000 objects: changed in the same way</summary>", "- and 1980 more\n\n```diff\n-a: 0\n+a: 1\n```\n"}},
		{"changes and messages of medium size are shortened so that all fit", Summary{Rows: append(rows(30, Changed, medium), rows(3, Refused, medium)...)},
			[]string{"<summary>ConfigMap refused0 ", "+b: 1\n```\n\n</details>", "<summary>ConfigMap refused2 ", "+b: 1\n```\n\n</details>", "<summary>ConfigMap changed0 ", "-a: 0\n+b: 1\n", "```\n\nThe rest is omitted", "<summary>ConfigMap changed29 ", "-a: 29\n+b: 1\n"}},
		{"large changes before small ones do not displace them", Summary{Rows: append(rows(80, Changed, large), rows(1, Created, each)...)},
			[]string{"<summary>ConfigMap changed0 ", "The rest is omitted", "<summary>ConfigMap created0 ", "-a: 0\n+a: 1\n```\n\n</details>", "diffs and messages are omitted"}},
		{"a shorter form of what does not fit", Summary{Rows: compact(rows(50, Changed, large))},
			[]string{"<summary>ConfigMap changed0 ", "```diff\n- .a: 0\n```\n\n</details>", "<summary>ConfigMap changed49 ", "```diff\n- .a: 49\n```\n\n</details>"}},
		{"one outcome that is not listed at all", Summary{Rows: append(rows(1000, Refused, same), rows(1000, Created, none)...)}, []string{" more objects are not listed, to fit into a comment: ", " refused, 1000 created.\n"}},
		{"large changes do not displace the others", Summary{Rows: append(rows(2, Changed, large), rows(1, Changed, each)...)},
			[]string{"<summary>ConfigMap changed0 ", "+b: 1\n```\n\nThe rest is omitted, to fit into a comment; `patchlab diff` prints all.\n\n</details>", "<summary>ConfigMap changed1 ", "-a: 0\n+a: 1\n```\n\n</details>"}},
		{"the diffs of workloads are those that a reader must not miss, and those of labels the least", Summary{Rows: slices.Concat(
			onlyMetadata(of("apps/v1", "StatefulSet", rows(500, Changed, each))), of("apiextensions.k8s.io/v1", "CustomResourceDefinition", rows(40, Changed, medium)), rows(40, Changed, medium),
			of("v1", "Service", rows(1, Changed, medium)), of("apps/v1", "Deployment", rows(1, Added, medium)), of("apps/v1", "Deployment", rows(2, Changed, medium)), of("batch/v1", "Job", rows(1, Refused, medium)))},
			[]string{"| Job.batch refused0 in namespace shop | refused |\n| Deployment.apps changed0 in namespace shop | changed |\n| Deployment.apps changed1 in namespace shop | changed |\n| Service changed0 in namespace shop | changed |\n| CustomResourceDefinition.apiextensions.k8s.io changed0 ",
				"<summary>Job.batch refused0 ", "<summary>Deployment.apps changed0 ", "+b: 1\n```\n\n</details>", "<summary>Deployment.apps changed1 ", "+b: 1\n```\n\n</details>", "<summary>Deployment.apps added0 ", "+b: 1\n```\n\n</details>",
				"<summary>Service changed0 ", "+b: 1\n```\n\n</details>", "<summary>CustomResourceDefinition.apiextensions.k8s.io changed0 ", "The rest is omitted", "<summary>ConfigMap changed0 ", "The rest is omitted", "diffs and messages are omitted"}},
		{"a long line", Summary{Rows: rows(1, Changed, line)}, []string{"```diff\nüü", "ü\n```\n\nThe rest is omitted"}},
		{"many warnings and notes", Summary{warned: texts(2000, "warning "), notes: append(texts(2000, "note "), strings.Repeat("x", 70_000)), Rows: rows(3, Changed, each)},
			[]string{"| ConfigMap changed2 ", "\n:warning: warning 0\n", " more warnings are not listed, to fit into a comment.\n", "<summary>2001 notes</summary>\n\n- note 0\n", " more lines are omitted, to fit into a comment.\n\n</details>", "<summary>ConfigMap changed2 "}},
		{"a note with many lines leaves room for the others", Summary{notes: []string{"kinds:\n  " + strings.Join(texts(2000, "K"), "\n  "), "another"}}, []string{"- kinds:\n  - K0\n  - K1\n", "- another\n", " more lines are omitted"}},
		{"a few more rows than are shown", Summary{Rows: rows(50, Added, none)}, []string{"|---|---|\n| ConfigMap added0 ", "| ConfigMap added40 in namespace shop | added |\n| ConfigMap added41 "}},
		{"more rows", Summary{Rows: rows(51, Added, none)}, []string{"| ConfigMap added39 in namespace shop | added |\n\n<details><summary>11 more objects</summary>\n\n| object | result |\n|---|---|\n| ConfigMap added40 ", "| ConfigMap added50 in namespace shop | added |\n\n</details>\n"}},
		{"nothing has changed", Summary{Rows: rows(3, Unchanged, none)}, []string{"**patchlab**: 0 objects\n"}},
	} {
		c.summary.App, c.summary.Details = &program.App{}, "patchlab diff"
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
		s := Summary{App: &program.App{}}
		for i := range c.objects {
			s.Rows = append(s.Rows, Row{Target: patchlab.Target{APIVersion: "v1", Kind: "ConfigMap", Name: "c" + strconv.Itoa(i)}, Outcome: OnlyInFrom})
			s.Counts[OnlyInFrom]++
		}
		if text := s.markdown(); strings.Count(text, " | only in FROM |\n") != 20 || c.objects > 20 && !strings.Contains(text, fmt.Sprintf("\n\n%s only in FROM.\n", terminal.Count(c.objects-20, "other object is", "other objects are"))) {
			t.Errorf("%s: %s", c.why, text)
		}
		if text := s.text(); !strings.HasSuffix(text, c.want) || strings.Count(text, "\n") > MostOnlyInFrom+2 {
			t.Errorf("%s: %s\nwant %s at the end", c.why, text, c.want)
		}
	}
}
