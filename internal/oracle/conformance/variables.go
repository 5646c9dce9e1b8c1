package conformance

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// variables assigns names to the values in a case's responses that change between runs:
// $RVn$ is the n-th resourceVersion, $UIDn$ the n-th uid, $CONTn$ the n-th continue token.
// They are numbered by first occurrence when keys are visited in sorted order and lists in
// order.
type variables struct {
	// Now is the server's clock, which distinguishes the server's times from a client's;
	// nil means time.Now.
	Now func() time.Time

	versions, uids, tokens []string
	// sent has the times in the requests, which the server did not set, however near to now they are.
	sent []string
}

// recent is the maximum distance from now of the server's times.
const recent = 48 * time.Hour

var (
	timePattern   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	numberPattern = regexp.MustCompile(`\b\d+\b`)
)

// expand replaces names by the values known so far.
func (v *variables) expand(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	replace := func(kind string, values []string, encode func(string) string) {
		for i, value := range values {
			text = strings.ReplaceAll(text, name(kind, i), encode(value))
		}
	}
	plain := func(s string) string { return s }
	replace("RV", v.versions, plain)
	replace("UID", v.uids, plain)
	replace("CONT", v.tokens, url.QueryEscape)
	return text
}

// Normalize returns a decoded response with values replaced by names.
func (v *variables) Normalize(value any) any { return v.normalize(value, "") }

func (v *variables) normalize(value any, key string) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for _, k := range sortedKeys(value) {
			out[k] = v.normalize(value[k], k)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = v.normalize(value[i], key)
		}
		return out
	case string:
		return v.text(value, key)
	}
	return value
}

func (v *variables) text(s, key string) string {
	switch key {
	case "resourceVersion":
		if s != "" && s != "0" {
			return known(&v.versions, "RV", s)
		}
	case "uid":
		if s != "" {
			return known(&v.uids, "UID", s)
		}
	case "continue":
		if s != "" { // every token is new, even if it is repeated
			v.tokens = append(v.tokens, s)
			return name("CONT", len(v.tokens)-1)
		}
	case "creationTimestamp", "deletionTimestamp", "time":
		if timePattern.MatchString(s) {
			return "$TIME$"
		}
	case "lastTransitionTime", "lastPhaseTransitionTime", "timeAdded", "lastUpdateTime":
		if t, err := time.Parse(time.RFC3339, s); err == nil && v.now().Sub(t).Abs() < recent && !slices.Contains(v.sent, s) {
			return "$TIME$"
		}
	case "message":
		return v.message(s)
	}
	return s
}

// message replaces values in free text: uids everywhere, and all numbers in a text that
// mentions resource versions.
func (v *variables) message(s string) string {
	for i, uid := range v.uids {
		s = strings.ReplaceAll(s, uid, name("UID", i))
	}
	lower := strings.ToLower(s)
	if !strings.Contains(lower, "resourceversion") && !strings.Contains(lower, "resource version") {
		return s
	}
	return numberPattern.ReplaceAllStringFunc(s, func(number string) string {
		if i := slices.Index(v.versions, number); i >= 0 {
			return name("RV", i)
		}
		return "$N$"
	})
}

func (v *variables) now() time.Time {
	if v.Now != nil {
		return v.Now()
	}
	return time.Now()
}

// known returns the name of a value, assigning one to a new value.
func known(values *[]string, kind, value string) string {
	i := slices.Index(*values, value)
	if i < 0 {
		i = len(*values)
		*values = append(*values, value)
	}
	return name(kind, i)
}

func name(kind string, i int) string { return fmt.Sprintf("$%s%d$", kind, i+1) }

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
