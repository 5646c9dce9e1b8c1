package fieldmanager

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// Conflict is one field that an apply would change and another manager owns.
type Conflict struct {
	// Owner is the entry of managedFields that the field belongs to.
	Owner
	// Time of the owner's last change, zero if the entry has none.
	Time time.Time `json:"time,omitzero"`
	// Path of the field.
	Path document.Path `json:"path"`
	// Live is the field's value in the live object, Wanted the one in the
	// applied configuration, both in the version of the request. They are
	// absent if there is none.
	Live   document.Value `json:"live,omitzero"`
	Wanted document.Value `json:"wanted,omitzero"`
}

// Field writes the path as the API server's messages and causes do, which
// document.ParsePath does not always read back: .metadata.labels.a/b
func (c Conflict) Field() string { return fieldset.Message(c.Path) }

// String describes the conflict in one line.
func (c Conflict) String() string {
	return fmt.Sprintf("%s is owned by %s: live %s, wanted %s", c.Path, c.Owner, c.Live, c.Wanted)
}

// Conflicts is the error of an apply that would change fields of other managers.
// It is found with errors.As and is an ErrConflict:
//
//	var conflicts *fieldmanager.Conflicts
//	if errors.As(err, &conflicts) {
//		for _, c := range conflicts.List { … }
//	}
//
// As JSON it is an object with the member "conflicts".
type Conflicts struct {
	// List has at least one conflict. It is sorted by owner, as the API server
	// sorts them, and for each owner level by level from the top of the object
	// down.
	List []Conflict `json:"conflicts"`
}

// maxMessage is from how many bytes on the message names no more fields: as many as the
// body of a request may have. Ten thousand fields deep in an object would make a small
// configuration a message of hundreds of megabytes.
const maxMessage = 3 << 20

// Error returns the message of the API server (Kubernetes 1.36), letter for letter up
// to 3 MiB; a longer one ends with the number of fields that are not named.
func (c *Conflicts) Error() string {
	var b strings.Builder
	b.WriteString("Apply failed with " + strconv.Itoa(len(c.List)))
	if len(c.List) == 1 {
		b.WriteString(" conflict: conflict with " + c.List[0].Owner.String() + ": " + c.List[0].Field())
		return b.String()
	}
	b.WriteString(" conflicts: ")
	for i := range c.List {
		if b.Len() > maxMessage {
			b.WriteString("\n- and " + strconv.Itoa(len(c.List)-i) + " more")
			break
		}
		if i == 0 || !c.List[i].Same(c.List[i-1].Owner) {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("conflicts with " + c.List[i].Owner.String() + ":")
		}
		b.WriteString("\n- " + c.List[i].Field())
	}
	return b.String()
}

// Is reports whether target is ErrConflict.
func (c *Conflicts) Is(target error) bool { return target == ErrConflict }

// newConflicts sorts conflicts by owner. Those of one owner stay in the order
// that they were found in.
func newConflicts(list []Conflict) *Conflicts {
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
	slices.SortStableFunc(sorted, func(a, b sortable) int { return cmp.Compare(a.id, b.id) })
	for i := range sorted {
		list[i] = sorted[i].Conflict
	}
	return &Conflicts{List: list}
}
