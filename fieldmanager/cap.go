package fieldmanager

import (
	"cmp"
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

const (
	// MaxUpdates is the maximum number of update entries of an object; the API server
	// merges the oldest ones beyond it (rule "update/cap").
	MaxUpdates = 10
	// ancient is the manager of the entry for merged ones.
	ancient = "ancient-changes"
)

// capUpdates merges the oldest update entries, while there are more than ten, into an entry
// "ancient-changes" per apiVersion (rule "update/cap"). The oldest entry of a version is merged
// only together with a second one.
//
// The algorithm is that of kube-apiserver, including its flaw: an existing
// "ancient-changes" entry that is not the oldest of its version can be merged into itself
// and is then lost.
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
	sort.SliceStable(updates, func(i, j int) bool {
		a, b := &updates[i], &updates[j]
		return cmp.Or(cmp.Compare(seconds(a.Time), seconds(b.Time)), cmp.Compare(identifier(ownerOf(a)), identifier(ownerOf(b)))) < 0
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

// gather adds the fields of an entry to the ancient-changes entry of its version, which
// replaces first, the oldest entry of the version.
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
