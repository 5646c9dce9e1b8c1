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
		line := fmt.Sprintf("| %s | %s |\n", markdownText(r.name()), s.word(r.outcome))
		if b.Len()+len(line) > maxComment*3/4 {
			b.WriteString("\n" + count(len(rows)-i, "more object is", "more objects are") + " not listed, to fit into a comment.\n")
			break
		}
		b.WriteString(line)
	}
	for i := range s.warnings.all {
		line := "\n:warning: " + markdownText(s.warnings.all[i].located()) + "\n"
		if b.Len()+len(line) > maxComment*7/8 {
			b.WriteString("\n" + count(len(s.warnings.all)-i, "more warning is", "more warnings are") + " not listed, to fit into a comment.\n")
			break
		}
		b.WriteString(line)
	}
	omitted := 0
	for _, r := range rows {
		if r.detail == "" {
			continue
		}
		if text := detailText(r); b.Len()+len(text) <= maxComment {
			b.WriteString(text)
		} else {
			omitted++
		}
	}
	if omitted > 0 {
		b.WriteString("\n" + count(omitted, "diff is", "diffs are") + " omitted, to fit into a comment; `" + s.details + "` prints all.\n")
	}
	return b.String()
}

// detailText returns the diff or the message of an object, which a click shows.
func detailText(r row) string {
	fence, detail := "```", readable(strings.TrimRight(r.detail, "\n"))
	for strings.Contains(detail, fence) {
		fence += "`"
	}
	return fmt.Sprintf("\n<details><summary>%s: %s</summary>\n\n%sdiff\n%s\n%s\n\n</details>\n", markdownText(r.name()), r.outcome,
		fence, detail, fence)
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
