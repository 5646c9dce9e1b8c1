package fieldmanager

import (
	"cmp"
	"slices"

	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

const (
	// MaxUpdates is the number of entries of updates that an object keeps; of more, the
	// API server merges the oldest (rule "cap").
	MaxUpdates = 10
	// ancient is the manager of the entry that the oldest are merged into.
	ancient = "ancient-changes"
)

// capUpdates merges the oldest entries of updates, if there are more than ten,
// into one entry "ancient-changes" for each apiVersion, until ten are left (rule
// "cap"). The oldest entry of a version is merged only together with a second one.
//
// The steps are those of kube-apiserver, including their flaw: an existing
// "ancient-changes" entry that is not the oldest of its version can be merged
// into itself, and is lost then.
func capUpdates(entries []entry) []entry {
	var updates []entry
	for _, e := range entries {
		if e.Operation == structured.OperationUpdate {
			updates = append(updates, e)
		}
	}
	if len(updates) <= MaxUpdates {
		return entries
	}
	slices.SortStableFunc(updates, func(a, b entry) int {
		return cmp.Or(cmp.Compare(seconds(a.Time), seconds(b.Time)), cmp.Compare(identifier(ownerOf(&a)), identifier(ownerOf(&b))))
	})
	firsts := map[string]entry{}
	left := len(updates)
	for _, e := range updates {
		if left <= MaxUpdates {
			break
		}
		first, seen := firsts[e.APIVersion]
		if !seen {
			firsts[e.APIVersion] = e
			continue
		}
		entries = gather(entries, first, e)
		left--
	}
	return entries
}

// gather moves the fields of an entry into the ancient-changes of its version,
// which takes the place of the version's oldest entry, first.
func gather(entries []entry, first, e entry) []entry {
	bucket := entry{Manager: ancient, Operation: structured.OperationUpdate, APIVersion: e.APIVersion}
	at := find(entries, &bucket)
	if at < 0 {
		if at = find(entries, &first); at < 0 {
			return entries
		}
		bucket.Fields = entries[at].Fields
		entries[at] = bucket
	}
	from := find(entries, &e)
	entries[at].Fields = entries[at].Fields.Union(entries[from].Fields)
	entries[at].Time = e.Time
	return slices.Delete(entries, from, from+1)
}
