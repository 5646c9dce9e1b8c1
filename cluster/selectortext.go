package cluster

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// selectorText formats matchLabels and matchExpressions in the syntax of the labelSelector
// parameter, sorted by key as the API server sorts them.
func selectorText(matchLabels, expressions document.Value) string {
	type term struct{ key, text string }
	var terms []term
	for key, value := range matchLabels.Members() {
		terms = append(terms, term{key, key + "=" + value.StringOr("")})
	}
	for _, e := range expressions.Items() {
		key := e.Get("key").StringOr("")
		terms = append(terms, term{key, expressionText(key, e)})
	}
	sort.SliceStable(terms, func(a, b int) bool { return terms[a].key < terms[b].key })
	texts := make([]string, len(terms))
	for i := range terms {
		texts[i] = terms[i].text
	}
	return strings.Join(texts, ",")
}

func expressionText(key string, e document.Value) string {
	switch e.Get("operator").StringOr("") {
	case "Exists":
		return key
	case "DoesNotExist":
		return "!" + key
	case "NotIn":
		return key + " notin (" + joinedValues(e) + ")"
	}
	return key + " in (" + joinedValues(e) + ")"
}

func joinedValues(e document.Value) string {
	values := e.Get("values").Strings()
	slices.Sort(values)
	return strings.Join(values, ",")
}
