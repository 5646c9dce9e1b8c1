package patchlab

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// The causes of an Error, for use with errors.Is.
var (
	// ErrNoKind: no kind is registered for the object's apiVersion and kind.
	ErrNoKind = errors.New("no such kind")
	// ErrNoMatch: no live object matches the change, or several do, so that
	// it is not clear which one is meant.
	ErrNoMatch = errors.New("no matching live object")
	// ErrInput: the input or an option is not valid for the call. An option that the API server
	// refuses, such as an unknown FieldValidation, is in Error.Options instead.
	ErrInput = errors.New("invalid input")
)

// schemalessKind identifies a kind without a schema. The objects at hand determine whether
// it is namespaced; it has a status subresource if a change uses one.
type schemalessKind struct {
	schema.GroupVersionKind
	namespaced, status bool
}

// Kind returns the kind of an object by its apiVersion and kind. If the kind is unknown and
// the Lab is not strict, the result is a custom kind without a schema, and note is a
// [NoSchema]; otherwise note is nil. An error wraps ErrNoKind or ErrInput.
func (l *Lab) Kind(object document.Value) (kind *schema.Kind, note Note, err error) {
	if err := l.usable(); err != nil {
		return nil, nil, err
	}
	return l.kindOf(object, hasNamespace(object), false)
}

// kindOf finds the kind of an object. Unless the Lab is strict, an unknown kind outside the
// built-in groups becomes one without a schema, and note is a NoSchema.
func (l *Lab) kindOf(v document.Value, namespaced, status bool) (kind *schema.Kind, note Note, err error) {
	if kind, ok := l.Kinds().Of(v); ok {
		return kind, nil, nil
	}
	apiVersion, name := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr("")
	for _, field := range [...]string{"apiVersion", "kind"} {
		if text := notString(v, field); text != "" {
			return nil, nil, &fieldProblem{document.Keys(field), text, ErrInput}
		}
	}
	if apiVersion == "" || name == "" {
		return nil, nil, &fieldProblem{nil, "apiVersion and kind are required", ErrInput}
	}
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok {
		return nil, nil, &fieldProblem{document.Keys("apiVersion"), fmt.Sprintf("apiVersion %q has more than one slash", apiVersion), ErrInput}
	}
	id := schemalessKind{schema.GroupVersionKind{Group: group, Version: version, Kind: name}, namespaced, status}
	if known, hint := l.nearestKind(id.GroupVersionKind); known || l.strict {
		return nil, nil, &fieldProblem{document.Keys("kind"), fmt.Sprintf("no kind %q is registered for version %q%s", name, apiVersion, hint), ErrNoKind}
	}
	note = NoSchema{APIVersion: apiVersion, Kind: name, Consequence: "outside metadata, lists merge as a whole, and nothing is defaulted, pruned or validated"}
	return l.schemaless.LoadOrStore(id, id.kind()).(*schema.Kind), note, nil
}

// kind returns a custom kind that accepts any object.
func (id schemalessKind) kind() *schema.Kind {
	k := schema.NewKind(id.GroupVersionKind, schema.AnyObject())
	k.Namespaced = id.namespaced
	k.Resource, k.Verbs, k.Storage = strings.ToLower(id.Kind)+"s", []string{"create", "patch", "update"}, true
	if id.status {
		k.Status = true
		k.Subresources = []schema.Subresource{{Name: "status", Kind: id.GroupVersionKind, Verbs: []string{"patch", "update"}}}
	}
	return k
}

// nearestKind reports whether the kind certainly does not exist, because its group is built
// in or because the kind has other versions, and suggests the kind that may have been
// meant. A group without a dot, such as "extensions", is or was built in: a
// CustomResourceDefinition cannot have such a group.
func (l *Lab) nearestKind(id schema.GroupVersionKind) (known bool, hint string) {
	builtin := !strings.Contains(id.Group, ".")
	names := map[string]bool{}
	var versions, elsewhere []string
	for k := range l.Kinds().Kinds() {
		if k.Group != id.Group {
			if k.Builtin && k.Kind == id.Kind {
				elsewhere = append(elsewhere, k.APIVersion())
			}
			continue
		}
		builtin = builtin || k.Builtin
		names[k.Kind] = true
		if k.Kind == id.Kind {
			versions = append(versions, k.APIVersion())
		}
	}
	if len(versions) == 0 && builtin {
		versions = elsewhere
	}
	if len(versions) > 0 {
		return true, "; it is in " + slices.MinFunc(versions, compareVersions)
	}
	if near := schema.Nearest(id.Kind, maps.Keys(names)); near != "" {
		return builtin, "; did you mean " + near + "?"
	}
	return builtin, ""
}

// compareVersions orders the apiVersions of one group by preference.
func compareVersions(a, b string) int {
	_, va, _ := schema.SplitAPIVersion(a)
	_, vb, _ := schema.SplitAPIVersion(b)
	return schema.CompareVersions(va, vb)
}
