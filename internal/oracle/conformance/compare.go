package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Difference describes how an answer differs from the recorded one, "" if it does not. Both
// must be normalized.
//
// Codes must be equal. For a success, the body, the events and the warnings
// must be equal, except for the order of managedFields entries, which depends on whole
// seconds; ordered compares that too. For a failure, the kind and reason of the Status must
// be equal, and the reason and field of every cause, in any order. For Conflict, NotFound
// and AlreadyExists, the messages of the Status and of the causes must be equal too; other
// messages may differ.
func Difference(want, got Response, ordered bool) string {
	if want.Code != got.Code {
		return fmt.Sprintf("code: want %d, got %d %s", want.Code, got.Code, brief(got.Body))
	}
	if want.Code >= 400 {
		return failureDifference(want.Body, got.Body)
	}
	order := sortManagers
	if ordered {
		order = func(value any) any { return value }
	}
	if d := difference("", order(want.Body), order(got.Body)); d != "" {
		return "body" + d
	}
	if w, g := want.Warnings, got.Warnings; !slices.Equal(w, g) {
		return fmt.Sprintf("warnings: want %q, got %q", w, g)
	}
	if d := difference("", order(list(want.Events)), order(list(got.Events))); d != "" {
		return "events" + d
	}
	return ""
}

// HooksDifference compares the AdmissionReviews sent to webhooks, except for userInfo,
// which depends on how the server authenticates its clients.
func HooksDifference(want, got []any) string {
	anonymous := func(hooks []any) any {
		for _, h := range hooks {
			hook, _ := h.(map[string]any)
			review, _ := hook["review"].(map[string]any)
			if request, ok := review["request"].(map[string]any); ok {
				delete(request, "userInfo")
			}
		}
		return sortManagers(list(hooks))
	}
	if d := difference("", anonymous(want), anonymous(got)); d != "" {
		return "hooks" + d
	}
	return ""
}

// list replaces a missing list by an empty one.
func list(items []any) any {
	if items == nil {
		items = []any{}
	}
	return items
}

func failureDifference(want, got any) string {
	w, ok := want.(map[string]any)
	if !ok {
		return "" // plain text "404 page not found"; the code was compared
	}
	g, ok := got.(map[string]any)
	if !ok {
		return "body: want a Status, got " + brief(got)
	}
	if w["kind"] != g["kind"] || w["reason"] != g["reason"] {
		return fmt.Sprintf("status: want kind %v and reason %v, got %v and %v (%v)", w["kind"], w["reason"], g["kind"], g["reason"], g["message"])
	}
	wd, _ := w["details"].(map[string]any)
	gd, _ := g["details"].(map[string]any)
	if d := causesDifference(wd["causes"], gd["causes"]); d != "" {
		return d
	}
	switch w["reason"] {
	case "Conflict", "NotFound", "AlreadyExists":
	default:
		return ""
	}
	return messageDifference(want, got)
}

// messageDifference compares the messages of two Statuses and of their causes. A response that is no Status has none.
func messageDifference(want, got any) string {
	w, _ := want.(map[string]any)
	g, _ := got.(map[string]any)
	if w == nil {
		return ""
	}
	if w["message"] != g["message"] {
		return fmt.Sprintf("message: want %q, got %q", w["message"], g["message"])
	}
	wd, _ := w["details"].(map[string]any)
	gd, _ := g["details"].(map[string]any)
	if d := difference("", sortTexts(wd["causes"]), sortTexts(gd["causes"])); d != "" {
		return "details.causes" + d
	}
	return ""
}

// causesDiffer is the prefix of a difference that concerns only the reasons and fields of
// causes.
const causesDiffer = "causes:"

// causesDifference compares the reasons and fields of all causes of two failures, in any
// order, including their number.
func causesDifference(want, got any) string {
	count := map[string]int{}
	var causes []string
	add := func(list any, n int) {
		items, _ := list.([]any)
		for _, item := range items {
			cause, _ := item.(map[string]any)
			name := fmt.Sprintf("%v %v", cause["reason"], cause["field"])
			if _, seen := count[name]; !seen {
				causes = append(causes, name)
			}
			count[name] += n
		}
	}
	add(want, -1)
	add(got, 1)
	slices.Sort(causes)
	var missing, unwanted []string
	for _, name := range causes {
		for range -count[name] {
			missing = append(missing, name)
		}
		for range count[name] {
			unwanted = append(unwanted, name)
		}
	}
	if missing == nil && unwanted == nil {
		return ""
	}
	return fmt.Sprintf("%s missing %q, not wanted %q", causesDiffer, missing, unwanted)
}

// fieldWarnings returns the warnings about unknown and duplicate fields.
func fieldWarnings(warnings []string) []string {
	var out []string
	for _, w := range warnings {
		if strings.Contains(w, "unknown field") || strings.Contains(w, "duplicate field") || strings.Contains(w, "already set in map") {
			out = append(out, w)
		}
	}
	return out
}

// sortManagers returns the value with the entries of every managedFields sorted
// independently of their times.
func sortManagers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for k, v := range value {
			if entries, ok := v.([]any); ok && k == "managedFields" {
				out[k] = sortEntries(entries)
			} else {
				out[k] = sortManagers(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = sortManagers(value[i])
		}
		return out
	}
	return value
}

func sortEntries(entries []any) []any {
	key := func(entry any) string {
		m, _ := entry.(map[string]any)
		return fmt.Sprint(m["operation"], "|", m["manager"], "|", m["apiVersion"], "|", m["subresource"], "|", text(m["fieldsV1"]))
	}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b any) int { return strings.Compare(key(a), key(b)) })
	return entries
}

// sortTexts sorts a list by its items' JSON.
func sortTexts(value any) any {
	items, ok := value.([]any)
	if !ok {
		return value
	}
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	return items
}

// difference returns the first difference between two decoded values. Numbers are compared
// as written.
func difference(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: want an object, got %s", path, brief(got))
		}
		return memberDifference(path, w, g)
	case []any:
		g, ok := got.([]any)
		if !ok {
			return fmt.Sprintf("%s: want a list, got %s", path, brief(got))
		}
		if len(w) != len(g) {
			return fmt.Sprintf("%s: want %d items, got %d: %s / %s", path, len(w), len(g), brief(want), brief(got))
		}
		for i := range w {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), w[i], g[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s: want %s, got %s", path, brief(want), brief(got))
	}
	return ""
}

func memberDifference(path string, want, got map[string]any) string {
	for _, k := range sortedKeys(want) {
		g, ok := got[k]
		if !ok {
			return fmt.Sprintf("%s.%s: want %s, is missing", path, k, brief(want[k]))
		}
		if d := difference(path+"."+k, want[k], g); d != "" {
			return d
		}
	}
	for _, k := range sortedKeys(got) {
		if _, ok := want[k]; !ok {
			return fmt.Sprintf("%s.%s: not wanted, got %s", path, k, brief(got[k]))
		}
	}
	return ""
}

func text(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

// brief returns a value's JSON, truncated to one line.
func brief(value any) string {
	s := text(value)
	if len(s) > 240 {
		s = s[:240] + "…"
	}
	return s
}
