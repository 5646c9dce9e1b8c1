package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutator changes objects at random, mostly into invalid ones.
type mutator struct {
	random  *rand.Rand
	schemas *schemas
	seen    map[string][]any // values of recorded objects, by type and property
	texts   map[string]bool  // the same with their JSON
}

// gather remembers the values of an object as candidates for the same properties.
func (m *mutator) gather(value any, typ *schema) {
	typ = m.schemas.resolve(typ)
	switch value := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(value)) {
			if typ == nil {
				continue
			}
			if p := typ.Properties[k]; p != nil {
				m.remember(typ.name+"."+k, value[k])
				m.gather(value[k], p)
			} else {
				m.gather(value[k], typ.AdditionalProperties)
			}
		}
	case []any:
		for _, item := range value {
			if typ != nil {
				m.gather(item, typ.Items)
			}
		}
	}
}

func (m *mutator) remember(key string, value any) {
	const most = 60
	if len(m.seen[key]) == most {
		return
	}
	if text := encode(value); len(text) < 4000 && !m.texts[key+" "+text] {
		m.texts[key+" "+text] = true
		m.seen[key] = append(m.seen[key], value)
	}
}

// site is a place in an object: a member or item that exists, or a property that is
// absent.
type site struct {
	path   []any // names and indexes
	typ    *schema
	key    string // of mutator.seen
	absent bool
}

func (s site) String() string {
	var b strings.Builder
	for _, p := range s.path {
		fmt.Fprintf(&b, "/%s", strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(p)))
	}
	return b.String()
}

// sites returns the places of an object below a path.
func (m *mutator) sites(value any, typ *schema, path []any) (found []site) {
	typ = m.schemas.resolve(typ)
	below := func(step any) []any { return append(slices.Clone(path), step) }
	switch value := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(value)) {
			if len(path) == 0 && (k == "apiVersion" || k == "kind" || k == "metadata") {
				continue
			}
			s := site{path: below(k)}
			if typ != nil {
				s.typ, s.key = typ.Properties[k], typ.name+"."+k
				if s.typ == nil {
					s.typ, s.key = typ.AdditionalProperties, ""
				}
			}
			found = append(found, s)
			found = append(found, m.sites(value[k], s.typ, s.path)...)
		}
		if typ == nil {
			return found
		}
		for _, k := range slices.Sorted(maps.Keys(typ.Properties)) {
			if _, set := value[k]; !set && (len(path) > 0 || k != "metadata" && k != "apiVersion" && k != "kind") {
				found = append(found, site{path: below(k), typ: typ.Properties[k], key: typ.name + "." + k, absent: true})
			}
		}
	case []any:
		for i, item := range value {
			s := site{path: below(i)}
			if typ != nil {
				s.typ = typ.Items
			}
			found = append(found, s)
			found = append(found, m.sites(item, s.typ, s.path)...)
		}
	}
	return found
}

// mutate returns a changed copy of an object and a description of the change.
func (m *mutator) mutate(object map[string]any, typ *schema) (map[string]any, string) {
	object = deepCopy(object).(map[string]any)
	if m.random.IntN(8) == 0 {
		return object, m.metadata(object)
	}
	var there, absent []site
	for _, s := range m.sites(object, typ, nil) {
		if s.absent {
			absent = append(absent, s)
		} else {
			there = append(there, s)
		}
	}
	if len(absent) > 0 && (len(there) == 0 || m.random.IntN(5) < 2) {
		s := pick(m, absent)
		set(object, s.path, m.value(s, 0))
		return object, s.String() + ": added"
	}
	if len(there) == 0 {
		return object, m.metadata(object)
	}
	s := pick(m, there)
	value := get(object, s.path)
	var how string
	switch n := m.random.IntN(20); {
	case n < 3:
		remove(object, s.path)
		return object, s.String() + ": removed"
	case n == 3:
		value, how = nil, "null"
	case n == 4:
		value, how = pick(m, []any{"text", json.Number("7"), true, []any{}, map[string]any{}, []any{"a"}, json.Number("1.5")}), "another type"
	case n < 8 && len(m.seen[s.key]) > 0:
		value, how = deepCopy(pick(m, m.seen[s.key])), "recorded"
	default:
		value, how = m.change(value, s)
	}
	set(object, s.path, value)
	return object, s.String() + ": " + how
}

