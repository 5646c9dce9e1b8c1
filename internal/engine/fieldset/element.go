package fieldset

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// An Element is one step of a Path, in the spelling of fieldsV1:
//
//	f:NAME   the member NAME of an object
//	k:JSON   the item of a keyed list whose key fields are those of the object JSON
//	v:JSON   the item of a set that equals JSON
//	i:N      the item at index N of a list
//
// Elements are canonical, so that equal elements are equal strings: members of
// JSON sorted by name, no white space, numbers in their shortest form.
type Element string

// Field returns the element for the member of an object with that name.
func Field(name string) Element { return Element("f:" + name) }

// Index returns the element for the i-th item of a list.
func Index(i int) Element { return Element("i:" + strconv.Itoa(i)) }

// Name returns the member's name where the element stands for a member of an
// object.
func (e Element) Name() (string, bool) { return strings.CutPrefix(string(e), "f:") }

// Value returns what tells a list's item apart: the object of its key fields,
// the item of a set itself, or its index. It is absent for an object's member.
func (e Element) Value() document.Value {
	if e.kind() == 'f' || len(e) < 2 {
		return document.Value{}
	}
	d, err := document.Parse([]byte(e[2:]), document.Options{Duplicates: document.DuplicatesLast, MaxBytes: -1})
	if err != nil {
		return document.Value{}
	}
	return d.Root
}

func (e Element) kind() byte {
	if len(e) < 2 {
		return 0
	}
	return e[0]
}

// ErrElement says that a key of a fieldsV1 is no path element.
var ErrElement = errors.New("not a path element")

// ParseElement reads a key of a fieldsV1 and brings it into canonical form.
// known is false for kinds of elements that a later Kubernetes may have, which
// the API server ignores.
func ParseElement(text string) (e Element, known bool, err error) {
	if len(text) < 2 || text[1] != ':' {
		return "", false, elementError(text, "it needs a letter and a colon before its content")
	}
	switch text[0] {
	case 'f':
		return Element(text), true, nil
	case 'i':
		i, err := strconv.Atoi(text[2:])
		if err != nil {
			return "", false, elementError(text, "an index must be an integer")
		}
		if e := Index(i); string(e) != text {
			return e, true, nil
		}
		return Element(text), true, nil
	case 'k', 'v':
		if plainContent(text) {
			return Element(text), true, nil
		}
		return parseContent(text)
	}
	return "", false, nil
}

func elementError(text, why string) error {
	return &ElementError{Text: text, Reason: why}
}

// ElementError says which key of a fieldsV1 is no path element, and why.
type ElementError struct{ Text, Reason string }

func (e *ElementError) Error() string {
	return strconv.Quote(e.Text) + " is not a path element: " + e.Reason
}

// Unwrap returns ErrElement.
func (e *ElementError) Unwrap() error { return ErrElement }

func parseContent(text string) (Element, bool, error) {
	d, err := document.Parse([]byte(text[2:]), document.Options{Duplicates: document.DuplicatesLast, MaxBytes: -1})
	if err != nil {
		return "", false, elementError(text, err.Error())
	}
	v := d.Root
	if text[0] == 'k' && v.IsNull() {
		v = document.NewObject()
	}
	if text[0] == 'k' && v.Kind() != document.Object {
		return "", false, elementError(text, "the key of a list item must be an object")
	}
	if text[0] == 'v' {
		return Element(AppendContent([]byte(text[:2]), v, true)), true, nil
	}
	e := append([]byte(text[:2]), '{')
	for i := range v.Len() {
		if i > 0 {
			e = append(e, ',')
		}
		e = append(AppendName(e, v.Key(i)), ':')
		e = AppendContent(e, v.At(i), true)
	}
	return Element(append(e, '}')), true, nil
}

// plainContent reports whether the content of a k: or v: element is certainly
// canonical. It may say no to some that are.
func plainContent(text string) bool {
	s := text[2:]
	if text[0] == 'v' {
		n := plainScalar(s)
		return n > 0 && n == len(s)
	}
	if len(s) < 2 || s[0] != '{' {
		return false
	}
	s = s[1:]
	last := ""
	for {
		n := plainString(s)
		if n == 0 || n == len(s) || s[n] != ':' || s[:n] <= last {
			return false
		}
		last = s[:n]
		s = s[n+1:]
		if n = plainScalar(s); n == 0 || n == len(s) {
			return false
		}
		if s[n] == '}' {
			return n+1 == len(s)
		}
		if s[n] != ',' {
			return false
		}
		s = s[n+1:]
	}
}

// plainString returns the length of the JSON string at the start of s where it
// has no escapes and nothing that needs one, else 0.
func plainString(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < 0x20 || c >= 0x7f || c == '\\' || c == '<' || c == '>' || c == '&':
			return 0
		}
	}
	return 0
}

// plainScalar is plainString for small integers and booleans too.
func plainScalar(s string) int {
	if n := plainString(s); n > 0 {
		return n
	}
	for _, word := range [...]string{"true", "false"} {
		if strings.HasPrefix(s, word) {
			return len(word)
		}
	}
	i := 0
	if s != "" && s[0] == '-' {
		i++
	}
	first := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == first || i-first > 15 || s[first] == '0' && i > 1 {
		return 0
	}
	if i < len(s) && (s[i] == '.' || s[i] == 'e' || s[i] == 'E') {
		return 0
	}
	return i
}

