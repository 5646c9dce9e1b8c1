package protobuf

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// OpenAPI encodes an OpenAPI 2 document as the protobuf message that clients use
// (openapi.v2.Document of github.com/google/gnostic-models): version, title, definitions, and
// of the paths what clients read in this form: the query parameters of patches, by which kubectl
// before version 1.27 finds out whether the server supports dry runs and field validation.
func OpenAPI(doc document.Value) []byte {
	out := appendBytes(nil, 1, doc.Get("swagger").StringOr("2.0"))
	out = appendEncoded(out, 2, func(info []byte) []byte {
		info = appendBytes(info, 1, doc.Get("info").Get("title").StringOr(""))
		return appendBytes(info, 2, doc.Get("info").Get("version").StringOr(""))
	})
	out = appendEncoded(out, 8, func(paths []byte) []byte { return appendPatches(paths, doc.Get("paths")) })
	return appendEncoded(out, 9, func(definitions []byte) []byte { return appendSchemas(definitions, doc.Get("definitions")) })
}

// appendPatches appends the patch operations of an object of paths.
func appendPatches(b []byte, paths document.Value) []byte {
	for path, item := range paths.Members() {
		operation := item.Get("patch")
		if !operation.Exists() {
			continue
		}
		b = appendEncoded(b, 2, func(named []byte) []byte {
			return appendEncoded(appendBytes(named, 1, path), 2, func(item []byte) []byte {
				return appendEncoded(item, 8, func(b []byte) []byte { return appendOperation(b, operation) })
			})
		})
	}
	return b
}

// appendOperation appends the media types, query parameters and extensions of an operation with
// the field numbers of gnostic's Operation.
func appendOperation(b []byte, operation document.Value) []byte {
	for _, mediaType := range operation.Get("consumes").Items() {
		b = appendBytes(b, 7, mediaType.StringOr(""))
	}
	for _, p := range operation.Get("parameters").Items() {
		if p.Get("in").StringOr("") != "query" {
			continue
		}
		query := func(b []byte) []byte {
			b = appendBytes(b, 2, "query")
			b = appendBytes(b, 4, p.Get("name").StringOr(""))
			return appendBytes(b, 6, p.Get("type").StringOr(""))
		}
		notBody := func(b []byte) []byte { return appendEncoded(b, 3, query) }
		parameter := func(b []byte) []byte { return appendEncoded(b, 2, notBody) }
		b = appendEncoded(b, 8, func(b []byte) []byte { return appendEncoded(b, 1, parameter) })
	}
	return appendExtensions(b, 13, operation)
}

// appendExtensions appends the vendor extensions of an object.
func appendExtensions(b []byte, number uint64, v document.Value) []byte {
	for key, member := range v.Members() {
		if strings.HasPrefix(key, "x-") {
			b = appendEncoded(b, number, func(extension []byte) []byte { return appendAny(appendBytes(extension, 1, key), 2, member) })
		}
	}
	return b
}

// appendSchemas appends an object of schemas by their names.
func appendSchemas(b []byte, schemas document.Value) []byte {
	for name, schema := range schemas.Members() {
		b = appendEncoded(b, 1, func(named []byte) []byte { return appendSchema(appendBytes(named, 1, name), 2, schema) })
	}
	return b
}

func appendSchema(b []byte, number uint64, s document.Value) []byte {
	return appendEncoded(b, number, func(b []byte) []byte { return appendSchemaFields(b, s) })
}

// schemaNumbers are the field numbers of gnostic's Schema.
var schemaNumbers = map[string]uint64{
	"$ref": 1, "format": 2, "title": 3, "description": 4, "default": 5, "multipleOf": 6,
	"maximum": 7, "exclusiveMaximum": 8, "minimum": 9, "exclusiveMinimum": 10,
	"maxLength": 11, "minLength": 12, "pattern": 13, "maxItems": 14, "minItems": 15, "uniqueItems": 16,
	"maxProperties": 17, "minProperties": 18, "required": 19, "enum": 20, "additionalProperties": 21,
	"type": 22, "items": 23, "properties": 25, "externalDocs": 29, "example": 30,
}

// appendSchemaFields appends the fields of a schema. Flags are in a document only if they are true.
func appendSchemaFields(b []byte, s document.Value) []byte {
	for key, v := range s.Members() {
		number := schemaNumbers[key]
		switch key {
		case "$ref", "format", "title", "description", "pattern":
			b = appendBytes(b, number, v.StringOr(""))
		case "multipleOf", "maximum", "minimum":
			b = appendDouble(b, number, v)
		case "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties":
			b = appendInteger(b, number, v)
		case "exclusiveMaximum", "exclusiveMinimum", "uniqueItems":
			b = appendInt(b, number, 1)
		case "default", "example":
			b = appendAny(b, number, v)
		case "required":
			for _, name := range v.Items() {
				b = appendBytes(b, number, name.StringOr(""))
			}
		case "enum":
			for _, item := range v.Items() {
				b = appendAny(b, number, item)
			}
		case "additionalProperties":
			b = appendEncoded(b, number, func(item []byte) []byte {
				switch allowed, isBool := v.Bool(); {
				case !isBool:
					return appendSchema(item, 1, v)
				case allowed:
					return appendInt(item, 2, 1)
				}
				return appendInt(item, 2, 0)
			})
		case "type":
			b = appendEncoded(b, number, func(item []byte) []byte { return appendBytes(item, 1, v.StringOr("")) })
		case "items":
			b = appendEncoded(b, number, func(item []byte) []byte { return appendSchema(item, 1, v) })
		case "properties":
			b = appendEncoded(b, number, func(properties []byte) []byte { return appendSchemas(properties, v) })
		case "externalDocs":
			b = appendEncoded(b, number, func(docs []byte) []byte {
				docs = appendBytes(docs, 1, v.Get("description").StringOr(""))
				return appendBytes(docs, 2, v.Get("url").StringOr(""))
			})
		}
	}
	return appendExtensions(b, 31, s)
}

// appendAny appends any value as YAML, in the block style in which kube-apiserver encodes
// extensions.
func appendAny(b []byte, number uint64, v document.Value) []byte {
	return appendEncoded(b, number, func(message []byte) []byte { return appendBytes(message, 2, string(v.YAML())) })
}

// appendEncoded appends a message that encode appends. Its length is only known then and is
// inserted before it, so that nested messages need no buffers of their own.
func appendEncoded(b []byte, number uint64, encode func([]byte) []byte) []byte {
	b, _ = appendNested(b, number, func(b []byte) ([]byte, error) { return encode(b), nil })
	return b
}

// appendInteger appends an integer of a document.
func appendInteger(b []byte, number uint64, v document.Value) []byte {
	n, _ := v.Int()
	return appendInt(b, number, n)
}

// appendDouble appends a number of a document as a double.
func appendDouble(b []byte, number uint64, v document.Value) []byte {
	f, _ := v.Float()
	return binary.LittleEndian.AppendUint64(appendTag(b, number, wire64), math.Float64bits(f))
}
