package fieldmanager

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// Conflict is a field that an apply would change although another manager owns it.
type Conflict struct {
	// Owner identifies the managedFields entry of the field's owner.
	Owner
	// Time is the time of the owner's entry; zero if it has none.
	Time time.Time `json:"time,omitzero"`
	// Path is the path of the field.
	Path document.Path `json:"path"`
	// Live is the field's value in the live object and Wanted that in the configuration, both in
	// the apiVersion of the owner's entry, as Path is. They are absent if there is none.
	Live   document.Value `json:"live,omitzero"`
	Wanted document.Value `json:"wanted,omitzero"`
}

// Field returns the path as in the API server's messages and Status causes, which
// document.ParsePath cannot always parse: .metadata.labels.a/b
func (c Conflict) Field() string { return fieldset.Message(c.Path) }

// String returns the conflict as one line of text.
func (c Conflict) String() string {
	return fmt.Sprintf("%s is owned by %s: live %s, wanted %s", c.Path, c.Owner, c.Live, c.Wanted)
}

// Conflicts is the error of an apply that would change fields of other managers. It matches
// ErrConflict and is found with errors.As:
//
//	var conflicts *fieldmanager.Conflicts
//	if errors.As(err, &conflicts) {
//		for _, c := range conflicts.List { … }
//	}
//
// As JSON it is an object with the member "conflicts".
type Conflicts struct {
	// List holds at least one conflict. It is sorted by owner in the API server's order,
	// and for each owner level by level from the root of the object. If the paths of all conflicts
	// have more than two million steps together, it does not have those after the limit.
	List []Conflict `json:"conflicts"`

	more int // conflicts that List does not have
}

// maxConflictSteps bounds the length of the paths in Conflicts.List together. Those of fields that nest
// deeply are much longer than the configuration: 30 KB could give paths of a gigabyte.
const maxConflictSteps = 2_000_000

// maxMessage is the length from which on a message lists no further fields: the size limit
// of a request body. Without it, ten thousand deeply nested fields of a small configuration
// would give a message of hundreds of megabytes.
const maxMessage = 3 << 20

// Error returns the message of the API server (Kubernetes 1.36), byte for byte up to 3 MiB;
// a longer one ends with the number of fields omitted.
func (c *Conflicts) Error() string {
	var b strings.Builder
	count := len(c.List) + c.more
	b.WriteString("Apply failed with " + strconv.Itoa(count))
	if count == 1 {
		b.WriteString(" conflict: conflict with " + c.List[0].Owner.String() + ": " + c.List[0].Field())
		return b.String()
	}
	b.WriteString(" conflicts: ")
	for i := range c.List {
		if b.Len() > maxMessage {
			return b.String() + andMore(count-i)
		}
		if i == 0 || !c.List[i].Same(c.List[i-1].Owner) {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("conflicts with " + c.List[i].Owner.String() + ":")
		}
		b.WriteString("\n- " + c.List[i].Field())
	}
	if c.more > 0 {
		return b.String() + andMore(c.more)
	}
	return b.String()
}

// andMore is the end of a message that does not list n conflicts.
func andMore(n int) string { return "\n- and " + strconv.Itoa(n) + " more" }

// Is reports whether target is ErrConflict.
func (c *Conflicts) Is(target error) bool { return target == ErrConflict }

// newConflicts sorts conflicts by owner. Conflicts with one owner keep their order. more is the
// number of those that are not in the list.
func newConflicts(list []Conflict, more int) *Conflicts {
	type sortable struct {
		Conflict
		id string
	}
	sorted := make([]sortable, len(list))
	ids := map[Owner]string{}
	for i, c := range list {
		if ids[c.Owner] == "" {
			ids[c.Owner] = identifier(c.Owner)
		}
		sorted[i] = sortable{c, ids[c.Owner]}
	}
	sort.SliceStable(sorted, func(a, b int) bool { return sorted[a].id < sorted[b].id })
	for i := range sorted {
		list[i] = sorted[i].Conflict
	}
	return &Conflicts{List: list, more: more}
}
