package table

import (
	"cmp"
	"errors"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// first returns the first value that the path leads to, absent for none and for a path that
// does not fit the object.
func (p path) first(v document.Value) document.Value {
	s := search{left: maxValues}
	found, err := s.follow(p, []document.Value{v})
	if err != nil || len(found) == 0 {
		return document.Value{}
	}
	return found[0]
}

// search evaluates a path. left limits the number of values that it visits, because paths can
// multiply them.
type search struct{ left int }

const maxValues = 1 << 18

var (
	errMisfit = errors.New("the path does not fit the object")
	errEffort = errors.New("the path leads to too many values")
)

func (s *search) follow(p path, values []document.Value) ([]document.Value, error) {
	for i := range p {
		next, err := s.step(&p[i], values)
		if err != nil {
			return nil, err
		}
		if s.left -= len(next) + 1; s.left < 0 {
			return nil, errEffort
		}
		values = next
	}
	return values, nil
}

func (s *search) step(n *node, values []document.Value) (found []document.Value, err error) {
	switch n.kind {
	case unionNode:
		for _, p := range n.paths {
			some, err := s.follow(p, values)
			if err != nil {
				return nil, err
			}
			found = append(found, some...)
		}
		return found, nil
	case invalidNode:
		return nil, errMisfit
	}
	for _, v := range values {
		switch n.kind {
		case constantNode:
			found = append(found, n.constant)
		case fieldNode:
			if member, ok := v.Find(n.name); ok && v.Kind() == document.Object {
				found = append(found, v.At(member))
			}
		case wildcardNode:
			found = append(found, parts(v)...)
		case recursiveNode:
			if found, err = s.containers(found, v); err != nil {
				return nil, err
			}
		case sliceNode:
			items, err := n.slice(v)
			if err != nil {
				return nil, err
			}
			found = append(found, items...)
		case filterNode:
			items, err := s.filter(n, v)
			if err != nil {
				return nil, err
			}
			found = append(found, items...)
		}
	}
	return found, nil
}

// parts returns the members of an object and the items of a list.
func parts(v document.Value) []document.Value {
	if v.Kind() != document.Object && v.Kind() != document.List {
		return nil
	}
	all := make([]document.Value, v.Len())
	for i := range all {
		all[i] = v.At(i)
	}
	return all
}

// containers appends a value and all values in it that have parts.
func (s *search) containers(found []document.Value, v document.Value) ([]document.Value, error) {
	inner := parts(v)
	if len(inner) == 0 {
		return found, nil
	}
	if s.left -= len(inner); s.left < 0 {
		return nil, errEffort
	}
	found = append(found, v)
	var err error
	for _, part := range inner {
		if found, err = s.containers(found, part); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// slice returns the items of a list that a slice selects. An index outside the list is an
// error.
func (n *node) slice(v document.Value) ([]document.Value, error) {
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind() != document.List {
		return nil, errMisfit
	}
	from, to, by := n.bounds[0], n.bounds[1], n.bounds[2]
	length := v.Len()
	if from.n < 0 {
		from.n += length
	}
	if !to.known {
		to.n = length
	}
	if to.n < 0 || to.n == 0 && to.derived {
		to.n += length
	}
	switch {
	case from.n == to.n:
		return nil, nil
	case from.n >= length, from.n < 0, to.n > length, to.n < 0, from.n > to.n, by.known && by.n <= 0:
		return nil, errMisfit
	case !by.known:
		by.n = 1
	}
	var items []document.Value
	for i := from.n; i < to.n; i += by.n {
		items = append(items, v.At(i))
	}
	return items, nil
}

// filter returns the items of a list for which a comparison is true, or for which the path of
// a filter without a comparison leads to a value.
func (s *search) filter(n *node, v document.Value) ([]document.Value, error) {
	if v.Kind() != document.List {
		return nil, errMisfit
	}
	var chosen []document.Value
	for _, item := range v.Items() {
		left, err := s.follow(n.paths[0], []document.Value{item})
		if n.name == "" {
			if len(left) > 0 {
				chosen = append(chosen, item)
			}
			continue
		}
		if err != nil || len(left) > 1 {
			return nil, errMisfit
		}
		if len(left) == 0 {
			continue
		}
		right, err := s.follow(n.paths[1], []document.Value{item})
		if err != nil || len(right) > 1 {
			return nil, errMisfit
		}
		if len(right) == 0 {
			continue
		}
		pass, err := compare(left[0], n.name, right[0])
		if err != nil {
			return nil, err
		}
		if pass {
			chosen = append(chosen, item)
		}
	}
	return chosen, nil
}

// compare compares two strings, integers, fractions or booleans. Values of different types,
// such as 1 and 1.5, cannot be compared.
func compare(a document.Value, operator string, b document.Value) (bool, error) {
	if a.Kind() != b.Kind() || a.IsInt() != b.IsInt() {
		return false, errMisfit
	}
	var order int
	switch a.Kind() {
	case document.String:
		order = strings.Compare(a.StringOr(""), b.StringOr(""))
	case document.Bool:
		if operator != "==" && operator != "!=" {
			return false, errMisfit
		}
		if !document.Equal(a, b) {
			order = 1
		}
	case document.Number:
		if x, ok := a.Int(); ok {
			y, _ := b.Int()
			order = cmp.Compare(x, y)
		} else {
			x, _ := a.Float()
			y, _ := b.Float()
			order = cmp.Compare(x, y)
		}
	default:
		return false, errMisfit
	}
	switch operator {
	case "==":
		return order == 0, nil
	case "!=":
		return order != 0, nil
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	case ">=":
		return order >= 0, nil
	}
	return false, errMisfit
}
