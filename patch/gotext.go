package patch

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
)

// goText returns a value as Go's fmt prints its decoded form, by which kubectl sorts lists:
// maps as map[a:1 b:2], lists as [1 2], null as <nil>.
func goText(v document.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	return string(appendGoText(nil, v))
}

func appendGoText(dst []byte, v document.Value) []byte {
	switch v.Kind() {
	case document.String:
		return append(dst, v.StringOr("")...)
	case document.Number:
		if i, ok := v.Int(); ok {
			return strconv.AppendInt(dst, i, 10)
		}
		f, _ := v.Float()
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	case document.Bool:
		b, _ := v.Bool()
		return strconv.AppendBool(dst, b)
	case document.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = appendGoText(dst, item)
		}
		return append(dst, ']')
	case document.Object:
		dst = append(dst, "map["...)
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = appendGoText(append(append(dst, v.Key(i)...), ':'), v.At(i))
		}
		return append(dst, ']')
	}
	return append(dst, "<nil>"...)
}
