package store

import "strconv"

// checkPreconditions implements guarantee G7 for one item. The UID is compared
// first, as kube-apiserver does.
func checkPreconditions[T any](p Preconditions, item Item[T], uid func(T) string) error {
	if p.UID != nil {
		found := ""
		if item.Revision != 0 {
			found = uid(item.Value)
		}
		if found != *p.UID {
			return &PreconditionError{Key: item.Key, Field: "UID", Wanted: *p.UID, Found: found}
		}
	}
	if p.ResourceVersion != nil {
		found := ""
		if item.Revision != 0 {
			found = strconv.FormatInt(item.Revision, 10)
		}
		if found != *p.ResourceVersion {
			return &PreconditionError{Key: item.Key, Field: "ResourceVersion", Wanted: *p.ResourceVersion, Found: found}
		}
	}
	return nil
}
