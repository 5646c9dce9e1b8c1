package conformance

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Verdicts about a replayed case, as written in the *.open files of testdata/invalid.
const (
	Agrees   = "agrees"
	Reworded = "words"    // refused with the same causes, in other words
	accepted = "accepted" // accepted, but recorded as refused
	refused  = "refused"  // refused, but recorded as accepted
	other    = "other"    // the causes or the object differ
	setup    = "setup"    // an earlier step has a different status code
)

// Verdicts counts the verdicts about cases by the recorded outcome.
type Verdicts struct {
	refused, accepted map[string]int
}

// Add counts one case.
func (v *Verdicts) Add(c Case, answer string) {
	if v.refused == nil {
		v.refused, v.accepted = map[string]int{}, map[string]int{}
	}
	counts := v.accepted
	if c.Steps[lastWrite(c)].Response.Code >= 400 {
		counts = v.refused
	}
	counts[answer]++
	counts["all"]++
}

func (v Verdicts) String() string {
	r, a := v.refused, v.accepted
	return fmt.Sprintf("to refuse %4d: same %4d, in other words %3d, other %3d, accepted %3d, setup %2d; to accept %4d: same %4d, other %3d, refused %3d, setup %2d",
		r["all"], r[Agrees], r[Reworded], r[other], r[accepted], r[setup], a["all"], a[Agrees], a[other], a[refused], a[setup])
}

// lastWrite returns the index of the step to compare; a DELETE after it only cleans up.
func lastWrite(c Case) int {
	last := 0
	for i, s := range c.Steps {
		if s.Request.Method != "DELETE" {
			last = i
		}
	}
	return last
}

// Judge replays a case and compares the response of its last write: of a refusal the
// reason and the causes (type, field and message) in any order, of an accepted object everything.
// Of messages it does not compare values that are objects or lists, nor differences between values.
// The answer is a verdict, and why describes the difference.
func (r Runner) Judge(c Case, send Send) (answer, why string, err error) {
	got, err := r.Record(c, send)
	if err != nil {
		return "", "", err
	}
	answer, why = Verdict(c, got)
	return answer, why, nil
}

// Verdict compares two recordings of a case as [Runner.Judge] does.
func Verdict(want, got Case) (answer, why string) {
	last := lastWrite(want)
	for i, s := range want.Steps[:last] {
		if is := got.Steps[i].Response; is.Code != s.Response.Code {
			return setup, fmt.Sprintf("step %d: %d %v", i, is.Code, is.Body)
		}
	}
	w, g := want.Steps[last].Response, got.Steps[last].Response
	switch {
	case w.Code < 400 && g.Code >= 400:
		return refused, fmt.Sprintf("got %d %q", g.Code, message(g.Body))
	case w.Code < 400:
		if d := Difference(w, g, false); d != "" {
			return other, d
		}
	case g.Code < 400:
		return accepted, fmt.Sprintf("want %d %q", w.Code, causesOf(w.Body))
	case w.Code != g.Code || !slices.Equal(causesOf(w.Body), causesOf(g.Body)):
		return other, fmt.Sprintf("want %d %q\ngot  %d %q %s", w.Code, causesOf(w.Body), g.Code, causesOf(g.Body), message(g.Body))
	default:
		if w, g := messagesOf(w.Body), messagesOf(g.Body); !slices.Equal(w, g) {
			return Reworded, fmt.Sprintf("want %q\ngot  %q", without(w, g), without(g, w))
		}
	}
	return Agrees, ""
}

// without returns the texts that are not in others.
func without(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return slices.Contains(others, text) })
}

// causesOf returns the reason of a Status and its causes without messages, sorted. A cause that
// is listed twice is returned twice.
func causesOf(body any) []string {
	causes := eachCause(body, func(reason, field, _ any) string { return fmt.Sprint(reason, " ", field) })
	status, _ := body.(map[string]any)
	return append([]string{fmt.Sprint(status["reason"])}, causes...)
}

// messagesOf returns the fields and messages of the causes of a Status, sorted, and the message of
// the Status if it has no causes.
func messagesOf(body any) []string {
	messages := eachCause(body, func(_, field, text any) string { return fmt.Sprint(field, " ", plainMessage(fmt.Sprint(text))) })
	if len(messages) == 0 {
		return []string{message(body)}
	}
	return messages
}

// uid matches a uid, which each server chooses.
var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// plainMessage returns a message without uids and without the parts that show the types of Go in
// kube-apiserver: a value that is an object or a list, and the lines after the first, which are
// differences between two values.
func plainMessage(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = uid.ReplaceAllLiteralString(text, "UID")
	kind, shown, found := strings.Cut(text, " value: ")
	if !found || shown == "" || shown[0] != '{' && shown[0] != '[' {
		return text
	}
	d := json.NewDecoder(strings.NewReader(shown))
	if err := d.Decode(new(json.RawMessage)); err != nil {
		return text
	}
	return kind + " value: …" + shown[d.InputOffset():]
}

// eachCause returns a text for each cause of a Status, sorted.
func eachCause(body any, text func(reason, field, message any) string) (texts []string) {
	status, _ := body.(map[string]any)
	details, _ := status["details"].(map[string]any)
	list, _ := details["causes"].([]any)
	for _, one := range list {
		cause, _ := one.(map[string]any)
		texts = append(texts, text(cause["reason"], cause["field"], cause["message"]))
	}
	slices.Sort(texts)
	return texts
}

func message(body any) string {
	status, _ := body.(map[string]any)
	text, _ := status["message"].(string)
	return text
}
