package cluster

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// checkCRD judges a CustomResourceDefinition: its schemas must be structural and
// their defaults valid, its names must stay once it was established, no version
// may go in which objects may be stored, and groups of Kubernetes need approval.
func checkCRD(object, live document.Value) []Cause {
	var causes []Cause
	crd, err := schema.FromCRD(object)
	var wrong *schema.InvalidCRD
	switch {
	case errors.As(err, &wrong):
		causes = schemaCauses(wrong.Errors)
	case err != nil:
		causes = []Cause{invalidValue("spec", "", err.Error())}
	default:
		causes = schemaCauses(structural.ValidateDefaults(crd))
	}
	if live.Exists() {
		fixed := [][]string{{"group"}, {"names", "plural"}}
		if conditionTrue(live, "Established") {
			fixed = append(fixed, []string{"scope"}, []string{"names", "kind"})
		}
		for _, keys := range fixed {
			is := object.Get("spec").Lookup(keys...)
			if !document.Equal(is, live.Get("spec").Lookup(keys...)) {
				causes = append(causes, invalidValue("spec."+strings.Join(keys, "."), is.String(), "field is immutable"))
			}
		}
	}
	if crd != nil {
		causes = append(causes, checkStoredVersions(object, crd)...)
	}
	return append(causes, checkApproval(object, live)...)
}

// checkCRDStatus judges a definition that is written through its status.
func checkCRDStatus(object document.Value) []Cause {
	accepted := object.Lookup("status", "acceptedNames")
	var causes []Cause
	label := func(key string, v document.Value) {
		if text := v.StringOr(""); text != "" {
			why := names.DNSLabel(strings.ToLower(text))
			if text[0] <= '9' {
				why = "must begin with a letter"
			}
			if why != "" {
				causes = append(causes, invalidValue("status.acceptedNames."+key, v.String(), why))
			}
		}
	}
	for _, key := range [...]string{"plural", "singular", "kind", "listKind"} {
		label(key, accepted.Get(key))
	}
	for _, key := range [...]string{"shortNames", "categories"} {
		for i, v := range accepted.Get(key).Items() {
			label(key+"["+strconv.Itoa(i)+"]", v)
		}
	}
	return causes
}

// isProtected reports whether a group is one of Kubernetes' own.
func isProtected(group string) bool {
	for _, own := range [...]string{"k8s.io", "kubernetes.io"} {
		if group == own || strings.HasSuffix(group, "."+own) {
			return true
		}
	}
	return false
}

// The states of approval, as reasons of the condition.
const (
	approvalMissing  = "MissingAnnotation"
	approvalBypassed = "UnapprovedAnnotation"
	approvalInvalid  = "InvalidAnnotation"
	approved         = "ApprovedAnnotation"

	approvalKey = "api-approved.kubernetes.io"
	approvalSee = ", see https://github.com/kubernetes/enhancements/pull/1111"
)

// approval says whether a definition in one of Kubernetes' groups was approved.
func approval(crd document.Value) (state, message string) {
	text := crd.Lookup("metadata", "annotations", approvalKey).StringOr("")
	scheme, rest, _ := strings.Cut(text, "://")
	switch {
	case text == "":
		return approvalMissing, "protected groups must have approval annotation " + strconv.Quote(approvalKey) + approvalSee
	case strings.HasPrefix(text, "unapproved"):
		return approvalBypassed, "not approved: " + strconv.Quote(text)
	case scheme != "" && rest != "" && rest[0] != '/':
		return approved, "approved in " + text
	}
	return approvalInvalid, "protected groups must have approval annotation " + strconv.Quote(approvalKey) +
		" with either a URL or a reason starting with \"unapproved\"" + approvalSee
}

// checkApproval asks for approval where it is not as it was.
func checkApproval(object, live document.Value) []Cause {
	if !isProtected(object.Lookup("spec", "group").StringOr("")) {
		return nil
	}
	state, message := approval(object)
	if live.Exists() {
		if was, _ := approval(live); was == state {
			return nil
		}
	}
	const field = "metadata.annotations[" + approvalKey + "]"
	switch state {
	case approvalMissing:
		return []Cause{required(field, message)}
	case approvalInvalid:
		return []Cause{invalidValue(field, object.Lookup("metadata", "annotations", approvalKey).String(), message)}
	}
	return nil
}

func checkStoredVersions(object document.Value, crd *schema.CRD) []Cause {
	var causes []Cause
	declared := map[string]bool{}
	for _, k := range crd.Declared {
		declared[k.Version] = true
	}
	if versions := object.Lookup("status", "storedVersions"); versions.Kind() == document.List {
		for i, v := range versions.Items() {
			if !declared[v.StringOr("")] {
				causes = append(causes, invalidValue("status.storedVersions["+strconv.Itoa(i)+"]", v.String(), "must appear in spec.versions"))
			}
		}
	}
	return causes
}
