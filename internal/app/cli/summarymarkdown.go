package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// maxComment is the size of the Markdown summary in bytes. A comment on GitHub has at most
// 65,536 characters, and others may add text of their own.
const maxComment = 64_000

// markdown returns the summary as a comment for a pull request: a table, and those changes that
// fit into a comment.
func (s *summary) markdown() string {
	var b strings.Builder
	b.WriteString("**patchlab**: " + s.line() + "\n\n| object | result |\n|---|---|\n")
	rows := slices.DeleteFunc(slices.Clone(s.rows), func(r row) bool { return r.outcome == unchanged })
	for i, r := range rows {
		line := fmt.Sprintf("| %s | %s |\n", markdownText(r.name()), r.result())
		if b.Len()+len(line) > maxComment*3/4 {
			b.WriteString("\n" + count(len(rows)-i, "more object is", "more objects are") + " not listed, to fit into a comment.\n")
			break
		}
		b.WriteString(line)
	}
	remarks := slices.Clone(s.app.unread)
	for i := range s.warnings.all {
		remarks = append(remarks, s.warnings.all[i].located())
	}
	for i, text := range remarks {
		line := "\n:warning: " + markdownText(text) + "\n"
		if b.Len()+len(line) > maxComment*7/8 {
			b.WriteString("\n" + count(len(remarks)-i, "more warning is", "more warnings are") + " not listed, to fit into a comment.\n")
			break
		}
		b.WriteString(line)
	}
	omitted := 0
	for _, same := range byDetail(rows) {
		if text := detailText(same); b.Len()+len(text) <= maxComment {
			b.WriteString(text)
		} else {
			omitted += len(same)
		}
	}
	if omitted > 0 {
		b.WriteString("\n" + count(omitted, "diff is", "diffs are") + " omitted, to fit into a comment; `" + s.details + "` prints all.\n")
	}
	return b.String()
}

// byDetail returns the rows that have a detail, together with those that have the same one: the upgrade of a chart
// changes a label of every object.
func byDetail(rows []row) [][]row {
	type detail struct {
		outcome outcome
		text    string
	}
	var groups [][]row
	at := map[detail]int{}
	for _, r := range rows {
		if r.detail == "" {
			continue
		}
		d := detail{r.outcome, r.detail}
		if i, known := at[d]; known {
			groups[i] = append(groups[i], r)
			continue
		}
		at[d] = len(groups)
		groups = append(groups, []row{r})
	}
	return groups
}

// detailText returns the diff or the message of one object or of several, which a click shows.
func detailText(same []row) string {
	title, names := markdownText(same[0].name())+": "+same[0].outcome.String(), ""
	if len(same) > 1 {
		title = count(len(same), "object", "objects") + ": " + same[0].outcome.String() + " in the same way"
		for _, r := range same {
			names += "- " + markdownText(r.name()) + "\n"
		}
		names += "\n"
	}
	fence, language, detail := "```", "diff", readable(strings.TrimRight(same[0].detail, "\n"))
	for strings.Contains(detail, fence) {
		fence += "`"
	}
	if r := same[0].outcome; r == refused || r == conflicting { // a message
		language = ""
	}
	return fmt.Sprintf("\n<details><summary>%s</summary>\n\n%s%s%s\n%s\n%s\n\n</details>\n", title, names, fence, language, detail, fence)
}

// markdownText escapes text for Markdown and HTML. Character references have no meaning in either, where
// a backslash would be escaped by one before it and shown in HTML. On GitHub, a mention notifies its user
// and a number is a reference to an issue even if they are escaped, so a character that cannot be seen
// separates them from their sign.
func markdownText(s string) string {
	return markdownSigns().Replace(oneLine(strings.ReplaceAll(s, "\n", " ")))
}

var markdownSigns = sync.OnceValue(func() *strings.Replacer {
	references := []string{"@", "@&#8203;", "#", "#&#8203;"}
	for _, sign := range "&<>|\\`*_~[]$" {
		references = append(references, string(sign), fmt.Sprintf("&#%d;", sign))
	}
	return strings.NewReplacer(references...)
})
