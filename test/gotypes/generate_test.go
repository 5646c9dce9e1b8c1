package gotypes

import (
	"math/rand/v2"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// generator creates random objects of a kind.
type generator struct{ *rand.Rand }

// converted are fields that the API server's internal versions change. k8s.io/api does
// not have these conversions, so the fields are not generated.
var converted = map[string]bool{
	"serviceAccount": true, "serviceAccountName": true, "podIP": true, "podIPs": true, "podCIDR": true, "podCIDRs": true,
	"stringData": true, "volumeClaimTemplates": true, "terminationGracePeriodSeconds": true, "conversion": true,
	"managedFields": true, "apiVersion": true, "kind": true,
}

func (g generator) pick(texts ...string) document.Value { return g.parse(texts[g.IntN(len(texts))]) }

func (g generator) parse(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		panic(err)
	}
	return d.Root
}

func (g generator) value(t *schema.Type, depth int) document.Value {
	if g.IntN(40) == 0 {
		return document.NewNull()
	}
	switch t.Format {
	case "quantity":
		return g.pick(`"0"`, `"1"`, `2`, `"1000m"`, `"1024Mi"`, `"1.5Gi"`, `"1n"`, `"0.5"`, `"1.500"`, `"2e3"`, `"-5"`)
	case "date-time":
		return g.pick(`"2024-01-01T00:00:00Z"`, `"2024-01-01T02:00:00+02:00"`, `"2024-01-01T00:00:00.5Z"`)
	case "micro-time":
		return g.pick(`"2024-01-01T00:00:00.000000Z"`, `"2024-01-01T02:00:00.123456+02:00"`)
	case "byte":
		return g.pick(`""`, `"YQ=="`, `"eHl6"`)
	case "fields-v1":
		return g.pick(`{}`, `{"f:a":{}}`)
	}
	switch t.Scalar {
	case schema.StringScalar:
		return g.pick(`""`, `"a"`, `"b"`, `"<é>"`)
	case schema.IntegerScalar, schema.NumberScalar:
		return g.pick(`0`, `1`, `-1`, `80`)
	case schema.BooleanScalar:
		return g.pick(`true`, `false`)
	case schema.IntOrStringScalar:
		return g.pick(`0`, `8`, `""`, `"10%"`)
	case schema.AnyScalar:
		return g.pick(`{"a":1}`)
	}
	switch {
	case t.List != nil:
		var b document.ListBuilder
		for range g.IntN(3) {
			b.Append(g.value(t.List.Elem, depth+1))
		}
		return b.List()
	case t.Map == nil || len(t.Map.Fields) == 0 && t.Map.PreserveUnknown:
		return g.pick(`{"a":1}`)
	case len(t.Map.Fields) == 0 && t.Map.Elem != nil && t.Name == "":
		var b document.ObjectBuilder
		for _, key := range [...]string{"", "a", "b/c"} {
			if g.IntN(3) == 0 {
				b.Set(key, g.value(t.Map.Elem, depth+1))
			}
		}
		return b.Object()
	}
	var b document.ObjectBuilder
	for i := range t.Map.Fields {
		f := &t.Map.Fields[i]
		if converted[f.Name] || depth > 12 {
			continue
		}
		if depth == 0 && f.Name == "spec" || g.IntN(2+depth/2) == 0 {
			b.Set(f.Name, g.value(f.Type, depth+1))
		}
	}
	if g.IntN(30) == 0 {
		b.Set("unknownField", document.NewInt(1))
	}
	return b.Object()
}

// spoil replaces random values with invalid ones.
func (g generator) spoil(v document.Value, depth int) document.Value {
	if depth > 0 && g.IntN(80) == 0 {
		return g.pick(`"zz"`, `""`, `3`, `4294967297`, `1.5`, `true`, `null`, `{}`, `[]`, `["a"]`, `[300]`, `{"a":1}`, `"!"`, `"1K"`, `"."`)
	}
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for key, w := range v.Members() {
			b.Set(key, g.spoil(w, depth+1))
		}
		return b.Object()
	case document.List:
		var b document.ListBuilder
		for _, w := range v.Items() {
			b.Append(g.spoil(w, depth+1))
		}
		return b.List()
	}
	return v
}
