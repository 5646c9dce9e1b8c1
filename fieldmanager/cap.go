package fieldmanager

import (
	"sort"

	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
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
	left := countUpdates(entries)
	if left <= MaxUpdates {
		return entries
	}
	merged := make([]bool, len(entries))
	versions := map[string]*ancients{}
	for _, i := range updatesByTime(entries) {
		if left <= MaxUpdates {
			break
		}
		e := &entries[i]
		a := versions[e.APIVersion]
		if a == nil {
			versions[e.APIVersion] = newAncients(entries, i)
			continue
		}
		if a.at < 0 {
			a.at = a.oldest
			entries[a.at] = entry{Manager: ancient, Operation: structured.OperationUpdate, APIVersion: e.APIVersion, Fields: entries[a.at].Fields}
		}
		a.fields = append(a.fields, e.Fields)
		entries[a.at].Time = e.Time
		merged[i] = true
		left--
		if i == a.at { // the flaw
			a.at, a.fields = -1, nil
		}
	}
	for _, a := range versions {
		if a.at >= 0 {
			entries[a.at].Fields = entries[a.at].Fields.Union(fieldset.UnionOf(a.fields...))
		}
	}
	kept := entries[:0]
	for i := range entries {
		if !merged[i] {
			kept = append(kept, entries[i])
		}
	}
	return kept
}

func countUpdates(entries []entry) int {
	n := 0
	for i := range entries {
		if entries[i].Operation == structured.OperationUpdate {
			n++
		}
	}
	return n
}

// updatesByTime returns the indices of the update entries, the oldest first.
func updatesByTime(entries []entry) []int {
	var updates []int
	for i := range entries {
		if entries[i].Operation == structured.OperationUpdate {
			updates = append(updates, i)
		}
	}
	sort.SliceStable(updates, func(i, j int) bool {
		a, b := &entries[updates[i]], &entries[updates[j]]
		if at, bt := seconds(a.Time), seconds(b.Time); at != bt {
			return at < bt
		}
		return identifier(ownerOf(a)) < identifier(ownerOf(b))
	})
	return updates
}

// ancients describes the merging of the update entries of one apiVersion.
type ancients struct {
	oldest int            // index of the oldest entry
	at     int            // index of the "ancient-changes" entry, -1 if there is none
	fields []fieldset.Set // of the entries merged into it
}

func newAncients(entries []entry, oldest int) *ancients {
	e := entry{Manager: ancient, Operation: structured.OperationUpdate, APIVersion: entries[oldest].APIVersion}
	return &ancients{oldest: oldest, at: find(entries, &e)}
}
