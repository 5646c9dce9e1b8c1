package table

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// customColumns returns the columns of a custom resource: the name and its additional printer
// columns, or the age if it has none. A column whose JSON path cannot be parsed and those
// after it are left out (apiextensions-apiserver, tableconvertor).
func customColumns(k *schema.Kind) []Column {
	columns := []Column{nameColumn()}
	if len(k.Columns) == 0 {
		age := as("date", ageColumn())
		age.Cell = func(o Object) document.Value { return cell("date", o.at("metadata", "creationTimestamp"), o) }
		return append(columns, age)
	}
	for _, c := range k.Columns {
		path, err := parsePath(c.JSONPath)
		if err != nil {
			return columns
		}
		kind, description := c.Type, c.Description
		if description == "" {
			description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		columns = append(columns, Column{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: description, Priority: c.Priority,
			Cell: func(o Object) document.Value { return cell(kind, path.first(o.Value), o) },
		})
	}
	return columns
}

// cell converts a value to the type of a column, null if it has another type.
func cell(kind string, v document.Value, o Object) document.Value {
	if !v.Exists() {
		return document.NewNull()
	}
	switch kind {
	case "string":
		return document.NewString(goText(v))
	case "date":
		return date(v, o)
	case "boolean":
		if _, ok := v.Bool(); ok {
			return v
		}
	case "integer":
		if f, ok := v.Float(); ok {
			if v.IsInt() || math.Abs(f) > math.MaxInt64/2 {
				return v
			}
			return document.NewInt(int64(f))
		}
	case "number":
		if v.Kind() == document.Number {
			return v
		}
	}
	return document.NewNull()
}

// date returns the time since a date. An empty one is an unknown date.
func date(v document.Value, o Object) document.Value {
	text, ok := v.Text()
	since := age(v, o.Now)
	switch {
	case !ok:
		return document.NewNull()
	case text == "" || text == "null" || since != "<unknown>":
		return document.NewString(since)
	}
	return document.NewString("<invalid>")
}

// goText formats a value like package jsonpath of client-go: objects and lists as JSON, in
// which HTML is escaped, and other values like Go's %v.
func goText(v document.Value) string {
	switch v.Kind() {
	case document.Null:
		return "<no value>"
	case document.Object, document.List:
		if escaped, err := json.Marshal(json.RawMessage(v.JSON())); err == nil {
			return string(escaped)
		}
	case document.Number:
		if f, ok := v.Float(); ok && !v.IsInt() {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return plain(v)
}
