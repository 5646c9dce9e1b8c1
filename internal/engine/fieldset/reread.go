package fieldset

import "github.com/patchlab-dev/patchlab/document"

// The API server decodes the numbers in field sets as float64. An integer beyond 2^53 in a
// path element is exact when it is first encoded, and becomes the nearest float64 when the
// set is decoded again: 9007199254740993 becomes 9007199254740992. A set in this rounded
// form is called reread. Sets computed from objects are converted to it before they are
// compared with others.

// Big reports whether an element may contain an integer that a float64 cannot represent: 16
// or more consecutive digits.
func Big(element string) bool {
	if len(element) < 18 || element[0] == 'f' {
		return false
	}
	run := 0
	for i := 2; i < len(element); i++ {
		if c := element[i]; c >= '0' && c <= '9' {
			if run++; run == 16 {
				return true
			}
		} else {
			run = 0
		}
	}
	return false
}

// Reread returns the element as decoded from managedFields.
func Reread(element string) string {
	if !Big(element) {
		return element
	}
	v := rounded(Step(element).Value())
	e := []byte(element[:2])
	if element[0] == 'v' {
		return string(document.AppendElementValue(e, v))
	}
	e = append(e, '{')
	for i := range v.Len() {
		if i > 0 {
			e = append(e, ',')
		}
		e = append(document.AppendElementName(e, v.Key(i)), ':')
		e = document.AppendElementValue(e, v.At(i))
	}
	return string(append(e, '}'))
}

// rounded returns a value with integers beyond 2^53 rounded to the nearest float64.
func rounded(v document.Value) document.Value {
	switch v.Kind() {
	case document.Number:
		if i, ok := v.Int(); ok && (i > 1<<53 || i < -1<<53) {
			return document.NewFloat(float64(i))
		}
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(rounded(item))
		}
		return b.List()
	case document.Object:
		var b document.ObjectBuilder
		for name, m := range v.Members() {
			b.Set(name, rounded(m))
		}
		return b.Object()
	}
	return v
}

// Reread returns the set as decoded from managedFields.
func (s Set) Reread() Set {
	if !big(s.root) {
		return s
	}
	return rooted(reread(s.root))
}

func big(n document.Value) bool {
	for i := range n.Len() {
		if Big(n.Key(i)) || n.At(i).Len() > 0 && big(n.At(i)) {
			return true
		}
	}
	return false
}

func reread(n document.Value) document.Value {
	var kids document.ObjectBuilder
	for i := range n.Len() {
		kid := n.At(i)
		if kid.Len() > 0 {
			kid = reread(kid)
		}
		kids.Set(Reread(n.Key(i)), kid)
	}
	if kids.Len() == 0 {
		return n
	}
	return kids.Object()
}

// Add returns the union of a reread set and one that is not. Fields in both have their
// reread form.
func (s Set) Add(fresh Set) Set {
	if !big(fresh.root) {
		return s.Union(fresh)
	}
	return s.Union(rooted(adopt(s.root, fresh.root)))
}

// adopt returns fresh with the reread form of the keys that read has too.
func adopt(read, fresh document.Value) document.Value {
	var kids document.ObjectBuilder
	for i := range fresh.Len() {
		key, kid := fresh.Key(i), fresh.At(i)
		was := read.Get(Reread(key))
		if was.Exists() {
			key = Reread(key)
		}
		if kid.Len() > 0 {
			kid = adopt(was, kid)
		}
		kids.Set(key, kid)
	}
	if kids.Len() == 0 {
		return fresh
	}
	return kids.Object()
}
