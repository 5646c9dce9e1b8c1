// Package gotext formats values as Go's fmt formats their decoded forms (map[string]interface {},
// []interface {}, string, int64, float64, bool and nil). kube-apiserver's messages contain such
// texts, and kubectl sorts lists by them.
package gotext

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Of returns a value as %v formats it: maps as map[a:1 b:2], lists as [1 2], null as <nil>.
func Of(v document.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	return string(appendText(nil, v))
}

// appendText appends Of(v) to dst.
func appendText(dst []byte, v document.Value) []byte {
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
			dst = appendText(dst, item)
		}
		return append(dst, ']')
	case document.Object:
		dst = append(dst, "map["...)
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = appendText(append(append(dst, v.Key(i)...), ':'), v.At(i))
		}
		return append(dst, ']')
	}
	return append(dst, "<nil>"...)
}

// Syntax returns a value as %#v formats it within a list or map.
func Syntax(v document.Value) string {
	switch v.Kind() {
	case document.String:
		text, _ := v.Text()
		return strconv.Quote(text)
	case document.Null, document.Absent:
		return "interface {}(nil)"
	case document.List:
		items := make([]string, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, Syntax(item))
		}
		return Type(v) + "{" + strings.Join(items, ", ") + "}"
	case document.Object:
		members := make([]string, 0, v.Len())
		for key, member := range v.Members() {
			members = append(members, strconv.Quote(key)+":"+Syntax(member))
		}
		return Type(v) + "{" + strings.Join(members, ", ") + "}"
	}
	return Of(v)
}

// Type returns the type of a value as %T formats it.
func Type(v document.Value) string {
	switch v.Kind() {
	case document.Bool:
		return "bool"
	case document.Number:
		if v.IsInt() {
			return "int64"
		}
		return "float64"
	case document.String:
		return "string"
	case document.List:
		return "[]interface {}"
	case document.Object:
		return "map[string]interface {}"
	}
	return "<nil>"
}

// JSONKind returns the kind of a value as the errors of encoding/json name it.
func JSONKind(v document.Value) string {
	switch v.Kind() {
	case document.Object:
		return "object"
	case document.List:
		return "array"
	case document.String:
		return "string"
	case document.Bool:
		return "bool"
	case document.Number:
		return "number"
	}
	return "null"
}

// Summary returns the beginning of a body as kube-apiserver's messages show it: in hexadecimal unless it begins as an
// object.
func Summary(body []byte) string {
	const most = 30
	short, more := body, ""
	if len(body) > most {
		short, more = body[:most], " ..."
	}
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{':
		return string([]rune(string(short))) + more // bytes that are not UTF-8 become U+FFFD, each one
	}
	return hex.EncodeToString(short) + more
}
