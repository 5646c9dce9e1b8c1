package store

import "strconv"

// Check returns a [*PreconditionError] unless the preconditions match an item with the given
// uid and revision; an absent item has uid "" and revision 0. It compares the UID first, as
// kube-apiserver does.
func (p Preconditions) Check(key, uid string, revision int64) error {
	if p.UID != nil && *p.UID != uid {
		return &PreconditionError{Key: key, Field: "UID", Wanted: *p.UID, Found: uid}
	}
	if p.ResourceVersion == nil {
		return nil
	}
	found := ""
	if revision != 0 {
		found = strconv.FormatInt(revision, 10)
	}
	if found != *p.ResourceVersion {
		return &PreconditionError{Key: key, Field: "ResourceVersion", Wanted: *p.ResourceVersion, Found: found}
	}
	return nil
}
