package protobuf

import (
	"math"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// OpenAPI encodes an OpenAPI 2 document as the protobuf message that clients use
// (openapi.v2.Document of github.com/google/gnostic-models): version, title, definitions, and
// of the paths what clients read in this form: the query parameters of patches, by which kubectl
// before version 1.27 finds out whether the server supports dry runs and field validation.
func OpenAPI(doc document.Value) []byte {
	out := putText(nil, 1, doc.Get("swagger").StringOr("2.0"))
	out = putMessage(out, 2, func(info []byte) []byte {
		info = putText(info, 1, doc.Get("info").Get("title").StringOr(""))
		return putText(info, 2, doc.Get("info").Get("version").StringOr(""))
	})
	out = putMessage(out, 8, func(paths []byte) []byte { return putPatches(paths, doc.Get("paths")) })
	return putMessage(out, 9, func(definitions []byte) []byte { return putSchemas(definitions, doc.Get("definitions")) })
}

// putPatches encodes the patch operations of an object of paths.
func putPatches(b []byte, paths document.Value) []byte {
	for path, item := range paths.Members() {
		operation := item.Get("patch")
		if !operation.Exists() {
			continue
		}
		b = putMessage(b, 2, func(named []byte) []byte {
			return putMessage(putText(named, 1, path), 2, func(item []byte) []byte {
				return putMessage(item, 8, func(b []byte) []byte { return operationMessage(b, operation) })
			})
		})
	}
	return b
}

// operationMessage appends the query parameters and extensions of an operation with the field
// numbers of gnostic's Operation.
func operationMessage(b []byte, operation document.Value) []byte {
	for _, p := range operation.Get("parameters").Items() {
		if p.Get("in").StringOr("") != "query" {
			continue
		}
		query := func(b []byte) []byte {
			b = putText(b, 2, "query")
			b = putText(b, 4, p.Get("name").StringOr(""))
			return putText(b, 6, p.Get("type").StringOr(""))
		}
		notBody := func(b []byte) []byte { return putMessage(b, 3, query) }
		parameter := func(b []byte) []byte { return putMessage(b, 2, notBody) }
		b = putMessage(b, 8, func(b []byte) []byte { return putMessage(b, 1, parameter) })
	}
	return putExtensions(b, 13, operation)
}

// putExtensions encodes the vendor extensions of an object.
func putExtensions(b []byte, number int, v document.Value) []byte {
	for key, member := range v.Members() {
		if strings.HasPrefix(key, "x-") {
			b = putMessage(b, number, func(extension []byte) []byte { return putAny(putText(extension, 1, key), 2, member) })
		}
	}
	return b
}

// putSchemas encodes an object of schemas by their names.
func putSchemas(b []byte, schemas document.Value) []byte {
	for name, schema := range schemas.Members() {
		b = putMessage(b, 1, func(named []byte) []byte { return putSchema(putText(named, 1, name), 2, schema) })
	}
	return b
}

func putSchema(b []byte, number int, s document.Value) []byte {
	return putMessage(b, number, func(b []byte) []byte { return schemaMessage(b, s) })
}

// schemaMessage appends a schema with the field numbers of gnostic's Schema.
func schemaMessage(b []byte, s document.Value) []byte {
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
			b = putAny(b, 5, v)
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
				b = putAny(b, 20, item)
			}
		case "additionalProperties":
			b = putMessage(b, 21, func(item []byte) []byte {
				switch allowed, isBool := v.Bool(); {
				case !isBool:
					return putSchema(item, 1, v)
				case allowed:
					return putVarint(putTag(item, 2, 0), 1)
				}
				return putVarint(putTag(item, 2, 0), 0)
			})
		case "type":
			b = putMessage(b, 22, func(item []byte) []byte { return putText(item, 1, v.StringOr("")) })
		case "items":
			b = putMessage(b, 23, func(item []byte) []byte { return putSchema(item, 1, v) })
		case "properties":
			b = putMessage(b, 25, func(properties []byte) []byte { return putSchemas(properties, v) })
		case "externalDocs":
			b = putMessage(b, 29, func(docs []byte) []byte {
				docs = putText(docs, 1, v.Get("description").StringOr(""))
				return putText(docs, 2, v.Get("url").StringOr(""))
			})
		case "example":
			b = putAny(b, 30, v)
		}
	}
	return putExtensions(b, 31, s)
}

// putAny encodes any value as YAML, in the block style in which kube-apiserver encodes
// extensions.
func putAny(b []byte, number int, v document.Value) []byte {
	return putMessage(b, number, func(message []byte) []byte { return putText(message, 2, string(v.YAML())) })
}

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

// putMessage appends a message that encode appends. Its length is only known then and is
// inserted before it, so that nested messages need no buffers of their own.
func putMessage(b []byte, number int, encode func([]byte) []byte) []byte {
	b = putTag(b, number, 2)
	start := len(b)
	b = encode(b)
	var length [10]byte
	return slices.Insert(b, start, putVarint(length[:0], uint64(len(b)-start))...)
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
