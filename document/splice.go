package document

import (
	"strconv"
	"unsafe"
)

// ReplaceIn returns a JSON text with one value replaced by v, in printed form.
// The value is found by the tokens of a JSON pointer, without escapes. ok is
// false where that cannot be done by exchanging a part of the text, and then says
// no more: the text is not all in printed form, is wrong or larger than o allows,
// or there is no such value. The text is read once and no tree made of it.
func ReplaceIn(data []byte, tokens []string, v Value, o Options) (out []byte, ok bool) {
	if o.tooLarge(len(data)) != nil || !v.Exists() {
		return nil, false
	}
	p := parser{doc: &unnamed, s: unsafe.String(unsafe.SliceData(data), len(data)), b: data, eagerTo: len(data)}
	if !p.pass(1) || p.i < len(data) || p.odd > 0 {
		return nil, false
	}
	p.i = 0
	for _, token := range tokens {
		if !p.enter(token) {
			return nil, false
		}
	}
	start := p.i
	p.pass(1)
	out = make([]byte, 0, len(data)-(p.i-start)+v.sizeHint())
	out = append(out, data[:start]...)
	out = v.AppendJSON(out)
	return append(out, data[p.i:]...), true
}

// enter goes from the start of a value, of a text that is right and in printed
// form, to the start of the part that a token names.
func (p *parser) enter(token string) bool {
	switch p.b[p.i] {
	case '{':
		return p.b[p.i+1] != '}' && p.seek(token)
	case '[':
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || strconv.Itoa(i) != token {
			return false // other spellings are for those who know what they mean
		}
		return p.b[p.i+1] != ']' && p.seekItem(i)
	}
	return false
}

// seekItem goes to the i-th item of the list that begins here, and reports
// whether there is one.
func (p *parser) seekItem(i int) bool {
	var kin kin
	for p.i++; i > 0; p.i++ {
		if p.b[p.i] == '{' {
			p.passObject(1, &kin)
		} else {
			p.pass(1)
		}
		if p.b[p.i] == ']' {
			return false
		}
		i--
	}
	return true
}
