package document

// AppendJSON appends the value's printed form (see the package comment) to dst. Text
// already in printed form is copied. An absent value appends nothing.
func (v Value) AppendJSON(dst []byte) []byte {
	if v.n == nil {
		return dst
	}
	return v.n.appendJSON(dst)
}

// JSON returns the value's printed form, which is empty for an absent value.
func (v Value) JSON() []byte {
	return v.AppendJSON(make([]byte, 0, v.sizeHint()+2))
}

// JSONLen returns the length of the value's printed form. Text already in printed form is
// not scanned.
func (v Value) JSONLen() int {
	if v.n == nil {
		return 0
	}
	n := v.n
	switch {
	case n.kind == String && n.flags&canonical != 0:
		return len(n.raw) + 2
	case n.flags&canonical != 0:
		return len(n.raw)
	case n.kind < List:
		return len(n.appendJSON(nil))
	}
	size := 2 + max(0, int(n.count)-1) // brackets and commas
	kids := n.kids()
	for i := range kids {
		if n.kind == Object {
			size += kids[i].keyLen()
		}
		size += Value{&kids[i]}.JSONLen()
	}
	return size
}

// keyLen returns the length of the printed key and its colon.
func (n *node) keyLen() int {
	if n.flags&keyCanonical != 0 {
		return len(n.key) + 3
	}
	return escapedLen(n.key) + 3
}

// sizeHint estimates the length of the printed form. It descends through built values to
// the parsed ones.
func (v Value) sizeHint() int {
	if v.n == nil {
		return 0
	}
	size := len(v.n.raw) + 2
	if v.n.raw != "" {
		return size
	}
	for i := range v.n.kids() {
		kid := &v.n.kids()[i]
		size += len(kid.key) + 6 + Value{kid}.sizeHint()
	}
	return size
}

// AppendSource appends the text from which the value was parsed, with its escapes and white
// space, or the printed form of a built value. An absent value appends nothing.
func (v Value) AppendSource(dst []byte) []byte {
	if v.n == nil || v.n.flags&fromSource == 0 {
		return v.AppendJSON(dst)
	}
	if v.n.kind != String {
		return append(dst, v.n.raw...)
	}
	dst = append(dst, '"')
	dst = append(dst, v.n.raw...)
	return append(dst, '"')
}

// String returns the value's printed form, or "nothing" for an absent value.
func (v Value) String() string {
	if v.n == nil {
		return "nothing"
	}
	return string(v.JSON())
}

func (n *node) appendJSON(dst []byte) []byte {
	switch n.kind {
	case String:
		if n.flags&canonical != 0 {
			dst = append(dst, '"')
			dst = append(dst, n.raw...)
			return append(dst, '"')
		}
		if n.flags&escaped != 0 {
			return AppendQuoted(dst, unescape(n.raw))
		}
		return AppendQuoted(dst, n.raw)
	case Number:
		if n.flags&canonical != 0 {
			return append(dst, n.raw...)
		}
		if n.flags&integer != 0 {
			return append(dst, '0') // -0 is the only integer whose printed form differs
		}
		f, _ := Value{n}.Float()
		return appendFloat(dst, f)
	case Null, Bool:
		return append(dst, n.raw...)
	}
	if n.flags&canonical != 0 {
		return append(dst, n.raw...)
	}
	open, end := byte('['), byte(']')
	if n.kind == Object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	kids := n.kids()
	for i := range kids {
		kid := &kids[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.kind == Object {
			dst = kid.appendKey(dst)
		}
		dst = kid.appendJSON(dst)
	}
	return append(dst, end)
}

func (n *node) appendKey(dst []byte) []byte {
	if n.flags&keyCanonical != 0 {
		dst = append(dst, '"')
		dst = append(dst, n.key...)
		return append(dst, '"', ':')
	}
	return append(AppendQuoted(dst, n.key), ':')
}
