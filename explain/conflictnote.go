package explain

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// ConflictNote returns a note on a conflict that its values do not explain, "" for any other conflict. t
// is the type of the object. The values differ only in what the configuration does not set, or in how a
// quantity is written; the API server does not store the empty value that is wanted; or the live list has
// the item twice.
func ConflictNote(t *schema.Type, c fieldmanager.Conflict) string {
	switch {
	case !c.Live.Exists() && isEmpty(c.Wanted):
		return "the API server does not store this empty value, so it conflicts in each apply by another manager than its owner; drop the field"
	case c.Live.Exists() && document.Identical(c.Live, c.Wanted):
		return "the live list has several items with this key; force the conflict to replace them by one"
	}
	if note := unsetNote(c); note != "" {
		return note
	}
	return spellingNote(t, c)
}

// mostUnset is the number of fields that unsetNote names.
const mostUnset = 3

// unsetNote returns a note on a conflict whose values differ only in what the configuration
// does not set, "" for any other conflict. The fields below an atomic field are not owned one
// by one, so what the API server has set by default there, such as the apiVersion of a
// fieldRef, conflicts with a configuration that relies on it.
func unsetNote(c fieldmanager.Conflict) string {
	unset, ok := onlyUnset(nil, c.Live, c.Wanted, nil)
	if !ok || len(unset) == 0 {
		return ""
	}
	rest := ""
	if n := len(unset) - mostUnset; n > 0 {
		unset, rest = unset[:mostUnset], fmt.Sprintf(" and %d more", n)
	}
	return "not in the manifest: " + strings.Join(unset, ", ") + rest + "; an atomic field is compared as a whole"
}

// onlyUnset appends the fields of live that wanted does not have, with their values, to unset.
// ok reports whether the two agree in all others.
func onlyUnset(unset []string, live, wanted document.Value, at document.Path) (_ []string, ok bool) {
	switch {
	case live.Kind() == document.List && wanted.Kind() == document.List && live.Len() == wanted.Len():
		for i, item := range live.Items() {
			if unset, ok = onlyUnset(unset, item, wanted.At(i), at.Item(i)); !ok {
				return nil, false
			}
		}
		return unset, true
	case live.Kind() != document.Object || wanted.Kind() != document.Object:
		return unset, document.Identical(live, wanted)
	}
	for key := range wanted.Members() {
		if !live.Get(key).Exists() {
			return nil, false
		}
	}
	for key, value := range live.Members() {
		field := at.Child(key)
		if !wanted.Get(key).Exists() {
			unset = append(unset, field.String()+": "+value.String())
		} else if unset, ok = onlyUnset(unset, value, wanted.Get(key), field); !ok {
			return nil, false
		}
	}
	return unset, true
}
