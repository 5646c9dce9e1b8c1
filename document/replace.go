package document

import (
	"strconv"
	"unsafe"
)

// ReplaceIn returns the JSON text data with one value replaced by the printed form of v.
// tokens is the path of the value: keys of objects and decimal indices of lists, like the
// unescaped tokens of a JSON pointer (RFC 6901). data is validated but not parsed into a
// tree, which makes this the fastest way to change a single value.
//
// ok is false, and out nil, if data is not in printed form, is invalid JSON, exceeds the
// limit in o, or lacks the value; parse data to determine the cause.
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

// enter advances from the start of a value, in validated text in printed form, to the part
// that a token refers to.
func (p *parser) enter(token string) bool {
	switch p.b[p.i] {
	case '{':
		return p.b[p.i+1] != '}' && p.seek(token)
	case '[':
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || strconv.Itoa(i) != token {
			return false // package patch handles "+1" and "01"
		}
		return p.b[p.i+1] != ']' && p.seekItem(i)
	}
	return false
}

// seekItem advances to the i-th item of the list at the current position and reports
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
