package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// markdownDetails adds the diffs and messages of the objects to a comment. Messages precede diffs, and the diffs of
// one class those of the next. If not all of a class fit into the comment, the large ones are shortened to the same size. Of those
// that do not fit even then, it adds and returns the number.
func (s *Summary) markdownDetails(b *strings.Builder, rows []Row) (omitted int) {
	const reserved = 200 // for that number
	var parts [1 + classMetadata + 1][][]Row
	for _, same := range byDetail(rows) {
		part := 0
		if !same[0].Outcome.hasMessage() {
			part = 1 + same[0].class()
		}
		parts[part] = append(parts[part], same)
	}
	for _, part := range parts {
		details := make([]detail, len(part))
		for i, same := range part {
			details[i] = s.detailOf(same)
		}
		room := maxComment - reserved - b.Len()
		for i, share := range shares(details, room) {
			details[i].fit(share)
		}
		for i, share := range shares(details, room) { // what fits now leaves more to the others
			if share == 0 {
				omitted += len(part[i])
				continue
			}
			b.WriteString(details[i].markdown(share))
		}
	}
	if omitted > 0 {
		b.WriteString("\n" + terminal.Count(omitted, "diff or message is", "diffs and messages are") + " omitted" + toFit + "; `" + s.Details + "` prints all.\n")
	}
	return omitted
}

// hasMessage reports whether the detail of an object with the outcome is a message and not a diff.
func (o Outcome) hasMessage() bool { return o == Refused || o == Conflicting }

// shares divides room among details: the size of each text, or the same for all texts that are larger than the
// smaller ones allow. As many as possible have a share, beginning with the smallest; 0 is none.
func shares(details []detail, room int) []int {
	order := make([]int, len(details))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return details[a].size() - details[b].size() })
	least := 0
	for n, i := range order {
		around := len(details[i].head) + len(details[i].end) + len(closing)
		if least += around + min(details[i].size(), minDetail); least > room {
			order = order[:n]
			break
		}
		room -= around
		least -= around
	}
	out := make([]int, len(details))
	for n, i := range order {
		out[i] = min(details[i].size(), room/(len(order)-n))
		room -= out[i]
	}
	return out
}

// byDetail returns the rows that have a detail, together with those that have the same one or change in the same way:
// the upgrade of a chart changes a label of every object.
func byDetail(rows []Row) [][]Row {
	type change struct {
		outcome Outcome
		text    string
	}
	var groups [][]Row
	at := map[change]int{}
	for _, r := range rows {
		if r.Detail == "" {
			continue
		}
		c := change{outcome: r.Outcome, text: cmp.Or(r.Change, r.Detail)}
		if i, known := at[c]; known {
			groups[i] = append(groups[i], r)
			continue
		}
		at[c] = len(groups)
		groups = append(groups, []Row{r})
	}
	return groups
}

// detail is the diff or the message of one object, or of the first of several, which a click shows.
type detail struct {
	head, end string
	// text is the detail, and short another one that is shown if it does not fit, "" for none.
	text, short string
	rest        string // what is added if the detail is shortened
}

// size returns the number of bytes that the text should have.
func (d *detail) size() int {
	if len(d.text) > maxDetail {
		return maxDetail
	}
	return len(d.text)
}

// fit replaces the text by the short one if it has more than most bytes.
func (d *detail) fit(most int) {
	if len(d.text) > most && d.short != "" && len(d.short) < len(d.text) {
		d.text = d.short
	}
}

// markdown returns the detail with a text of at most most bytes.
func (d *detail) markdown(most int) string {
	text, rest := d.text, ""
	if len(text) > most {
		rest = d.rest
		text = firstLines(text, most-len(rest))
	}
	return d.head + text + d.end + rest + closing
}

// closing ends a detail.
const closing = "\n</details>\n"

func (s *Summary) detailOf(same []Row) detail {
	title, names := markdownText(same[0].Name())+": "+same[0].Outcome.String(), ""
	if len(same) > 1 {
		title = terminal.Count(len(same), "object", "objects") + ": " + same[0].Outcome.String() + " in the same way"
		for _, r := range same[:min(maxNames, len(same))] {
			names += "- " + markdownText(r.Name()) + "\n"
		}
		if more := len(same) - maxNames; more > 0 {
			names += fmt.Sprintf("- and %d more\n", more)
		}
		names += "\n"
	}
	fence, language := "```", "diff"
	d := detail{
		text:  terminal.Readable(strings.TrimRight(same[0].Detail, "\n")),
		short: terminal.Readable(strings.TrimRight(same[0].Short, "\n")),
		rest:  "\nThe rest is omitted" + toFit + "; `" + s.Details + "` prints all.\n",
	}
	for strings.Contains(d.text+d.short, fence) {
		fence += "`"
	}
	if same[0].Outcome.hasMessage() {
		language = ""
	}
	d.head = "\n<details><summary>" + title + "</summary>\n\n" + names + fence + language + "\n"
	d.end = "\n" + fence + "\n"
	return d
}

// firstLines returns the first lines of a text that have at most a number of bytes together, or the beginning of the
// first one, which may be a large file in a ConfigMap.
func firstLines(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(most, len(text))], "")
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		return text[:end]
	}
	return text
}
