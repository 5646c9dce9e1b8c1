package table

import (
	"math"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// customColumns are those of a custom resource: the name and its additional
// printer columns, or the age where it has none.
func customColumns(k *schema.Kind) []Column {
	columns := []Column{nameColumn()}
	if len(k.Columns) == 0 {
		return append(columns, as("date", ageColumn()))
	}
	for _, c := range k.Columns {
		path, err := parsePath(c.JSONPath)
		kind, description := c.Type, c.Description
		if description == "" {
			description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		columns = append(columns, Column{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: description, Priority: c.Priority,
			Cell: func(o Object) document.Value {
				if err != nil {
					return document.NewNull()
				}
				return cell(kind, path.first(o.Value), o)
			},
		})
	}
	return columns
}

// cell makes of a value what a column of that type shows: nothing where the
// value is of another type.
func cell(kind string, v document.Value, o Object) document.Value {
	if !v.Exists() || v.IsNull() {
		return document.NewNull()
	}
	switch kind {
	case "string":
		return document.NewString(plain(v))
	case "date":
		if _, ok := v.Text(); !ok {
			return document.NewNull()
		}
		if since := age(v, o.Now); since != "<unknown>" {
			return document.NewString(since)
		}
		return document.NewString("<invalid>")
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
