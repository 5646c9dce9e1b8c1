package cluster

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// maxManager is the maximum length of a field manager's name in bytes.
const maxManager = 128

// The values of the fieldValidation option.
const (
	validateStrict = "Strict"
	validateWarn   = "Warn"
	validateIgnore = "Ignore"
)

// manager returns the field manager's name: the given one, in which U+FFFD replaces bytes that are
// not UTF-8, otherwise the part of the user agent before "/", without unprintable characters.
func (r *Request) manager() string {
	if r.FieldManager != "" {
		if utf8.ValidString(r.FieldManager) {
			return r.FieldManager
		}
		return string([]rune(r.FieldManager))
	}
	agent, _, _ := strings.Cut(r.UserAgent, "/")
	var b strings.Builder
	for _, c := range agent {
		if !unicode.IsPrint(c) {
			continue
		}
		if b.Len()+utf8.RuneLen(c) > maxManager {
			break
		}
		b.WriteRune(c)
	}
	return b.String()
}

// strictness returns the field validation of the request. The default is Warn.
func (r *Request) strictness() string {
	if r.FieldValidation == "" {
		return validateWarn
	}
	return r.FieldValidation
}

// dryRun reports whether the request must not be stored.
func (r *Request) dryRun() bool { return len(r.DryRun) > 0 }

// checkWriteOptions validates the options of a create, update or patch, before anything else
// of the request is examined.
func checkWriteOptions(r *Request) *Status {
	var causes []Cause
	kind := "CreateOptions"
	switch r.Verb {
	case Update:
		kind = "UpdateOptions"
	case Patch:
		kind = "PatchOptions"
		if r.Format == ApplyPatch {
			if r.FieldManager == "" {
				causes = append(causes, required("fieldManager", "is required for apply patch"))
			}
		} else if r.Force != nil {
			causes = append(causes, forbidden("force", "may not be specified for non-apply patch"))
		}
	}
	causes = append(causes, checkManager("fieldManager", r.FieldManager)...)
	causes = append(causes, checkDryRun(r.DryRun)...)
	switch r.FieldValidation {
	case "", validateStrict, validateWarn, validateIgnore:
	default:
		causes = append(causes, notSupported("fieldValidation", strconv.Quote(r.FieldValidation),
			"", validateIgnore, validateStrict, validateWarn))
	}
	if len(causes) > 0 {
		return invalid(groupResource{"meta.k8s.io", kind}, "", causes)
	}
	return nil
}

func checkManager(field, manager string) []Cause {
	var causes []Cause
	if len(manager) > maxManager {
		causes = append(causes, tooLong(field, maxManager))
		manager = manager[:maxManager] // each cause quotes the name; limit the response
	}
	for i, c := range manager {
		if !unicode.IsPrint(c) {
			causes = append(causes, invalidValue(field, strconv.Quote(manager),
				names.Unprintable(c, i)))
		}
	}
	return causes
}

// checkDryRun refuses all values together, as apimachinery's ValidateDryRun.
func checkDryRun(values []string) []Cause {
	if !slices.ContainsFunc(values, func(v string) bool { return v != "All" }) {
		return nil
	}
	return []Cause{notSupported("dryRun", escaped(document.NewStrings(values...)), "All")}
}

// escaped returns a value as JSON in which <, > and & are escaped, as messages show options whose Go type is
// not string.
func escaped(v document.Value) string { return string(v.AppendSource(nil)) }

// checkDeletion validates the options of a deletion.
func checkDeletion(d *Deletion, dryRun []string) *Status {
	var causes []Cause
	if policy := d.PropagationPolicy; policy != nil {
		if d.OrphanDependents != nil {
			causes = append(causes, invalidValue("propagationPolicy", escaped(document.NewString(*policy)),
				"orphanDependents and deletionPropagation cannot be both set"))
		}
		switch *policy {
		case propagateOrphan, propagateBackground, propagateForeground:
		default:
			causes = append(causes, notSupported("propagationPolicy", escaped(document.NewString(*policy)),
				propagateForeground, propagateBackground, propagateOrphan, "nil"))
		}
	}
	causes = append(causes, checkDryRun(dryRun)...)
	if len(causes) > 0 {
		return invalid(groupResource{"meta.k8s.io", "DeleteOptions"}, "", causes)
	}
	return nil
}

// checkReadOptions validates the options of a list, watch or deletecollection.
func checkReadOptions(catalog *schema.Catalog, r *Request) *Status {
	var causes []Cause
	if r.Verb == Watch && !r.WatchByPath {
		causes = watchOptionCauses(catalog, r)
	} else {
		causes = listOptionCauses(r)
	}
	if len(causes) > 0 {
		return invalid(groupResource{"meta.k8s.io", "ListOptions"}, "", causes)
	}
	return nil
}

// watchOptionCauses validates the options of a watch. If it has no resourceVersion, or "0", it begins
// with the existing objects: as in Kubernetes, sendInitialEvents is set for it before validation. In
// Kubernetes 1.30, 1.31 and 1.33, the feature WatchList, which permits it, is off.
func watchOptionCauses(catalog *schema.Catalog, r *Request) (causes []Cause) {
	match := r.ResourceVersionMatch
	if r.InitialEvents != nil {
		if match != matchNotOlder {
			causes = append(causes, forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to "+matchNotOlder))
		}
		if !catalog.Since("1.34") && catalog.Version() != "1.32" {
			causes = append(causes, forbidden("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
		}
	}
	if match == "" {
		return causes
	}
	if r.InitialEvents == nil {
		causes = append(causes, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != matchNotOlder {
		causes = append(causes, notSupported("resourceVersionMatch", escaped(document.NewString(match)), matchNotOlder))
	}
	if r.Continue != "" {
		causes = append(causes, matchWithContinue())
	}
	return causes
}

// listOptionCauses validates the options of a list or deletecollection.
func listOptionCauses(r *Request) (causes []Cause) {
	if match := r.ResourceVersionMatch; match != "" {
		if r.ResourceVersion == "" {
			causes = append(causes, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if r.Continue != "" {
			causes = append(causes, matchWithContinue())
		}
		if match != matchExact && match != matchNotOlder {
			causes = append(causes, notSupported("resourceVersionMatch", escaped(document.NewString(match)), matchExact, matchNotOlder, ""))
		}
		if match == matchExact && r.ResourceVersion == "0" {
			causes = append(causes, forbidden("resourceVersionMatch", `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if r.InitialEvents != nil {
		causes = append(causes, forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return causes
}

func matchWithContinue() Cause {
	return forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
}

const (
	matchExact    = "Exact"
	matchNotOlder = "NotOlderThan"
)
