// Package table defines the columns of the tables that kubectl get prints for a kind, and
// computes their cells: the columns of kube-apiserver for built-in kinds (Kubernetes 1.36,
// pkg/printers/internalversion), the additional printer columns of custom resources, and name
// and age for all others.
package table

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Column is one column of a table.
type Column struct {
	// Name, Type and Format are as in meta.k8s.io/v1 TableColumnDefinition. A column without a
	// name has cells, but no definition.
	Name, Type, Format, Description string
	// Priority above 0 shows the column only in wide output.
	Priority int
	// Cell returns the content of the column for an object; null is an empty cell.
	Cell func(Object) document.Value
}

// Has reports whether the responses of a resource, or of a subresource of it, can be converted
// to a table. They can if kube-apiserver's storage implements ConvertToTable, as that of every
// resource that can be listed does.
func Has(k *schema.Kind, subresource string) bool {
	switch subresource {
	case "":
		return slices.Contains(k.Verbs, "list")
	case "scale":
		return true
	case "status":
		return !k.Builtin || !slices.Contains(withoutStatusTable[:], k.Resource+"."+k.Group)
	}
	return false
}

// withoutStatusTable are the resources whose status storage does not implement ConvertToTable.
var withoutStatusTable = [...]string{
	"apiservices.apiregistration.k8s.io", "customresourcedefinitions.apiextensions.k8s.io", "resourceclaims.resource.k8s.io",
	"devicetaintrules.resource.k8s.io",
}

// Of returns the columns of a resource, or of a subresource of it.
func Of(k *schema.Kind, subresource string) []Column {
	if subresource == "scale" {
		return scaleColumns(k)
	}
	if !k.Builtin {
		return customColumns(k)
	}
	key := k.Resource
	if k.Group != "" {
		key += "." + k.Group
	}
	if k.Since("1.37") {
		if columns := changedColumns(k.Group, k.Resource); columns != nil {
			return described(columns, k, key)
		}
	}
	if columns := builtinColumns(k.Group, k.Version, k.Resource); columns != nil {
		return described(columns, k, key)
	}
	return []Column{nameColumn(), ageColumn()}
}

// Conditions returns the conditions of an object's row; absent for most.
func Conditions(k *schema.Kind, object document.Value) document.Value {
	if k.Builtin && k.Group == "" && k.Resource == "pods" {
		return conditions(object)
	}
	return document.Value{}
}

// Order returns the indices of a list's items in the order of the rows of its table; nil if it
// is that of the list. value returns an item.
func Order(k *schema.Kind, count int, value func(int) document.Value) []int {
	if k.Builtin && k.Group == "flowcontrol.apiserver.k8s.io" && k.Resource == "flowschemas" {
		return flowSchemaOrder(count, value)
	}
	return nil
}

// NullRows reports whether the rows of an empty table are null instead of an empty list, as for the
// built-in kinds whose printers are not those of kube-apiserver: all with the column Created At.
func NullRows(k *schema.Kind) bool {
	return k.Builtin && slices.ContainsFunc(Of(k, ""), func(c Column) bool { return c.Name == created })
}

// Object is an object with the time relative to which ages are computed.
type Object struct {
	Value document.Value
	Now   time.Time
}

// at returns the value at a path of keys, absent if there is none.
func (o Object) at(path ...string) document.Value { return o.Value.Lookup(path...) }

// text returns a string at a path, "" for none.
func (o Object) text(path ...string) string { return o.at(path...).StringOr("") }

// number returns an integer at a path, 0 for none.
func (o Object) number(path ...string) int64 {
	n, _ := o.at(path...).Int()
	return n
}

// since returns the age of the time at a path.
func (o Object) since(path ...string) string { return age(o.at(path...), o.Now) }

func age(v document.Value, now time.Time) string {
	t, err := time.Parse(time.RFC3339, v.StringOr(""))
	if err != nil {
		return "<unknown>"
	}
	return durationText(now.Sub(t))
}

