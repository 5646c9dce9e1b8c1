package gotype

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/schema"
)

// orderText has a line for each Go type whose fields are not sorted by name: the name that the type has in OpenAPI
// documents, and the names of the fields in their order.
//
//go:embed order.txt
var orderText string

// order returns the names of the fields of each type in orderText.
var order = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(orderText) {
		words := strings.Fields(line)
		out[words[0]] = words[1:]
	}
	return out
})

// requoted replaces the result of a patch that a text quotes by the text of kube-apiserver, which has the members of an
// object in another order.
func requoted(text string, e *cluster.ResultError) string {
	quoted := strconv.Quote(e.Result)
	before, after, found := strings.Cut(text, quoted)
	if !found || len(quoted) > maxDecoded {
		return text
	}
	result := resultText(e)
	doc, err := document.Parse(result, document.Options{})
	if err != nil || doc.Root.String() != e.Result {
		return text
	}
	return before + strconv.Quote(string(result)) + after
}

// resultText returns the result of a patch as kube-apiserver quotes it. It applies the patch to the JSON of a Go struct,
// and parses no more of either text than the patch requires. What was not parsed keeps its order; the members of other
// objects are sorted.
func resultText(e *cluster.ResultError) []byte {
	types := (*schema.Type)(nil)
	if e.Kind.Builtin {
		types = e.Kind.Type()
	}
	root := &lazy{text: appendStruct(nil, e.Live, types, nil)}
	root.object()
	if e.Format == cluster.MergePatch {
		root.merge(&lazy{text: e.Patch})
		return root.appendJSON(nil)
	}
	var operations []struct {
		Op, Path, From string
		Value          json.RawMessage
	}
	if json.Unmarshal(e.Patch, &operations) != nil {
		return nil
	}
	for _, o := range operations {
		value := &lazy{text: o.Value}
		if o.Op == "move" || o.Op == "copy" {
			value = root.get(o.From)
		}
		switch o.Op {
		case "test":
			root.get(o.Path).parse()
			continue
		case "copy":
			value = &lazy{text: value.appendJSON(nil)}
		case "move":
			root.set("remove", o.From, nil)
		}
		root.set(o.Op, o.Path, value)
	}
	return root.appendJSON(nil)
}

// appendStruct appends the JSON of a value as Go encodes a struct of the given type; props is the type of the JSON schema
// around it.
func appendStruct(dst []byte, v document.Value, t, props *schema.Type) []byte {
	switch v.Kind() {
	case document.Object:
		return appendMembers(dst, v, t, props)
	case document.List:
		var elem *schema.Type
		if t != nil && t.List != nil {
			elem = t.List.Elem
		}
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendStruct(dst, item, elem, props)
		}
		return append(dst, ']')
	}
	return v.AppendJSON(dst)
}

