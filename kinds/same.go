package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
	"github.com/patchlab-dev/patchlab/schema"
)

// same reports whether a value is equal in the new and the old object by apimachinery's
// equality.Semantic: absent and empty lists and maps are equal, and quantities are compared by
// amount. f and old are at the same path, and have f's type.
func (c *check) same(f, old field) bool {
	if document.SameNode(f.Value, old.Value) || document.Identical(f.Value, old.Value) {
		return true
	}
	return semantic.Equal(c.typeOf(f.at), f.Value, old.Value)
}

// typeOf returns the type of the field at a step, nil if the schema has none.
func (c *check) typeOf(at int32) *schema.Type {
	s := &c.steps[at]
	if s.kind == rootStep {
		return c.kind.Type()
	}
	t := c.typeOf(s.above)
	switch s.kind {
	case itemStep, hiddenStep, movedStep:
		if t == nil || t.List == nil {
			return nil
		}
		return t.List.Elem
	case keyStep:
		return memberType(t, s.name)
	}
	for name := range strings.SplitSeq(s.name, ".") {
		if name == "" {
			continue
		}
		t = memberType(t, name)
	}
	return t
}

func memberType(t *schema.Type, name string) *schema.Type {
	if t == nil {
		return nil
	}
	return t.Map.Member(name)
}

// amount returns the canonical form of a quantity, for messages; "0" if it is absent.
func (f field) amount() string { return amountOf(f.Value).String() }

// amountOf returns a quantity; an absent or malformed one is 0.
func amountOf(v document.Value) quantity.Quantity { return semantic.Amount(v) }
