package kinds

import (
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// validateNodeAnnotations validates the lists in annotations of a node that early versions of
// the scheduler read (ValidateNodeSpecificAnnotations of pkg/apis/core/validation).
func validateNodeAnnotations(c *check, annotations field) {
	const taints, avoided = "scheduler.alpha.kubernetes.io/taints", "scheduler.alpha.kubernetes.io/preferAvoidPods"
	if text := annotations.key(taints).text(); text != "" {
		if list, ok := taintList.read(text); ok {
			in := annotations.fieldKey(taints)
			in.Value = list
			validateTaints(c, in)
		} else {
			c.invalidText(annotations, taints, jsonError(text, &taintList, "must be a list of taints in JSON"))
		}
	}
	if text := annotations.key(avoided).text(); text != "" {
		if object, ok := avoidPods.read(text); ok {
			in := annotations.fieldKey(avoided)
			in.Value = object.Get("preferAvoidPods")
			validateAvoidPods(c, in)
		} else {
			c.invalidText(annotations.getAs("", "AvoidPods"), avoided,
				jsonError(text, &avoidPods, "must be an object with a list preferAvoidPods in JSON"))
		}
	}
}

// validateAvoidPods requires that each entry names a controller.
func validateAvoidPods(c *check, entries field) {
	for i := range entries.items() {
		signature := entries.item(i).getAs("podSignature", "PodSignature")
		controller := signature.getAs("podController", "PodController")
		if !controller.isSet() {
			c.required(signature, "")
		} else if is := controller.getAs("controller", "Controller"); !is.isTrue() {
			c.invalid(is, "must point to a controller")
		}
	}
}

// A jsonType is a type of Go into which kube-apiserver decodes JSON in an annotation with
// encoding/json: the names of members are compared without regard to case, unknown members are
// ignored, null sets nothing, and any other value of the wrong type is an error.
type jsonType struct {
	kind document.Kind
	// item is the type of the items of a list.
	item    *jsonType
	members []jsonMember
	// accepts reports whether a text or number is one of the type; nil for all.
	accepts func(v document.Value) bool
}

// A jsonMember is a member of an object, with its canonical name.
type jsonMember struct {
	name string
	of   *jsonType
}

var (
	jsonText = jsonType{kind: document.String}
	jsonBool = jsonType{kind: document.Bool}
	jsonTime = jsonType{kind: document.String, accepts: isTime}
	jsonInt  = jsonType{kind: document.Number, accepts: isInt64}
)

func isTime(v document.Value) bool {
	_, err := time.Parse(time.RFC3339, v.StringOr(""))
	return err == nil
}

func isInt64(v document.Value) bool {
	_, err := strconv.ParseInt(v.NumberText(), 10, 64)
	return err == nil
}

// The types of the annotations: lists of Taint and Toleration, and AvoidPods of v1.
var (
	taintList = jsonType{kind: document.List, item: &jsonType{kind: document.Object, members: []jsonMember{
		{"key", &jsonText}, {"value", &jsonText}, {"effect", &jsonText}, {"timeAdded", &jsonTime},
	}}}
	tolerationList = jsonType{kind: document.List, item: &jsonType{kind: document.Object, members: []jsonMember{
		{"key", &jsonText}, {"operator", &jsonText}, {"value", &jsonText}, {"effect", &jsonText}, {"tolerationSeconds", &jsonInt},
	}}}
	avoidPods = jsonType{kind: document.Object, members: []jsonMember{
		{"preferAvoidPods", &jsonType{kind: document.List, item: &jsonType{kind: document.Object, members: []jsonMember{
			{"podSignature", &jsonType{kind: document.Object, members: []jsonMember{{"podController", &jsonType{kind: document.Object, members: []jsonMember{
				{"apiVersion", &jsonText}, {"kind", &jsonText}, {"name", &jsonText}, {"uid", &jsonText},
				{"controller", &jsonBool}, {"blockOwnerDeletion", &jsonBool},
			}}}}}},
			{"evictionTime", &jsonTime}, {"reason", &jsonText}, {"message", &jsonText},
		}}}},
	}}
)

// read decodes a text. The result has the names of the members of the type.
func (t *jsonType) read(text string) (value document.Value, ok bool) {
	doc, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return document.Value{}, false
	}
	return t.decode(doc.Root)
}

func (t *jsonType) decode(v document.Value) (value document.Value, ok bool) {
	switch {
	case v.IsNull() && t.kind == document.Object:
		return document.NewObject(), true
	case v.IsNull():
		return document.Value{}, true
	case v.Kind() != t.kind:
		return v, false
	case t.kind == document.List:
		items := make([]document.Value, v.Len())
		for i, item := range v.Items() {
			if items[i], ok = t.item.decode(item); !ok {
				return v, false
			}
		}
		return document.NewList(items...), true
	case t.kind == document.Object:
		value = document.NewObject()
		for key, member := range v.Members() {
			for _, m := range t.members {
				if !strings.EqualFold(key, m.name) || member.IsNull() {
					continue
				}
				if member, ok = m.of.decode(member); !ok {
					return v, false
				}
				value = value.With(m.name, member)
				break
			}
		}
		return value, true
	}
	return v, t.accepts == nil || t.accepts(v)
}
