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
	if p.check(0, 1) != len(data) || p.odd > 0 {
		return nil, false
	}
	start := 0
	for _, token := range tokens {
		if start = p.enter(start, token); start < 0 {
			return nil, false
		}
	}
	end := p.check(start, 1)
	out = make([]byte, 0, len(data)-(end-start)+v.sizeHint())
	out = append(out, data[:start]...)
	out = v.AppendJSON(out)
	return append(out, data[end:]...), true
}

// enter returns the offset of the part of the value at i that a token refers to, in
// validated text in printed form.
func (p *parser) enter(i int, token string) int {
	switch p.b[i] {
	case '{':
		if p.b[i+1] != '}' {
			return p.seek(i, token)
		}
	case '[':
		index, err := strconv.Atoi(token)
		if err != nil || index < 0 || strconv.Itoa(index) != token {
			return invalid // package patch handles "+1" and "01"
		}
		if p.b[i+1] != ']' {
			return p.seekItem(i, index)
		}
	}
	return invalid
}

// seekItem returns the offset of an item of the list at i, or invalid if there is none.
func (p *parser) seekItem(i, index int) int {
	var last previousItem
	for i++; index > 0; i++ {
		if p.b[i] == '{' {
			i, _ = p.checkObject(i, 1, &last)
		} else {
			i = p.check(i, 1)
		}
		if p.b[i] == ']' {
			return invalid
		}
		index--
	}
	return i
}