// change returns another value for one that is present.
func (m *mutator) change(value any, s site) (any, string) {
	switch value := value.(type) {
	case []any:
		return m.list(value, s)
	case map[string]any:
		return m.members(value, s)
	}
	return m.scalar(s.typ), "other"
}

func (m *mutator) list(list []any, s site) (any, string) {
	list = slices.Clone(list)
	if len(list) == 0 {
		return []any{m.item(s)}, "first item"
	}
	switch m.random.IntN(8) {
	case 0:
		return []any{}, "empty list"
	case 1:
		return append(list, deepCopy(pick(m, list))), "item twice"
	case 2:
		for len(list) < 70 {
			list = append(list, deepCopy(list[0]))
		}
		return list, "many items"
	case 3:
		return append(list, nil), "null item"
	case 4:
		if _, text := list[0].(string); text {
			return append(list, ""), "empty item"
		}
		return append(list, map[string]any{}), "empty item"
	case 5:
		slices.Reverse(list)
		return list, "reversed"
	case 6:
		return list[1:], "first item removed"
	}
	return append(list, m.item(s)), "new item"
}

func (m *mutator) item(s site) any {
	typ := m.schemas.resolve(s.typ)
	if typ == nil {
		return m.scalar(nil)
	}
	return m.value(site{typ: typ.Items}, 1)
}

func (m *mutator) members(object map[string]any, s site) (any, string) {
	object = maps.Clone(object)
	typ := m.schemas.resolve(s.typ)
	if typ != nil && len(typ.Properties) > 0 {
		switch m.random.IntN(4) {
		case 0:
			return map[string]any{}, "empty object"
		case 1:
			object["unknownField"] = "x"
			return object, "unknown field"
		case 2:
			for _, k := range slices.Sorted(maps.Keys(object)) {
				if m.random.IntN(2) == 0 {
					delete(object, k)
				}
			}
			return object, "fewer fields"
		}
		return m.value(s, 0), "generated"
	}
	if m.random.IntN(5) == 0 || typ == nil {
		return map[string]any{}, "empty map"
	}
	key := pick(m, keys)
	object[key] = m.value(site{typ: typ.AdditionalProperties}, 1)
	return object, fmt.Sprintf("key %.20q", key)
}

// value generates a value for a site: one that was recorded, or one of its type.
func (m *mutator) value(s site, depth int) any {
	if len(m.seen[s.key]) > 0 && m.random.IntN(2) == 0 {
		return deepCopy(pick(m, m.seen[s.key]))
	}
	typ := m.schemas.resolve(s.typ)
	if typ == nil {
		return m.scalar(nil)
	}
	switch {
	case typ.Type == "array":
		list := []any{}
		for range m.random.IntN(3) {
			list = append(list, m.value(site{typ: typ.Items}, depth+1))
		}
		if len(list) == 1 && m.random.IntN(4) == 0 {
			list = append(list, deepCopy(list[0]))
		}
		return list
	case typ.Type == "object" && len(typ.Properties) > 0:
		object := map[string]any{}
		if depth < 4 && m.random.IntN(5) > 0 {
			for _, k := range slices.Sorted(maps.Keys(typ.Properties)) {
				if m.random.IntN(4) == 0 || slices.Contains(typ.Required, k) && m.random.IntN(10) > 0 {
					object[k] = m.value(site{typ: typ.Properties[k], key: typ.name + "." + k}, depth+1)
				}
			}
		}
		return object
	case typ.Type == "object":
		object := map[string]any{}
		if m.random.IntN(3) > 0 {
			object[pick(m, keys)] = m.value(site{typ: typ.AdditionalProperties}, depth+1)
		}
		return object
	}
	return m.scalar(typ)
}