// durationText formats a duration as kubectl does: with one or two units, so that
// about two digits count.
func durationText(d time.Duration) string {
	two := func(big, bigUnit, small, smallUnit int64, units string) string {
		s := strconv.FormatInt(big/bigUnit, 10) + units[:1]
		if rest := small / smallUnit; rest > 0 {
			s += strconv.FormatInt(rest, 10) + units[1:]
		}
		return s
	}
	s := int64(d / time.Second)
	const minute, hour, day, year = 60, 3600, 24 * 3600, 365 * 24 * 3600
	switch {
	case s < -1:
		return "<invalid>"
	case s < 0:
		return "0s"
	case s < 2*minute:
		return strconv.FormatInt(s, 10) + "s"
	case s < 10*minute:
		return two(s, minute, s%minute, 1, "ms")
	case s < 3*hour:
		return strconv.FormatInt(s/minute, 10) + "m"
	case s < 8*hour:
		return two(s, hour, s%hour, minute, "hm")
	case s < 2*day:
		return strconv.FormatInt(s/hour, 10) + "h"
	case s < 8*day:
		return two(s, day, s%day, hour, "dh")
	case s < 2*year:
		return strconv.FormatInt(s/day, 10) + "d"
	case s < 8*year:
		return two(s, year, s%year, day, "yd")
	}
	return strconv.FormatInt(s/year, 10) + "y"
}

func nameColumn() Column {
	return Column{Name: "Name", Type: "string", Format: "name", Description: nameDescription, Cell: func(o Object) document.Value {
		return document.NewString(o.text("metadata", "name"))
	}}
}

func ageColumn() Column {
	age := textColumn("Age", func(o Object) string { return o.since("metadata", "creationTimestamp") })
	age.Description = ageDescription
	return age
}

// created is the name of the column of kinds for which kube-apiserver defines no columns.
const created = "Created At"

// createdColumn has Go's zero time for an object without a time, such as a bookmark.
func createdColumn() Column {
	return Column{Name: created, Type: "date", Description: ageDescription, Cell: func(o Object) document.Value {
		return document.NewString(or(o.text("metadata", "creationTimestamp"), "0001-01-01T00:00:00Z"))
	}}
}

func textColumn(name string, cell func(Object) string) Column {
	return Column{Name: name, Type: "string", Cell: func(o Object) document.Value { return document.NewString(cell(o)) }}
}

func intColumn(name string, cell func(Object) int64) Column {
	return Column{Name: name, Type: "integer", Cell: func(o Object) document.Value { return document.NewInt(cell(o)) }}
}

func boolColumn(name string, path ...string) Column {
	return Column{Name: name, Type: "boolean", Cell: func(o Object) document.Value {
		b, _ := o.at(path...).Bool()
		return document.NewBool(b)
	}}
}

// field returns a column with the string at a path, or the text missing if there is none.
func field(name, missing string, path ...string) Column {
	return textColumn(name, func(o Object) string { return or(plain(o.at(path...)), missing) })
}

// integer returns a column with the integer at a path.
func integer(name string, path ...string) Column {
	return intColumn(name, func(o Object) int64 { return o.number(path...) })
}

// wide returns a column that only wide output shows.
func wide(c Column) Column {
	c.Priority = 1
	return c
}

// undefined returns a column without a definition: some rows of kube-apiserver have more cells
// than there are columns.
func undefined(c Column) Column {
	c.Name = ""
	return c
}

// as returns a column with another type: kube-apiserver declares some numbers as strings.
func as(kind string, c Column) Column {
	c.Type = kind
	return c
}

func or(s, missing string) string {
	if s == "" {
		return missing
	}
	return s
}

// plain returns the text of a scalar, without quotes.
func plain(v document.Value) string {
	switch v.Kind() {
	case document.String:
		return v.StringOr("")
	case document.Absent, document.Null:
		return ""
	}
	return v.String()
}

// joined joins the results of each for all items of a list, including empty ones.
func joined(list document.Value, separator string, each func(document.Value) string) string {
	var out []string
	for _, item := range list.Items() {
		out = append(out, each(item))
	}
	return strings.Join(out, separator)
}

// firstOf joins the first few texts and adds the number of further ones.
func firstOf(all []string, limit int, separator string) string {
	if len(all) <= limit {
		return strings.Join(all, separator)
	}
	return strings.Join(all[:limit], separator) + " + " + strconv.Itoa(len(all)-limit) + " more..."
}

// named returns the item of a list whose member key is the text value.
func named(list document.Value, key, value string) document.Value {
	for _, item := range list.Items() {
		if item.Get(key).StringOr("") == value {
			return item
		}
	}
	return document.Value{}
}
