// Package gotype words the errors of kube-apiserver's decoders about values that do not fit their
// field, and those about strategic merge patches. They name Go types and the fields of these types:
//
//	json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32
//
// Users search for these messages, and tests compare them. Most Go types follow from a kind's schema;
// fields.txt has the others.
package gotype

import (
	_ "embed"
	"encoding/base64"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

//go:generate sh -c "cd ../../../test && go run ./cmd/gofields >../internal/engine/gotype/fields.txt"
//go:generate sh -c "cd ../../../test && go run ./cmd/gofields -order >../internal/engine/gotype/order.txt"

// fieldsText has a line with the name that a type has in OpenAPI documents, and below it an indented line for
// each field that a schema does not tell: its name, its path in messages, which has the names of
// embedded Go types, and its Go type. A colon separates a named list or map from the type of its elements.
//
//go:embed fields.txt
var fieldsText string

// field is a line of fieldsText.
type field struct{ path, goType, elem string }

// fields returns the lines of fieldsText by the name of the type and the name of the field.
var fields = sync.OnceValue(func() map[[2]string]field {
	out := map[[2]string]field{}
	name := ""
	for line := range strings.Lines(fieldsText) {
		words := strings.Fields(line)
		if line[0] != '\t' {
			name = words[0]
			continue
		}
		goType, elem, _ := strings.Cut(words[2], ":")
		out[[2]string{name, words[0]}] = field{words[1], goType, elem}
	}
	return out
})

// Message returns kube-apiserver's message for a value that cannot be decoded, without the kind and the version
// that the message begins with.
func Message(e *defaults.DecodeError) string {
	p := follow(e)
	if e.From == defaults.FromTree && !p.inUnion {
		return p.convert(e.Value)
	}
	return p.unmarshal(e.Value)
}

// place is a place in a Go value.
type place struct {
	typ    *schema.Type
	goType string // of the value, without pointers
	// owner is the Go type of the innermost struct, and names are the fields that lead from the outermost one.
	owner string
	names []string
	// inUnion reports that a JSON schema decodes itself around the value.
	inUnion bool
}

// follow returns the place that an error is about.
func follow(e *defaults.DecodeError) place {
	p := place{typ: e.Type, goType: derived(e.Type)}
	var props *schema.Type // of the JSON schema around the value
	elem := ""
	for _, step := range e.Path {
		if p.typ == nil {
			break
		}
		name, named := step.Name()
		switch t := p.typ; {
		case strings.HasPrefix(t.Name, schema.JSONSchemaProps) && t.Name != schema.JSONSchemaProps:
			p.inUnion = true
			if e.From == defaults.FromTree {
				p.owner, p.names = "", nil
			}
			switch {
			case named:
				p.typ = props
				p.enter(name, &elem)
			case strings.HasSuffix(t.Name, "OrStringArray"):
				p.typ, p.goType = &schema.Type{Scalar: schema.StringScalar}, "string"
			default:
				p.typ, p.goType = props, derived(props)
			}
		case !named && t.List != nil:
			p.into(t.List.Elem, &elem)
		case t.Map.Field(name) != nil:
			if t.Name == schema.JSONSchemaProps {
				props = t
			}
			p.enter(name, &elem)
		case t.Map != nil:
			p.into(t.Map.Elem, &elem)
		default:
			p.typ = nil
		}
	}
	return p
}

// enter goes to a field of a struct.
func (p *place) enter(name string, elem *string) {
	t := p.typ
	f, listed := fields()[[2]string{t.Name, name}]
	p.typ = t.Map.Member(name)
	if !listed {
		f = field{path: name, goType: derived(p.typ)}
	}
	p.goType, *elem = f.goType, f.elem
	if t.Name != "" { // the metadata of a custom resource is decoded by itself
		p.owner, p.names = base(t.Name), append(p.names, f.path)
	}
}

// into goes to an element of a list or a map, whose type is t.
func (p *place) into(t *schema.Type, elem *string) {
	goType := *elem
	if *elem = ""; goType == "" {
		if _, after, ok := strings.Cut(p.goType, "]"); ok {
			goType = strings.TrimPrefix(after, "*")
		} else {
			goType = derived(t)
		}
	}
	p.typ, p.goType = t, goType
}

// derived returns the Go type of a schema's type.
func derived(t *schema.Type) string {
	if t == nil {
		return ""
	}
	switch t.Format {
	case "int32", "int64":
		return t.Format
	case "byte":
		return "[]uint8"
	case "quantity":
		return "resource.Quantity"
	case "date-time":
		return "v1.Time"
	case "micro-time":
		return "v1.MicroTime"
	case "duration":
		return "v1.Duration"
	}
	switch t.Scalar {
	case schema.StringScalar:
		return "string"
	case schema.IntegerScalar:
		return "int64"
	case schema.NumberScalar:
		return "float64"
	case schema.BooleanScalar:
		return "bool"
	case schema.IntOrStringScalar:
		return "intstr.IntOrString"
	}
	switch {
	case t.Scalar == schema.AnyScalar && !strings.Contains(t.Name, "."): // not a Go type; one that can be anything may contain itself
		return "interface {}"
	case t.List != nil && t.Scalar != schema.AnyScalar:
		return "[]" + derived(t.List.Elem)
	case t.Name != "":
		rest, name := cutLast(t.Name)
		_, version := cutLast(rest)
		return version + "." + name
	case t.Map != nil:
		return "map[string]" + derived(t.Map.Elem)
	}
	return ""
}

// base returns the name of a Go type by its name in OpenAPI documents.
func base(name string) string {
	_, last := cutLast(name)
	return last
}

func cutLast(s string) (before, after string) {
	i := strings.LastIndexByte(s, '.')
	return s[:max(i, 0)], s[i+1:]
}

// unmarshal returns the message of Go's JSON decoder.
func (p *place) unmarshal(v document.Value) string {
	switch {
	case strings.HasPrefix(p.typ.Name, schema.JSONSchemaProps+"Or"):
		return "boolean or JSON schema expected"
	case p.typ.Scalar == schema.IntOrStringScalar:
		return p.mistyped(v, "int32")
	}
	switch p.typ.Format {
	case "quantity":
		return quantityMessage(v)
	case "date-time", "micro-time", "duration":
		if text, ok := v.Text(); ok {
			return timeMessage(p.typ.Format, text)
		}
		return p.mistyped(v, "string")
	case "byte":
		return p.bytesMessage(v)
	}
	if text, ok := v.Text(); ok && p.typ.Scalar == schema.StringScalar {
		return numberMessage(text)
	}
	return p.mistyped(v, p.goType)
}

// numberMessage returns the message for a text, such as that of an annotation, that is not the number it should be.
func numberMessage(text string) string {
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return err.Error()
	}
	return ""
}