// AppendContent appends what stands behind k: or v: for a value. read says that
// the value was read back from a fieldsV1, where every number is a float64: an
// integer that a float64 cannot hold then loses its last digits.
func AppendContent(dst []byte, v document.Value, read bool) []byte {
	switch v.Kind() {
	case document.Number:
		if i, ok := v.Int(); ok && (!read || exactInt(i)) {
			return strconv.AppendInt(dst, i, 10)
		}
		f, _ := v.Float()
		return appendFloat(dst, f)
	case document.String:
		s, _ := v.Text()
		return AppendString(dst, s)
	case document.List:
		dst = append(dst, '[')
		for i, it := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendContent(dst, it, read)
		}
		return append(dst, ']')
	case document.Object:
		dst = append(dst, '{')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, v.Key(i)), ':')
			dst = AppendContent(dst, v.At(i), read)
		}
		return append(dst, '}')
	}
	return v.AppendJSON(dst)
}

// exactInt reports whether a float64 holds the integer exactly and prints it so.
func exactInt(i int64) bool { return i <= 1<<53 && i >= -1<<53 }

// appendFloat prints a float64 as the API server does in field sets: the
// shortest form, with an exponent below 1e-6 and from 1e21 on.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// plainBytes are those that need no escape and no look at what follows.
var plainBytes = [256]bool{
	' ': true, '!': true, '#': true, '$': true, '%': true, '\'': true, '(': true, ')': true, '*': true, '+': true, ',': true,
	'-': true, '.': true, '/': true, '0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true,
	'8': true, '9': true, ':': true, ';': true, '=': true, '?': true, '@': true, 'A': true, 'B': true, 'C': true, 'D': true,
	'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true, 'N': true, 'O': true,
	'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'[': true, ']': true, '^': true, '_': true, '`': true, 'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true,
	'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true,
	'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true, '{': true, '|': true,
	'}': true, '~': true,
}

// AppendString quotes a string as the API server does inside an element: as
// encoding/json, but \b and \f in the long form.
func AppendString(dst []byte, s string) []byte { return appendQuoted(dst, s, true) }

// AppendName quotes the name of a key field, which the API server writes without
// the escapes that are for HTML.
func AppendName(dst []byte, name string) []byte { return appendQuoted(dst, name, false) }

func appendQuoted(dst []byte, s string, html bool) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for plain < len(s) && plainBytes[s[plain]] {
		plain++
	}
	dst = append(dst, s[:plain]...)
	for i := plain; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if html && (r == '\u2028' || r == '\u2029') {
				dst = append(append(dst, `\u202`...), digits[r&0xf])
			} else {
				dst = append(dst, s[i:i+n]...)
			}
			i += n
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20 || html && (c == '<' || c == '>' || c == '&'):
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// Compare orders elements as structured merge does: members of objects before
// items by key, by value and by index; names as strings, keys and values by
// document.Compare (so 9 before 10), indices as numbers.
func (e Element) Compare(o Element) int {
	if e == o {
		return 0
	}
	if c := cmp.Compare(e.rank(), o.rank()); c != 0 {
		return c
	}
	switch e.kind() {
	case 'k':
		return compareKeys(e.Value(), o.Value())
	case 'v':
		return document.Compare(e.Value(), o.Value())
	case 'i':
		i, _ := strconv.Atoi(string(e[2:]))
		j, _ := strconv.Atoi(string(o[2:]))
		return cmp.Compare(i, j)
	}
	return strings.Compare(string(e), string(o))
}

func (e Element) rank() int { return strings.IndexByte("fkvi", e.kind()) }

// compareKeys orders the keys of list items: field by field, name before value.
func compareKeys(a, b document.Value) int {
	for i := 0; i < min(a.Len(), b.Len()); i++ {
		if c := strings.Compare(a.Key(i), b.Key(i)); c != 0 {
			return c
		}
		if c := document.Compare(a.At(i), b.At(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Len(), b.Len())
}

// String writes the element as in Kubernetes' messages: .name,
// [key="value"], [="value"], [3].
func (e Element) String() string { return e.text(false) }

func (e Element) text(fresh bool) string {
	switch e.kind() {
	case 'f':
		return "." + string(e[2:])
	case 'i':
		return "[" + string(e[2:]) + "]"
	case 'v':
		return "[=" + messageText(e.Value(), fresh) + "]"
	}
	v := e.Value()
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = v.Key(i) + "=" + messageText(v.At(i), fresh)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// messageText writes a value as structured merge does in paths. Numbers there
// have been read as float64 and print as Go's %v does; only those of a set that
// was just made of an object are integers still.
func messageText(v document.Value, fresh bool) string {
	switch v.Kind() {
	case document.String:
		s, _ := v.Text()
		return strconv.Quote(s)
	case document.Number:
		if i, ok := v.Int(); ok && fresh {
			return strconv.FormatInt(i, 10)
		}
		f, _ := v.Float()
		return strconv.FormatFloat(f, 'g', -1, 64)
	case document.List:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = messageText(v.At(i), fresh)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case document.Object:
		var b strings.Builder
		for k, m := range v.Members() {
			b.WriteString(k + "=" + messageText(m, fresh))
		}
		return b.String()
	}
	return v.String()
}

// A Path leads from an object to one of its fields.
type Path []Element

// String writes the path as Kubernetes' messages do:
// .spec.template.spec.containers[name="web"].image
func (p Path) String() string { return p.text(false) }

// Fresh is String for a path of a set that was made of an object and never read:
// integers are written in full, where String has 1e+06.
func (p Path) Fresh() string { return p.text(true) }

func (p Path) text(fresh bool) string {
	var b strings.Builder
	for _, e := range p {
		b.WriteString(e.text(fresh))
	}
	return b.String()
}

// Fields returns the path through objects by the names given.
func Fields(names ...string) Path {
	p := make(Path, len(names))
	for i, n := range names {
		p[i] = Field(n)
	}
	return p
}

// Compare orders paths element by element, the shorter first.
func (p Path) Compare(o Path) int {
	for i := 0; i < min(len(p), len(o)); i++ {
		if c := p[i].Compare(o[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(p), len(o))
}
