package gotype

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/patch"
)

// strategicMessage returns kube-apiserver's message for a strategic merge patch that cannot be applied, "" for errors
// that have none of their own (k8s.io/apimachinery/pkg/util/mergepatch).
func strategicMessage(e *patch.Error) string {
	switch e.Problem {
	case patch.NotAnObject:
		return "json: cannot unmarshal " + gotext.JSONKind(e.Values[0]) + " into Go value of type map[string]interface {}"
	case patch.NotAMap:
		return notOfType("map[string]interface {}", e.Values[0])
	case patch.NotASlice:
		return notOfType("[]interface {}", e.Values[0])
	case patch.ListOfLists:
		return "lists of lists are not supported"
	case patch.MixedItems:
		var lists []string
		for _, list := range e.Values {
			if list.Exists() {
				lists = append(lists, gotext.Of(list))
			} else {
				lists = append(lists, "[]")
			}
		}
		return "list element types are not identical: [" + strings.Join(lists, " ") + "]"
	case patch.NoItems:
		return "no elements in any of the given slices"
	case patch.NoMergeKey:
		return "map: " + gotext.Of(e.Values[0]) + " does not contain declared merge key: " + e.Key
	case patch.UnknownDirective:
		return "unknown patch type: " + asText(e.Values[0]) + " in map: " + gotext.Of(e.Values[1])
	case patch.MergeDirective:
		return "merging lists cannot yet be specified in the patch"
	case patch.OtherOrder:
		return "The order in patch list:\n" + gotext.Of(e.Values[0]) + "\n doesn't match " + e.Key + " list:\n" + gotext.Of(e.Values[1]) + "\n"
	case patch.WrongDirective:
		return "invalid patch format of " + map[string]string{
			"$retainKeys": "retainKeys", "$setElementOrder": "setElementOrder list", "$deleteFromPrimitiveList": "primitive list",
		}[e.Key]
	}
	return ""
}

// notOfType returns the message for a value that is of another Go type than the wanted one.
func notOfType(wanted string, got document.Value) string {
	found := gotext.Type(got)
	if got.IsNull() {
		found = formattedNil
	}
	return "expected a " + wanted + ", but received a " + found
}

// formattedNil is what Go's fmt prints for a value that is nil in place of a text.
const formattedNil = "%!s(<nil>)"

// asText returns a value as Go's fmt prints it in place of a text (%s).
func asText(v document.Value) string {
	switch text, ok := v.Text(); {
	case ok:
		return text
	case v.IsNull():
		return formattedNil
	}
	return "%!s(" + gotext.Type(v) + "=" + gotext.Of(v) + ")"
}
