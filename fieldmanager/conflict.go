package fieldmanager

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// A Conflict is one field that an apply would change while another manager owns it.
type Conflict struct {
	// Manager, Operation, APIVersion, Subresource and Time are those of the
	// entry that owns the field. Time is zero where the entry has none.
	Manager     string
	Operation   Operation
	APIVersion  string
	Subresource string
	Time        time.Time
	// Path of the field; Path.String writes it as Kubernetes does.
	Path Path
	// Live is the field's value in the live object, Wanted the one in the
	// applied configuration, both in the version of the request. They are
	// absent where there is none.
	Live, Wanted document.Value

	fresh bool // Path is of a set that was made by this very request
}

// Field writes the path as the API server's messages and causes do. It is
// Path.String but for large integers in the fields of before-first-apply.
func (c Conflict) Field() string {
	if c.fresh {
		return c.Path.Fresh()
	}
	return c.Path.String()
}

// Owner writes who owns the field, as the API server's messages and causes do:
// "kubectl" with subresource "status" using apps/v1
func (c Conflict) Owner() string {
	s := strconv.Quote(c.Manager)
	if c.Subresource != "" {
		s += " with subresource " + strconv.Quote(c.Subresource)
	}
	if c.Operation == OperationUpdate {
		s += " using " + c.APIVersion
	}
	return s
}

// Conflicts are all the conflicts of an apply. They are sorted: by owner, and
// for each owner level by level from the top of the object down. They are an
// ErrConflict.
type Conflicts []Conflict

// Error is the message of the API server (Kubernetes 1.36), letter for letter.
func (c Conflicts) Error() string {
	var b strings.Builder
	b.WriteString("Apply failed with " + strconv.Itoa(len(c)))
	if len(c) == 1 {
		b.WriteString(" conflict: conflict with " + c[0].Owner() + ": " + c[0].Field())
		return b.String()
	}
	b.WriteString(" conflicts: ")
	for i := range c {
		if i == 0 || !c[i].sameOwner(&c[i-1]) {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("conflicts with " + c[i].Owner() + ":")
		}
		b.WriteString("\n- " + c[i].Field())
	}
	return b.String()
}

// Is makes errors.Is find ErrConflict.
func (c Conflicts) Is(target error) bool { return target == ErrConflict }

func (c *Conflict) sameOwner(o *Conflict) bool {
	return c.entry().Same(o.entry())
}

func (c *Conflict) entry() *Entry {
	return &Entry{Manager: c.Manager, Operation: c.Operation, APIVersion: c.APIVersion, Subresource: c.Subresource}
}

// sorted brings conflicts into the order of their owners. Those of one owner
// stay in the order that they were found in.
func (c Conflicts) sorted() Conflicts {
	slices.SortStableFunc(c, func(a, b Conflict) int {
		return cmp.Compare(identifier(a.entry()), identifier(b.entry()))
	})
	return c
}
