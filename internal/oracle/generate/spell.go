package generate

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// Text returns a value as JSON with scalars as spelled originally, even if the server would
// print them differently.
func Text(v document.Value) []byte { return (&speller{}).append(nil, v) }

// Spell is Text with random formatting: members in any order, white space, characters
// written as escapes.
func (g *Generator) Spell(v document.Value) []byte {
	s := speller{g: g}
	switch g.IntN(6) {
	case 0:
		s.mixed = true
	case 1:
		s.spaced = true
	case 2:
		s.escaped = true
	case 3:
		s.mixed, s.spaced, s.escaped = true, true, true
	}
	return s.append(nil, v)
}

type speller struct {
	g                      *Generator
	mixed, spaced, escaped bool
}

func (s *speller) append(dst []byte, v document.Value) []byte {
	switch v.Kind() {
	case document.Object:
		dst = append(dst, '{')
		for i, at := range s.order(v.Len()) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = s.string(s.space(dst), v.Key(at))
			dst = append(s.space(dst), ':')
			dst = s.append(s.space(dst), v.At(at))
		}
		return append(s.space(dst), '}')
	case document.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = s.append(s.space(dst), item)
		}
		return append(s.space(dst), ']')
	case document.String:
		if text, ok := v.Text(); ok && s.escaped {
			return s.string(dst, text)
		}
	}
	return v.AppendSource(dst)
}

// order returns the indices of n members in output order.
func (s *speller) order(n int) []int {
	if s.mixed && s.g.chance(3) {
		return s.g.Perm(n)
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (s *speller) space(dst []byte) []byte {
	if s.spaced && s.g.chance(4) {
		return append(dst, [...]string{" ", "\n  ", "\t", "\r\n"}[s.g.IntN(4)]...)
	}
	return dst
}

// string writes a string, possibly with escapes.
func (s *speller) string(dst []byte, text string) []byte {
	if !s.escaped || !s.g.chance(4) {
		return document.AppendQuoted(dst, text)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c <= 0xffff && (c < ' ' || c == '"' || c == '\\' || s.g.chance(3)) {
			dst = fmt.Appendf(dst, `\u%04x`, c)
		} else {
			dst = append(dst, string(c)...)
		}
	}
	return append(dst, '"')
}
