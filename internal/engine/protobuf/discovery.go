package protobuf

import "github.com/patchlab-dev/patchlab/document"

// A discoveryField is a field of a discovery message. Unless it is optional, it is encoded
// also when it is empty, as Kubernetes' generated code does.
type discoveryField struct {
	name     string
	number   uint64
	message  string // the type of a message or of its items; "" for text
	list     bool
	yes      bool // a boolean
	optional bool
}

// discoveryMessages are the messages of meta.k8s.io/v1 and apidiscovery.k8s.io that discovery
// answers with. They are a list, and not a map by kind or type, because the linker lays out a
// list, and a map is made whenever a program starts.
var discoveryMessages = [...]struct {
	name   string // the kind or type
	fields []discoveryField
}{
	{"APIVersions", []discoveryField{
		{name: "versions", number: 1, list: true},
		{name: "serverAddressByClientCIDRs", number: 2, message: "ServerAddressByClientCIDR", list: true},
	}},
	{"ServerAddressByClientCIDR", []discoveryField{{name: "clientCIDR", number: 1}, {name: "serverAddress", number: 2}}},
	{"APIGroupList", []discoveryField{{name: "groups", number: 1, message: "APIGroup", list: true}}},
	{"APIGroup", []discoveryField{
		{name: "name", number: 1},
		{name: "versions", number: 2, message: "GroupVersion", list: true},
		{name: "preferredVersion", number: 3, message: "GroupVersion"},
	}},
	{"GroupVersion", []discoveryField{{name: "groupVersion", number: 1}, {name: "version", number: 2}}},
	{"APIResourceList", []discoveryField{
		{name: "groupVersion", number: 1},
		{name: "resources", number: 2, message: "APIResource", list: true},
	}},
	{"APIResource", []discoveryField{
		{name: "name", number: 1},
		{name: "namespaced", number: 2, yes: true},
		{name: "kind", number: 3},
		{name: "verbs", number: 4, message: "Verbs"},
		{name: "shortNames", number: 5, list: true},
		{name: "singularName", number: 6},
		{name: "categories", number: 7, list: true},
		{name: "group", number: 8},
		{name: "version", number: 9},
		{name: "storageVersionHash", number: 10},
	}},
	{"Verbs", []discoveryField{{number: 1, list: true}}},
	{"APIGroupDiscoveryList", []discoveryField{
		{name: "metadata", number: 1, message: "ListMeta"},
		{name: "items", number: 2, message: "APIGroupDiscovery", list: true},
	}},
	{"ListMeta", []discoveryField{{name: "selfLink", number: 1}, {name: "resourceVersion", number: 2}, {name: "continue", number: 3}}},
	{"APIGroupDiscovery", []discoveryField{
		{name: "metadata", number: 1, message: "ObjectMeta"},
		{name: "versions", number: 2, message: "APIVersionDiscovery", list: true},
	}},
	{"ObjectMeta", []discoveryField{
		{name: "name", number: 1}, {name: "generateName", number: 2}, {name: "namespace", number: 3}, {name: "selfLink", number: 4},
		{name: "uid", number: 5}, {name: "resourceVersion", number: 6}, {name: "generation", number: 7, yes: true},
		{name: "creationTimestamp", number: 8},
	}},
	{"APIVersionDiscovery", []discoveryField{
		{name: "version", number: 1},
		{name: "resources", number: 2, message: "APIResourceDiscovery", list: true},
		{name: "freshness", number: 3},
	}},
	{"APIResourceDiscovery", []discoveryField{
		{name: "resource", number: 1},
		{name: "responseKind", number: 2, message: "GroupVersionKind", optional: true},
		{name: "scope", number: 3},
		{name: "singularResource", number: 4},
		{name: "verbs", number: 5, list: true},
		{name: "shortNames", number: 6, list: true},
		{name: "categories", number: 7, list: true},
		{name: "subresources", number: 8, message: "APISubresourceDiscovery", list: true},
	}},
	{"APISubresourceDiscovery", []discoveryField{
		{name: "subresource", number: 1},
		{name: "responseKind", number: 2, message: "GroupVersionKind", optional: true},
		{name: "verbs", number: 4, list: true},
	}},
	{"GroupVersionKind", []discoveryField{{name: "group", number: 1}, {name: "version", number: 2}, {name: "kind", number: 3}}},
}

// Discovery encodes a discovery document, which has no object metadata, as a complete
// response.
func Discovery(v document.Value) []byte {
	kind := v.Get("kind").StringOr("")
	message := discoveryMessage(nil, kind, v)
	dst := AppendHeader(nil, v.Get("apiVersion").StringOr(""), kind, len(message))
	return append(append(dst, message...), Trailer...)
}

func discoveryFields(name string) []discoveryField {
	for i := range discoveryMessages {
		if discoveryMessages[i].name == name {
			return discoveryMessages[i].fields
		}
	}
	return nil
}

func discoveryMessage(b []byte, kind string, v document.Value) []byte {
	for _, f := range discoveryFields(kind) {
		value := v
		if f.name != "" { // Verbs is a list itself
			value = v.Get(f.name)
		}
		switch {
		case f.list:
			for _, item := range value.Items() {
				b = f.append(b, item)
			}
		case value.Exists() || !f.optional:
			b = f.append(b, value)
		}
	}
	return b
}

func (f *discoveryField) append(b []byte, v document.Value) []byte {
	switch {
	case f.message != "":
		return appendBytes(b, f.number, discoveryMessage(nil, f.message, v))
	case f.yes:
		set := int64(0)
		if yes, _ := v.Bool(); yes {
			set = 1
		}
		return appendInt(b, f.number, set)
	}
	return appendBytes(b, f.number, v.StringOr(""))
}
