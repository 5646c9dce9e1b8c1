package protobuf

import (
	"math"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// OpenAPI encodes an OpenAPI 2 document as the protobuf message that clients use
// (openapi.v2.Document of github.com/google/gnostic-models): version, title and
// definitions. It omits the paths, which no client reads in this form.
func OpenAPI(doc document.Value) []byte {
	var definitions []byte
	for name, schema := range doc.Get("definitions").Members() {
		definitions = putMessage(definitions, 1, namedSchema(name, schema))
	}
	info := putText(nil, 1, doc.Get("info").Get("title").StringOr(""))
	info = putText(info, 2, doc.Get("info").Get("version").StringOr(""))
	out := putText(nil, 1, doc.Get("swagger").StringOr("2.0"))
	out = putMessage(out, 2, info)
	out = putMessage(out, 8, nil)
	return putMessage(out, 9, definitions)
}

func namedSchema(name string, schema document.Value) []byte {
	return putMessage(putText(nil, 1, name), 2, schemaMessage(schema))
}

// schemaMessage encodes a schema with the field numbers of gnostic's Schema.
func schemaMessage(s document.Value) []byte {
	var b []byte
	for key, v := range s.Members() {
		switch key {
		case "$ref":
			b = putText(b, 1, v.StringOr(""))
		case "format":
			b = putText(b, 2, v.StringOr(""))
		case "title":
			b = putText(b, 3, v.StringOr(""))
		case "description":
			b = putText(b, 4, v.StringOr(""))
		case "default":
			b = putMessage(b, 5, anyMessage(v))
		case "multipleOf":
			b = putDouble(b, 6, v)
		case "maximum":
			b = putDouble(b, 7, v)
		case "minimum":
			b = putDouble(b, 9, v)
		case "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties":
			number := map[string]int{"maxLength": 11, "minLength": 12, "maxItems": 14, "minItems": 15, "maxProperties": 17, "minProperties": 18}[key]
			n, _ := v.Int()
			b = putVarint(putTag(b, number, 0), uint64(n))
		case "exclusiveMaximum", "exclusiveMinimum", "uniqueItems":
			number := map[string]int{"exclusiveMaximum": 8, "exclusiveMinimum": 10, "uniqueItems": 16}[key]
			b = putVarint(putTag(b, number, 0), 1)
		case "pattern":
			b = putText(b, 13, v.StringOr(""))
		case "required":
			for _, name := range v.Items() {
				b = putText(b, 19, name.StringOr(""))
			}
		case "enum":
			for _, item := range v.Items() {
				b = putMessage(b, 20, anyMessage(item))
			}
		case "additionalProperties":
			if allowed, ok := v.Bool(); ok {
				item := putTag(nil, 2, 0)
				if allowed {
					item = append(item, 1)
				} else {
					item = append(item, 0)
				}
				b = putMessage(b, 21, item)
			} else {
				b = putMessage(b, 21, putMessage(nil, 1, schemaMessage(v)))
			}
		case "type":
			b = putMessage(b, 22, putText(nil, 1, v.StringOr("")))
		case "items":
			b = putMessage(b, 23, putMessage(nil, 1, schemaMessage(v)))
		case "properties":
			var properties []byte
			for name, property := range v.Members() {
				properties = putMessage(properties, 1, namedSchema(name, property))
			}
			b = putMessage(b, 25, properties)
		case "externalDocs":
			docs := putText(nil, 1, v.Get("description").StringOr(""))
			b = putMessage(b, 29, putText(docs, 2, v.Get("url").StringOr("")))
		case "example":
			b = putMessage(b, 30, anyMessage(v))
		default:
			if strings.HasPrefix(key, "x-") {
				b = putMessage(b, 31, putMessage(putText(nil, 1, key), 2, anyMessage(v)))
			}
		}
	}
	return b
}

// anyMessage encodes any value as YAML, in the block style in which kube-apiserver encodes
// extensions.
func anyMessage(v document.Value) []byte { return putText(nil, 2, string(v.YAML())) }

func putTag(b []byte, number, kind int) []byte { return putVarint(b, uint64(number)<<3|uint64(kind)) }

func putVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func putText(b []byte, number int, s string) []byte {
	return append(putVarint(putTag(b, number, 2), uint64(len(s))), s...)
}

func putMessage(b []byte, number int, m []byte) []byte {
	return append(putVarint(putTag(b, number, 2), uint64(len(m))), m...)
}

func putDouble(b []byte, number int, v document.Value) []byte {
	f, _ := v.Float()
	b = putTag(b, number, 1)
	bits := math.Float64bits(f)
	for range 8 {
		b = append(b, byte(bits))
		bits >>= 8
	}
	return b
}