// scalar generates a scalar of a type.
func (m *mutator) scalar(typ *schema) any {
	typ = m.schemas.resolve(typ)
	switch {
	case typ == nil:
		return pick(m, texts)
	case len(typ.Enum) > 0 && m.random.IntN(2) == 0:
		return pick(m, typ.Enum)
	case typ.Type == "integer":
		return json.Number(pick(m, integers))
	case typ.Type == "number":
		return json.Number(pick(m, []string{"0", "-1", "1.5", "100", "1e30"}))
	case typ.Type == "boolean":
		return m.random.IntN(2) == 0
	case typ.Format == "date-time":
		return pick(m, []string{"2020-01-01T00:00:00Z", "2020-01-01T00:00:01.5Z", "2030-01-01T00:00:00+02:00", "", "now", "2020-13-01T00:00:00Z"})
	case typ.Format == "byte":
		return pick(m, []string{"", "YQ==", "YWJj", "?", "LS0tLS1CRUdJTg=="})
	case typ.Format == "int-or-string":
		if m.random.IntN(2) == 0 {
			return json.Number(pick(m, integers))
		}
		return pick(m, []string{"", "0%", "10%", "100%", "101%", "-1%", "http", "5", "1.5%", "UPPER", "abcdefghijklmnop"})
	case len(typ.OneOf) > 0 || strings.HasSuffix(typ.name, "Quantity"):
		return pick(m, quantities)
	}
	return pick(m, texts)
}

