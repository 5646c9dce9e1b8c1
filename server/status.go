package server

import "github.com/patchlab-dev/patchlab/document"

// fieldOrder lists the fields of a Go type in their order, and those of the types of its fields.
type fieldOrder struct {
	names  []string
	within map[string]fieldOrder
}

// statusOrder is the order of metav1.Status, in which kube-apiserver encodes it. Some clients compare the whole
// text, among them the tests of the client for Python.
func statusOrder() fieldOrder {
	causes := fieldOrder{names: []string{"reason", "message", "field"}}
	details := fieldOrder{names: []string{"name", "group", "kind", "uid", "causes", "retryAfterSeconds"}, within: map[string]fieldOrder{"causes": causes}}
	return fieldOrder{names: []string{"kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"},
		within: map[string]fieldOrder{"details": details}}
}

// isStatus reports whether an object is a Status.
func isStatus(v document.Value) bool {
	return v.Get("kind").StringOr("") == "Status" && v.Get("apiVersion").StringOr("") == "v1"
}

// append appends the JSON of an object, or of a list of objects, that has no other fields.
func (o fieldOrder) append(dst []byte, v document.Value) []byte {
	switch v.Kind() {
	case document.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = o.append(dst, item)
		}
		return append(dst, ']')
	case document.Object:
		dst = append(dst, '{')
		comma := false
		for _, name := range o.names {
			member := v.Get(name)
			if !member.Exists() {
				continue
			}
			if comma {
				dst = append(dst, ',')
			}
			comma = true
			dst = append(document.AppendQuoted(dst, name), ':')
			if within, ok := o.within[name]; ok {
				dst = within.append(dst, member)
			} else {
				dst = member.AppendJSON(dst)
			}
		}
		return append(dst, '}')
	}
	return v.AppendJSON(dst)
}
