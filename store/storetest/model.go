package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/store"
)

type (
	itemT  = store.Item[Value]
	eventT = store.Event[Value]
)

// model is a simple reference implementation of a store: a complete map for each revision.
// states and events are indexed by revision.
type model struct {
	states []map[string]itemT
	events []eventT
	oldest int64
}

func newModel() *model {
	return &model{
		states: []map[string]itemT{nil, {}},
		events: make([]eventT, 2),
		oldest: 1,
	}
}

func (m *model) revision() int64 { return int64(len(m.states)) - 1 }

func (m *model) latest() map[string]itemT { return m.states[m.revision()] }

// put writes a key and returns the expected item.
func (m *model) put(key string, v Value) itemT {
	was, existed := m.latest()[key]
	now := itemT{Key: key, Value: v, Revision: m.revision() + 1}
	e := eventT{Type: store.Added, Key: key, Value: v, Revision: now.Revision}
	if existed {
		e.Type, e.Previous, e.PreviousRevision = store.Modified, was.Value, was.Revision
	}
	next := maps.Clone(m.latest())
	next[key] = now
	m.states, m.events = append(m.states, next), append(m.events, e)
	return now
}

// remove deletes a key that exists.
func (m *model) remove(key string) itemT {
	was := m.latest()[key]
	gone := itemT{Key: key, Value: was.Value, Revision: m.revision() + 1}
	next := maps.Clone(m.latest())
	delete(next, key)
	m.states = append(m.states, next)
	m.events = append(m.events, eventT{
		Type: store.Deleted, Key: key, Value: was.Value, Revision: gone.Revision,
		Previous: was.Value, PreviousRevision: was.Revision,
	})
	return gone
}

func inScope(key, scope string) bool {
	if scope == "" || strings.HasSuffix(scope, "/") {
		return strings.HasPrefix(key, scope)
	}
	return key == scope
}

// list returns the items in scope at a revision whose keys are not less than
// from.
func (m *model) list(scope, from string, revision int64) []itemT {
	all := []itemT{}
	for key, item := range m.states[revision] {
		if inScope(key, scope) && key >= from {
			all = append(all, item)
		}
	}
	slices.SortFunc(all, func(a, b itemT) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// follow returns the events in scope after a revision.
func (m *model) follow(scope string, after int64) []eventT {
	var all []eventT
	for revision := after + 1; revision <= m.revision(); revision++ {
		if inScope(m.events[revision].Key, scope) {
			all = append(all, m.events[revision])
		}
	}
	return all
}

// someKey and someScope choose among few keys, so that writes conflict. Some keys have a common prefix of
// three segments, as those of a custom resource.
func someKey(r *rand.Rand) string {
	return fmt.Sprintf("/r/%s/%c", []string{"n", "n-1", "o", "o/p"}[r.IntN(4)], 'a'+rune(r.IntN(4)))
}

func someScope(r *rand.Rand) string {
	scopes := []string{"", "/r/", "/r/n/", "/r/n-1/", "/r/o/", "/r/o/p/", "/none/"}
	if i := r.IntN(len(scopes) + 1); i < len(scopes) {
		return scopes[i]
	}
	return someKey(r)
}

// someValue chooses among few values, so that no-op updates occur.
func someValue(r *rand.Rand) Value { return value(fmt.Sprint(r.IntN(4))) }