// appendMembers is appendStruct for an object: its members have the order of the fields of the struct, followed by those
// that the struct does not have.
func appendMembers(dst []byte, v document.Value, t, props *schema.Type) []byte {
	var keys []string
	if t != nil {
		if t.Name == schema.JSONSchemaProps {
			props = t
		}
		if strings.HasPrefix(t.Name, schema.JSONSchemaProps) {
			t = props // also of a value that is a schema or something else
		}
	}
	if t != nil {
		keys = order()[t.Name]
	}
	rest := slices.DeleteFunc(slices.Collect(maps.Keys(maps.Collect(v.Members()))), func(key string) bool { return slices.Contains(keys, key) })
	slices.Sort(rest)
	dst = append(dst, '{')
	for _, key := range slices.Concat(keys, rest) {
		member := v.Get(key)
		if !member.Exists() {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(document.AppendQuoted(dst, key), ':')
		var of *schema.Type
		if t != nil {
			of = t.Map.Member(key)
		}
		dst = appendStruct(dst, member, of, props)
	}
	return append(dst, '}')
}

// A lazy is a JSON value that is parsed when something in it is needed. Its text is that of a value that has not been parsed;
// its members or items are those of an object or a list that has been.
type lazy struct {
	text    json.RawMessage
	members map[string]*lazy
	items   []*lazy
}

// object parses the value if it is an object, and reports whether it is.
func (l *lazy) object() bool {
	if l.members != nil || l.items != nil || !bytes.HasPrefix(bytes.TrimSpace(l.text), []byte("{")) {
		return l.members != nil
	}
	var texts map[string]json.RawMessage
	if json.Unmarshal(l.text, &texts) != nil {
		return false
	}
	l.members = make(map[string]*lazy, len(texts))
	for key, text := range texts {
		l.members[key] = &lazy{text: text}
	}
	return true
}

// list parses the value if it is a list, and reports whether it is.
func (l *lazy) list() bool {
	if l.members != nil || l.items != nil || !bytes.HasPrefix(bytes.TrimSpace(l.text), []byte("[")) {
		return l.items != nil
	}
	var texts []json.RawMessage
	if json.Unmarshal(l.text, &texts) != nil {
		return false
	}
	l.items = make([]*lazy, len(texts))
	for i, text := range texts {
		l.items[i] = &lazy{text: text}
	}
	return true
}

// parse parses the value and all values in it.
func (l *lazy) parse() {
	if l.object() {
		for _, member := range l.members {
			member.parse()
		}
	} else if l.list() {
		for _, item := range l.items {
			item.parse()
		}
	}
}

func (l *lazy) null() bool {
	return string(bytes.TrimSpace(l.text)) == "null" && l.members == nil && l.items == nil
}

// merge applies a merge patch to an object.
func (l *lazy) merge(patch *lazy) {
	patch.object()
	for key, value := range patch.members {
		live := l.members[key]
		switch {
		case value.null():
			delete(l.members, key)
		case live == nil || live.null() || !live.object() || !value.object():
			value.dropNulls()
			l.members[key] = value
		default:
			live.merge(value)
		}
	}
}

// dropNulls removes the members that are null from a value which a merge patch adds.
func (l *lazy) dropNulls() {
	if l.list() {
		for _, item := range l.items {
			item.dropNulls()
		}
	} else if l.object() {
		for key, member := range l.members {
			if member.null() {
				delete(l.members, key)
			} else {
				member.dropNulls()
			}
		}
	}
}

// get returns the value at a JSON pointer, null if there is none.
func (l *lazy) get(pointer string) *lazy {
	for token := range jsonpointer.Tokens(pointer) {
		if i, ok := l.position(token, 0); ok {
			l = l.items[i]
		} else if l.object() && l.members[token] != nil {
			l = l.members[token]
		} else {
			return &lazy{text: []byte("null")}
		}
	}
	return l
}

// position returns the index of an item that a token refers to, if the value is a list: one of its items or of more that
// follow them. A negative index counts from the end.
func (l *lazy) position(token string, more int) (i int, ok bool) {
	if !l.list() {
		return 0, false
	}
	size := len(l.items) + more
	if token == "-" {
		return len(l.items), more > 0
	}
	i, err := strconv.Atoi(token)
	if i < 0 {
		i += size
	}
	return i, err == nil && i >= 0 && i < size
}

// set adds, replaces or removes the value at a JSON pointer.
func (l *lazy) set(op, pointer string, value *lazy) {
	slash := max(strings.LastIndexByte(pointer, '/'), 0)
	container := l.get(pointer[:slash])
	key := ""
	for token := range jsonpointer.Tokens(pointer[slash:]) {
		key = token
	}
	switch {
	case container.list() && (op == "remove" || op == "replace"):
		i, ok := container.position(key, 0)
		if ok && op == "remove" {
			container.items = slices.Delete(container.items, i, i+1)
		} else if ok {
			container.items[i] = value
		}
	case container.list():
		if i, ok := container.position(key, 1); ok {
			container.items = slices.Insert(container.items, i, value)
		}
	case !container.object():
	case op == "remove":
		delete(container.members, key)
	default:
		container.members[key] = value
	}
}

// appendJSON appends the value's JSON.
func (l *lazy) appendJSON(dst []byte) []byte {
	switch {
	case l.members != nil:
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(l.members)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = l.members[key].appendJSON(append(document.AppendQuoted(dst, key), ':'))
		}
		return append(dst, '}')
	case l.items != nil:
		dst = append(dst, '[')
		for i, item := range l.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	}
	text := bytes.NewBuffer(dst)
	encoder := json.NewEncoder(text) // compacts the text and escapes it for HTML
	if encoder.Encode(l.text) != nil {
		return dst
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
