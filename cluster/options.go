package cluster

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxManager is the longest name of a field manager, in bytes.
const maxManager = 128

// The values of fieldValidation.
const (
	validateStrict = "Strict"
	validateWarn   = "Warn"
	validateIgnore = "Ignore"
)

// manager returns the field manager's name: the one given, else the first part
// of the user agent without what cannot be printed.
func (r *Request) manager() string {
	if r.FieldManager != "" {
		return r.FieldManager
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

// strictness returns what becomes of unknown fields and duplicate keys. The API
// server warns where nothing was asked for.
func (r *Request) strictness() string {
	if r.FieldValidation == "" {
		return validateWarn
	}
	return r.FieldValidation
}

// dryRun reports whether nothing is to be stored.
func (r *Request) dryRun() bool { return len(r.DryRun) > 0 }

// checkWriteOptions refuses options of create, update and patch that the API
// server refuses, before it looks at anything else.
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
				causes = append(causes, required("fieldManager", "an apply patch must name its field manager"))
			}
		} else if r.Force != nil {
			causes = append(causes, forbidden("force", "only an apply patch may be forced"))
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
		manager = manager[:maxManager] // of the rest nothing more is said: each cause holds the name
	}
	for i, c := range manager {
		if !unicode.IsPrint(c) {
			causes = append(causes, invalidValue(field, strconv.Quote(manager),
				"character "+strconv.QuoteRune(c)+" at position "+strconv.Itoa(i)+" cannot be printed"))
		}
	}
	return causes
}

func checkDryRun(values []string) []Cause {
	for _, v := range values {
		if v != "All" {
			return []Cause{notSupported("dryRun", strconv.Quote(v), "All")}
		}
	}
	return nil
}

// checkDeletion refuses options of a deletion.
func checkDeletion(d *Deletion, dryRun []string) *Status {
	var causes []Cause
	if policy := d.PropagationPolicy; policy != nil {
		if d.OrphanDependents != nil {
			causes = append(causes, invalidValue("propagationPolicy", strconv.Quote(*policy),
				"may not be given together with orphanDependents"))
		}
		switch *policy {
		case propagateOrphan, propagateBackground, propagateForeground:
		default:
			causes = append(causes, notSupported("propagationPolicy", strconv.Quote(*policy),
				propagateForeground, propagateBackground, propagateOrphan))
		}
	}
	causes = append(causes, checkDryRun(dryRun)...)
	if len(causes) > 0 {
		return invalid(groupResource{"meta.k8s.io", "DeleteOptions"}, "", causes)
	}
	return nil
}

// checkReadOptions refuses options of list, watch and deletecollection that
// contradict each other. A watch from no or any version begins with what there
// is; Kubernetes says so by setting sendInitialEvents, and so does this.
func checkReadOptions(r *Request) *Status {
	var causes []Cause
	add := func(c Cause) { causes = append(causes, c) }
	match := r.ResourceVersionMatch
	if r.Verb == Watch {
		if r.InitialEvents != nil && match != matchNotOlder {
			add(forbidden("resourceVersionMatch", "sendInitialEvents needs resourceVersionMatch to be "+matchNotOlder))
		}
		if match != "" {
			if r.InitialEvents == nil {
				add(forbidden("resourceVersionMatch", "a watch may have it only with sendInitialEvents"))
			}
			if match != matchNotOlder {
				add(notSupported("resourceVersionMatch", strconv.Quote(match), matchNotOlder))
			}
			if r.Continue != "" {
				add(forbidden("resourceVersionMatch", "may not be given with continue"))
			}
		}
	} else {
		if match != "" {
			if r.ResourceVersion == "" {
				add(forbidden("resourceVersionMatch", "may not be given without resourceVersion"))
			}
			if r.Continue != "" {
				add(forbidden("resourceVersionMatch", "may not be given with continue"))
			}
			if match != matchExact && match != matchNotOlder {
				add(notSupported("resourceVersionMatch", strconv.Quote(match), matchExact, matchNotOlder, ""))
			}
			if match == matchExact && r.ResourceVersion == "0" {
				add(forbidden("resourceVersionMatch", "version \"0\" is no exact one"))
			}
		}
		if r.InitialEvents != nil {
			add(forbidden("sendInitialEvents", "only a watch may have it"))
		}
	}
	if len(causes) > 0 {
		return invalid(groupResource{"meta.k8s.io", "ListOptions"}, "", causes)
	}
	return nil
}

const (
	matchExact    = "Exact"
	matchNotOlder = "NotOlderThan"
)