// metadata changes the metadata of an object.
func (m *mutator) metadata(object map[string]any) string {
	meta, _ := object["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		object["metadata"] = meta
	}
	owner := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "a"}
	switch field := pick(m, []string{"name", "generateName", "labels", "annotations", "finalizers", "ownerReferences", "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp", "managedFields", "selfLink", "name removed"}); field {
	case "name", "generateName", "uid", "resourceVersion", "namespace":
		meta[field] = pick(m, texts)
		return "/metadata/" + field
	case "labels", "annotations":
		values := map[string]any{}
		for range 1 + m.random.IntN(2) {
			values[pick(m, keys)] = pick(m, texts)
		}
		meta[field] = values
		return "/metadata/" + field
	case "finalizers":
		meta[field] = []any{pick(m, slices.Concat(keys, []string{"foregroundDeletion", "orphan", "kubernetes", "example.com/f"})), "example.com/g"}[:1+m.random.IntN(2)]
		return "/metadata/finalizers"
	case "ownerReferences":
		list := []any{}
		for range 1 + m.random.IntN(2) {
			one := maps.Clone(owner)
			switch m.random.IntN(4) {
			case 0:
				delete(one, pick(m, []string{"apiVersion", "kind", "name", "uid"}))
			case 1:
				one[pick(m, []string{"apiVersion", "kind", "name", "uid"})] = pick(m, texts)
			case 2:
				one["controller"] = true
			}
			list = append(list, one)
		}
		meta[field] = list
		return "/metadata/ownerReferences"
	case "generation":
		meta[field] = json.Number(pick(m, integers))
	case "deletionTimestamp":
		meta[field] = "2020-01-01T00:00:00Z"
	case "selfLink":
		meta[field] = "/x"
	case "managedFields":
		meta[field] = pick(m, []any{[]any{}, []any{map[string]any{}}, []any{map[string]any{"manager": "a", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:a": map[string]any{}}}}, []any{map[string]any{"manager": "a", "operation": "X", "fieldsType": "Y"}}})
	default:
		delete(meta, "name")
	}
	return "/metadata: changed"
}

func pick[T any](m *mutator, from []T) T { return from[m.random.IntN(len(from))] }

// Values that the rules of validation tell apart.
var (
	texts = []string{
		"", " ", "a", "abc", "UPPER", "Camel", "-a", "a-", "a_b", "é", "a\nb", "a b", ".", "..", "../a", "a/../b", "/", "/a", "/a/", "/a:b", "a/b", "a/b/c",
		"a.b", "a..b", ".a", "a.", "1", "0", "-1", "123", "1.5", "0x1", "10%", "101%", "10.0.0.1", "10.0.0.256", "10.0.0.01", "127.0.0.1", "169.254.0.1", "224.0.0.1", "0.0.0.0", "fd00::1", "FD00::1", "::", "::1",
		"::ffff:1.2.3.4", "10.0.0.0/8", "10.0.0.1/8", "10.0.0.0/33", "fd00::/64", "fd00::1/64", "http://a.example.com", "https://a.example.com/x?y#z", "https://u@a/", "ftp://a", "*", "*.example.com", "*.*.com", "a.*.com",
		"example.com", "example.com/a", "example.com/", "/example", "Example.com/a", "kubernetes.io/x", "k8s.io/x", "x.k8s.io", "requests.cpu", "true", "True", "Always", "Never", "In", "Exists", "NotIn", "DoesNotExist", "TCP", "tcp", "v1", "v1beta1", "apps/v1", "a/b/v1",
		"system:masters", "system:x", "$(A)", "{{a}}", "[", "(", "a,b", "a=b", "a@b", "a:b", "sha256:", "2020-01-01T00:00:00Z", "1h", "1h30m", "* * * * *", "@daily", "@every 1h", "TZ=UTC * * * * *", "Europe/Paris", "Nowhere",
		strings.Repeat("x", 15), strings.Repeat("x", 16), strings.Repeat("x", 33), strings.Repeat("x", 53), strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 128), strings.Repeat("x", 129),
		strings.Repeat("x", 253), strings.Repeat("x", 254), strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("x", 513), strings.Repeat("x", 1025), strings.Repeat("a.", 100) + "a", strings.Repeat("x", 64) + ".com", strings.Repeat("x", 3000),
	}
	keys = []string{
		"a", "added", "", "UPPER", "a b", "a_b", "-a", "a.", "é", "a/b", "a/b/c", "example.com/a", "example.com/", "/a", "Ex_/a", "kubernetes.io/x", "a.kubernetes.io/x", "k8s.io/x", "cpu", "memory", "storage", "ephemeral-storage", "pods",
		"requests.cpu", "limits.memory", "hugepages-2Mi", "hugepages-", "example.com/gpu", "requests.example.com/gpu", "..", "..a", ".a", "a..b", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 253), strings.Repeat("x", 254), "example.com/" + strings.Repeat("x", 64), strings.Repeat("y", 254) + "/a",
	}
	integers   = []string{"0", "1", "2", "3", "-1", "-2", "10", "30", "63", "64", "80", "99", "100", "101", "127", "128", "255", "256", "300", "443", "511", "512", "600", "1000", "3600", "8080", "29999", "30000", "30100", "65534", "65535", "65536", "86400", "100000", "1000000000", "1000000001", "2147483647", "2147483648", "-2147483648", "4294967295", "9223372036854775807", "9223372036854775808", "1.5", "1e3", "1.0"}
	quantities = []any{"0", "1", "-1", "1.5", "100m", "1m", "0.5m", "1u", "1n", "1Ki", "1Mi", "64Mi", "1Gi", "10Gi", "1e3", "1E", "8Ei", "16Ei", "1k", "1K", "abc", "", " 1", "1 ", "+1", ".5", "5.", "1.5Gi", json.Number("1"), json.Number("0.5"), json.Number("-3"), "9223372036854775807", "9223372036854775808", "1e30"}
)

func deepCopy(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for k, v := range value {
			out[k] = deepCopy(v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = deepCopy(v)
		}
		return out
	}
	return value
}

func get(value any, path []any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			value = value.(map[string]any)[p]
		case int:
			value = value.([]any)[p]
		}
	}
	return value
}

func set(root any, path []any, value any) {
	last := len(path) - 1
	switch parent := get(root, path[:last]).(type) {
	case map[string]any:
		parent[path[last].(string)] = value
	case []any:
		parent[path[last].(int)] = value
	}
}

func remove(root map[string]any, path []any) {
	last := len(path) - 1
	switch parent := get(root, path[:last]).(type) {
	case map[string]any:
		delete(parent, path[last].(string))
	case []any:
		i := path[last].(int)
		set(root, path[:last], slices.Delete(slices.Clone(parent), i, i+1))
	}
}
