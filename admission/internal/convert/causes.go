// Package convert converts between documents and the types of kube-apiserver's libraries.
package convert

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// Causes converts validation errors of apimachinery to causes. object is the object that
// the fields of the errors refer to.
func Causes(errs field.ErrorList, object document.Value) []cluster.Cause {
	var causes []cluster.Cause
	for _, e := range errs {
		path := Path(e.Field, object)
		causes = append(causes, cluster.Cause{
			Type: string(e.Type), Field: e.Field, Message: e.ErrorBody(), Path: path, Value: object.Follow(path),
		})
	}
	return causes
}

// Path converts a field of a cause to a path in the object. Map keys are not escaped in such
// a field: if several keys match, the longest is used. The path ends at the last value that
// the object has.
func Path(text string, object document.Value) document.Path {
	var path document.Path
	for text != "" {
		var name, rest string
		switch object.Kind() {
		case document.Object:
			name, rest = member(object, text)
			if rest == text {
				return path
			}
			path, object = path.Child(name), object.Get(name)
		case document.List:
			index, after, _ := strings.Cut(strings.TrimPrefix(text, "["), "]")
			i, err := strconv.Atoi(index)
			if err != nil || i < 0 || i >= object.Len() {
				return path
			}
			rest = after
			path, object = path.Item(i), object.At(i)
		default:
			return path
		}
		text = strings.TrimPrefix(rest, ".")
	}
	return path
}

// member returns the longest key of an object that is a prefix of text, in brackets or not,
// and the rest of the text; the rest is text itself if there is none.
func member(object document.Value, text string) (name, rest string) {
	rest = text
	for key := range object.Members() {
		for _, form := range [...]string{key, "[" + key + "]"} {
			after, ok := strings.CutPrefix(text, form)
			if ok && len(after) < len(rest) && (after == "" || after[0] == '.' || after[0] == '[') {
				name, rest = key, after
			}
		}
	}
	return name, rest
}
