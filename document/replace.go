package document

import (
	"strconv"
	"unsafe"
)

// ReplaceIn returns the JSON text data with one value replaced by v in printed
// form. tokens lead to the value: keys of objects and, in decimal, indices of
// lists, as in a JSON pointer (RFC 6901) after unescaping. data is checked, but no
// tree is made of it, so that this is the fastest way to change one value of a
// text.
//
// ok is false, and out nil, where data is not in printed form, is not valid JSON,
// exceeds the limit in o, or has no such value; parse data to find out which.
func ReplaceIn(data []byte, tokens []string, v Value, o Options) (out []byte, ok bool) {
	if o.tooLarge(len(data)) != nil || !v.Exists() {
		return nil, false
	}
	p := parser{doc: &unnamed, s: unsafe.String(unsafe.SliceData(data), len(data)), b: data, eagerTo: len(data)}
	if !p.check(1) || p.i < len(data) || p.odd > 0 {
		return nil, false
	}
	p.i = 0
	for _, token := range tokens {
		if !p.enter(token) {
			return nil, false
		}
	}
	start := p.i
	p.check(1)
	out = make([]byte, 0, len(data)-(p.i-start)+v.sizeHint())
	out = append(out, data[:start]...)
	out = v.AppendJSON(out)
	return append(out, data[p.i:]...), true
}

// enter moves from the start of a value, in text that has been checked and is in
// printed form, to the start of the part that a token names.
func (p *parser) enter(token string) bool {
	switch p.b[p.i] {
	case '{':
		return p.b[p.i+1] != '}' && p.seek(token)
	case '[':
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || strconv.Itoa(i) != token {
			return false // "+1" and "01" are left to package patch
		}
		return p.b[p.i+1] != ']' && p.seekItem(i)
	}
	return false
}

// seekItem moves to the i-th item of the list that begins here, and reports
// whether there is one.
func (p *parser) seekItem(i int) bool {
	var last previousItem
	for p.i++; i > 0; p.i++ {
		if p.b[p.i] == '{' {
			p.checkObject(1, &last)
		} else {
			p.check(1)
		}
		if p.b[p.i] == ']' {
			return false
		}
		i--
	}
	return true
}
