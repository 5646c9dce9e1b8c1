package verify

import "github.com/patchlab-dev/patchlab/document"

// read returns the input with its parts built, parsed, or parsed lazily, which must not
// affect the engines.
func (c *Case) read() document.Value {
	in := c.Input
	for i, name := range inputs[c.Work] {
		if part := in.Get(name); part.Exists() { // otherwise the case has no such part
			in = in.With(name, c.readAs(uint64(i), part))
		}
	}
	return in
}

func (c *Case) readAs(part uint64, v document.Value) document.Value {
	o := document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast}
	parse := document.Parse
	switch (c.Seed/7 + part) % 3 {
	case 0:
		return v
	case 1:
		parse = document.ParseLazy
	}
	d, err := parse(v.AppendSource(nil), o)
	if err != nil {
		panic("verify: printed JSON cannot be parsed: " + err.Error())
	}
	return d.Root
}
