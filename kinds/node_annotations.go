package kinds

import (
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// validateNodeAnnotations validates the lists in annotations of a node that early versions of
// the scheduler read (ValidateNodeSpecificAnnotations of pkg/apis/core/validation).
func validateNodeAnnotations(c *check, annotations field) {
	const taints, avoided = "scheduler.alpha.kubernetes.io/taints", "scheduler.alpha.kubernetes.io/preferAvoidPods"
	if text := annotations.key(taints).text(); text != "" {
		if list, ok := parsedAnnotation(text); ok && isTaints(list) {
			in := annotations.fieldKey(taints)
			in.Value = list
			validateTaints(c, in)
		} else {
			c.invalidText(annotations, taints, "must be a list of taints in JSON")
		}
	}
	if text := annotations.key(avoided).text(); text != "" {
		if object, ok := parsedAnnotation(text); ok && isAvoidPods(object) {
			in := annotations.fieldKey(avoided)
			in.Value = object.Get("preferAvoidPods")
			validateAvoidPods(c, in)
		} else {
			c.invalidText(annotations.getAs("", "AvoidPods"), avoided, "must be an object with a list preferAvoidPods in JSON")
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

// parsedAnnotation returns the JSON value in an annotation, and whether it is one.
func parsedAnnotation(text string) (document.Value, bool) {
	doc, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return document.Value{}, false
	}
	return doc.Root, true
}

// isTaints reports whether v can be decoded as a list of taints.
func isTaints(v document.Value) bool {
	return isListOf(v, func(taint document.Value) bool {
		return membersAre(taint, document.String, "key", "value", "effect") && isTimeOrNone(taint.Get("timeAdded"))
	})
}

// isAvoidPods reports whether v can be decoded as the type AvoidPods of v1.
func isAvoidPods(v document.Value) bool {
	return isObjectOrNone(v) && isListOf(v.Get("preferAvoidPods"), func(entry document.Value) bool {
		signature := entry.Get("podSignature")
		controller := signature.Get("podController")
		return isObjectOrNone(signature) && isObjectOrNone(controller) && isTimeOrNone(entry.Get("evictionTime")) &&
			membersAre(entry, document.String, "reason", "message") &&
			membersAre(controller, document.String, "apiVersion", "kind", "name", "uid") &&
			membersAre(controller, document.Bool, "controller", "blockOwnerDeletion")
	})
}

// isListOf reports whether v is missing, null or a list of objects for which each is true.
func isListOf(v document.Value, each func(item document.Value) bool) bool {
	for _, item := range v.Items() {
		if !isObjectOrNone(item) || !each(item) {
			return false
		}
	}
	return isNothing(v) || v.Kind() == document.List
}

func isObjectOrNone(v document.Value) bool { return isNothing(v) || v.Kind() == document.Object }

func isNothing(v document.Value) bool { return !v.Exists() || v.IsNull() }

// membersAre reports whether the named members that an object has are null or of a kind.
func membersAre(object document.Value, kind document.Kind, fields ...string) bool {
	for _, name := range fields {
		if v := object.Get(name); !isNothing(v) && v.Kind() != kind {
			return false
		}
	}
	return true
}

func isTimeOrNone(v document.Value) bool {
	if isNothing(v) {
		return true
	}
	text, isText := v.Text()
	_, err := time.Parse(time.RFC3339, text)
	return isText && err == nil
}