// mistyped returns the message for a value that cannot be decoded into a Go type.
func (p *place) mistyped(v document.Value, goType string) string {
	found := gotext.JSONKind(v)
	if v.Kind() == document.Number && (strings.HasPrefix(goType, "int") || strings.HasPrefix(goType, "uint")) {
		found += " " + v.NumberText()
	}
	into := "value"
	if len(p.names) > 0 {
		into = "struct field " + p.owner + "." + strings.Join(p.names, ".")
	}
	return "json: cannot unmarshal " + found + " into Go " + into + " of type " + goType
}

// plainQuantity matches what kube-apiserver can divide into a sign, a number and a suffix.
var plainQuantity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?[0-9]*(\.[0-9]*)?([eEinumkKMGTP]*[-+]?[0-9]*)$`)
})

// quantityMessage returns the message for a value that is no quantity (k8s.io/apimachinery/pkg/api/resource).
func quantityMessage(v document.Value) string {
	text := strings.TrimSpace(strings.Trim(string(v.JSON()), `"`))
	parts := plainQuantity().FindStringSubmatch(text)
	if text == "" || parts == nil {
		return `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`
	}
	if _, err := quantity.Parse("1" + parts[2]); err != nil {
		return "unable to parse quantity's suffix"
	}
	return "unable to parse numeric part of quantity"
}

// timeMessage returns the message for a text that is no time or duration.
func timeMessage(format, text string) string {
	var err error
	switch format {
	case "duration":
		_, err = time.ParseDuration(text)
	case "micro-time":
		_, err = time.Parse("2006-01-02T15:04:05.000000Z07:00", text)
	default:
		_, err = time.Parse(time.RFC3339, text)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// bytesMessage returns the message for a value that is neither base64 nor a list of bytes.
func (p *place) bytesMessage(v document.Value) string {
	if text, ok := v.Text(); ok {
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return err.Error()
		}
	}
	for _, item := range v.Items() {
		if n, ok := item.Int(); !item.IsNull() && (!ok || n < 0 || n > math.MaxUint8) {
			return p.mistyped(item, "uint8")
		}
	}
	return p.mistyped(v, "[]uint8")
}

// convert returns the message of the converter of unstructured objects (k8s.io/apimachinery/pkg/runtime).
func (p *place) convert(v document.Value) string {
	kind, goType := goKind(v)
	t := p.typ
	switch {
	case t.Format == "byte":
		text, isText := v.Text()
		_, err := base64.StdEncoding.DecodeString(text)
		switch {
		case isText && err != nil:
			return "error decoding from json: " + err.Error()
		case v.Kind() != document.List:
			return "cannot restore slice from " + kind
		}
		for _, item := range v.Items() {
			if kind, goType := goKind(item); kind != "int64" {
				return convertMessage(kind, goType, "uint8", "uint8")
			}
		}
		return ""
	case t.Scalar == schema.IntOrStringScalar, t.Format == "quantity", t.Format == "date-time", t.Format == "micro-time", t.Format == "duration",
		strings.HasPrefix(t.Name, schema.JSONSchemaProps+"Or"):
		return (&place{typ: t}).unmarshal(v)
	case t.List != nil:
		return "cannot restore slice from " + kind
	case t.Map != nil && t.Name != "":
		return "cannot restore struct from: " + kind
	case t.Map != nil:
		return "cannot restore map from " + kind
	}
	if text, ok := v.Text(); ok && t.Scalar == schema.StringScalar {
		return numberMessage(text)
	}
	return convertMessage(kind, goType, derived(t), p.goType)
}

// convertMessage returns the message for a value of a Go kind and type that cannot become a value of another kind and type.
// Go can convert any number into another one, and an integer into a string.
func convertMessage(kind, goType, toKind, toType string) string {
	number := func(kind string) bool {
		return strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint") || strings.HasPrefix(kind, "float")
	}
	if number(kind) && number(toKind) || kind == "int64" && toKind == "string" {
		return "cannot convert " + goType + " to " + toType
	}
	return "unrecognized type: " + toKind
}

// goKind returns the kind and the type of a value in an unstructured object.
func goKind(v document.Value) (kind, goType string) {
	goType = gotext.Type(v)
	switch v.Kind() {
	case document.Object:
		return "map", goType
	case document.List:
		return "slice", goType
	}
	return goType, goType
}
