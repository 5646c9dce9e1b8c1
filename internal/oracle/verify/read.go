package verify

import "github.com/patchlab-dev/patchlab/document"

// read returns the input as ours is given it: its parts read in one of the ways
// that make no difference but in what is read when.
func (c *Case) read() document.Value {
	in := c.Input
	var like document.Value
	for i, name := range inputs[c.Work] {
		if part := in.Get(name); part.Exists() { // else the case has no such part
			like = c.readAs(uint64(i), part, like)
			in = in.With(name, like)
		}
	}
	return in
}

// readAs reads a part of the input again, beside a value like it or by itself.
func (c *Case) readAs(part uint64, v, like document.Value) document.Value {
	way := c.Seed/7 + part
	o := document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast, Borrow: true}
	switch way % 4 {
	case 0:
		return v
	case 1:
		o.Whole = true
	case 2:
		o.Items = true
	}
	if way%3 > 0 {
		o.Like = like
	}
	d, err := document.Parse(v.AppendSource(nil), o)
	if err != nil {
		panic("verify: what was read once cannot be read again: " + err.Error())
	}
	return d.Root
}
