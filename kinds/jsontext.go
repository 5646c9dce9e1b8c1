//go:build !js

package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// hasJSONText reports whether a text that an error shows has a Go type other than string in kube-apiserver, see
// schema.FieldError.JSONText: those of an enumeration that is not listed, and the fields below, which have such a
// type where the rules of kube-apiserver show them, are pointers, or can be numbers.
func hasJSONText(e *schema.FieldError) bool {
	name := strings.TrimRight(e.Field, "0123456789[]")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if e.Type == schema.ErrorNotSupported {
		switch name {
		case "apiGroup", "diskURI", "kind", "resource", "strategy":
			return false
		}
		return !strings.HasSuffix(e.Field, "parameters.scope")
	}
	switch name {
	case "addressType", "deprecationWarning", "effect", "externalTrafficPolicy", "failedIndexes", "gmsaCredentialSpecName", "ipFamilies",
		"localhostProfile", "maxSurge", "maxUnavailable", "minAvailable", "operator", "podManagementPolicy", "preemptionPolicy",
		"qosClass", "resizePolicy", "runAsUserName", "scopeName", "timeZone", "uid", "usages", "volumeBindingMode", "volumeMode":
		return true
	case "managedBy":
		return e.Immutable
	case "type":
		return e.Immutable || e.Type == schema.ErrorDuplicate || strings.HasSuffix(e.Field, "target.type") || strings.HasPrefix(e.Field, "spec.limits[")
	}
	return showsResource(e)
}

// showsResource reports whether the value that an error shows is the name of a resource, the key of an amount.
func showsResource(e *schema.FieldError) bool {
	if len(e.Path) < 2 {
		return false
	}
	key, _ := e.Path[len(e.Path)-1].Name()
	if text, _ := e.BadValue.Text(); key == "" || text != key {
		return false
	}
	switch list, _ := e.Path[len(e.Path)-2].Name(); list {
	case "default", "defaultRequest", "hard", "limits", "max", "maxLimitRequestRatio", "min", "overhead", "podFixed", "requests", "used":
		return true
	}
	return false
}
