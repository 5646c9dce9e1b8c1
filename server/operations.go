package server

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// paths adds the paths of a kind with their operations and parameters. Clients derive from the
// parameters whether fieldValidation and server-side apply are supported.
func (d *describer) paths(b *document.ObjectBuilder, k *schema.Kind) {
	base := groupVersionPath(k.Group, k.Version)
	collection := base + "/" + k.Resource
	if k.Namespaced {
		if slices.Contains(k.Verbs, "list") {
			b.Set(collection, d.operations(k, schemaName(k), k.GroupVersionKind, []string{"list"}, false, false))
		}
		collection = base + "/namespaces/{namespace}/" + k.Resource
	}
	kind := k.GroupVersionKind
	if verbs := among(k.Verbs, "list", "create", "deletecollection"); len(verbs) > 0 {
		b.Set(collection, d.operations(k, schemaName(k), kind, verbs, k.Namespaced, false))
	}
	if verbs := among(k.Verbs, "get", "update", "patch", "delete"); len(verbs) > 0 {
		b.Set(collection+"/{name}", d.operations(k, schemaName(k), kind, verbs, k.Namespaced, true))
	}
	if k.Builtin && slices.Contains(k.Verbs, "watch") {
		d.watchPaths(b, k, base)
	}
	for _, sub := range k.Subresources {
		if verbs := among(sub.Verbs, "get", "create", "update", "patch"); len(verbs) > 0 {
			name, kind := schemaName(k), sub.Kind
			if kind != k.GroupVersionKind {
				name = d.kindName(kind)
			}
			if !k.Builtin {
				kind = k.GroupVersionKind // also for scale
			}
			b.Set(collection+"/{name}/"+sub.Name, d.operations(k, name, kind, verbs, k.Namespaced, true))
		}
	}
}

// groupVersionPath returns the path below which the resources of a group version are served.
func groupVersionPath(group, version string) string {
	if group == "" {
		return "/api/" + version
	}
	return "/apis/" + group + "/" + version
}

// informationPath adds the path of a document that has no objects: discovery, the version of the
// server, or the issuer of tokens and its keys.
func (d *describer) informationPath(b *document.ObjectBuilder, c contents) {
	description, response := "", document.Value{}
	switch path := "/" + c.path; {
	case path == issuerPath:
		description, response = "get the configuration of the issuer of service account tokens", d.stringResponse("application/json")
	case path == keysPath:
		description, response = "get the public keys of the issuer of service account tokens", d.stringResponse(keysType)
	case c.version != "":
		description, response = "get available resources", d.response(d.shared("APIResourceList"))
	case c.path == "version":
		const info = "io.k8s.apimachinery.pkg.version.Info"
		d.published(info)
		description, response = "get the version information for this server", d.response(info)
	case c.path == "api":
		description, response = "get available API versions", d.response(d.shared("APIVersions"))
	case c.path == "apis":
		description, response = "get available API versions", d.response(d.shared("APIGroupList"))
	default:
		description, response = "get information of a group", d.response(d.shared("APIGroup"))
	}
	b.Set("/"+c.path+"/", object("get", object(
		"description", text(description),
		"responses", object("200", response),
	)))
}

// stringResponse describes a response that kube-apiserver declares as a string.
func (d *describer) stringResponse(mediaType string) document.Value {
	out, schema := object("description", text("OK")), object("type", text("string"))
	if d.v2 {
		return out.With("schema", schema)
	}
	return out.With("content", object(mediaType, object("schema", schema)))
}

// watchPaths adds the deprecated watch paths, from which client generators derive that a
// built-in kind can be watched.
func (d *describer) watchPaths(b *document.ObjectBuilder, k *schema.Kind, base string) {
	collection := base + "/watch/" + k.Resource
	if k.Namespaced {
		b.Set(collection, d.operations(k, "", k.GroupVersionKind, []string{"watchlist"}, false, false))
		collection = base + "/watch/namespaces/{namespace}/" + k.Resource
	}
	b.Set(collection, d.operations(k, "", k.GroupVersionKind, []string{"watchlist"}, k.Namespaced, false))
	b.Set(collection+"/{name}", d.operations(k, "", k.GroupVersionKind, []string{"watch"}, k.Namespaced, true))
}

// shared adds the schema of a type that all groups share, and returns its name.
func (d *describer) shared(name string) string {
	d.published(metaPackage + name)
	return metaPackage + name
}

// kindName adds the schema of a subresource's kind and returns its name, "" if the kind is
// unknown.
func (d *describer) kindName(kind schema.GroupVersionKind) string {
	if d.catalog == nil {
		return ""
	}
	k, ok := d.catalog.Kind(kind)
	if !ok || k.Type().Name == "" {
		return ""
	}
	d.kind(k)
	return schemaName(k)
}

func among(verbs []string, wanted ...string) []string {
	var out []string
	for _, v := range wanted {
		if slices.Contains(verbs, v) {
			out = append(out, v)
		}
	}
	return out
}

// operation describes a verb in OpenAPI.
type operation struct {
	method, action string
	parameters     []string
}

func operationOf(verb string) operation {
	write := []string{"dryRun", "fieldManager", "fieldValidation", "pretty"}
	deletion := []string{"dryRun", "gracePeriodSeconds", "orphanDependents", "pretty", "propagationPolicy"}
	list := []string{
		"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "pretty", "resourceVersion",
		"resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch",
	}
	switch verb {
	case "list", "watch", "watchlist":
		return operation{"get", verb, list}
	case "create":
		return operation{"post", "post", write}
	case "update":
		return operation{"put", "put", write}
	case "patch":
		return operation{"patch", "patch", append(write, "force")}
	case "delete":
		return operation{"delete", "delete", deletion}
	case "deletecollection":
		return operation{"delete", "deletecollection", append(deletion, "continue", "fieldSelector", "labelSelector", "limit")}
	}
	return operation{"get", "get", []string{"pretty"}}
}

func (d *describer) operations(k *schema.Kind, name string, kind schema.GroupVersionKind, verbs []string, namespaced, named bool) document.Value {
	var b document.ObjectBuilder
	var place document.ListBuilder
	if named {
		place.Append(d.parameter("name", "path"))
	}
	if namespaced {
		place.Append(d.parameter("namespace", "path"))
	}
	if place.Len() > 0 {
		b.Set("parameters", place.List())
	}
	for _, verb := range verbs {
		op := operationOf(verb)
		var parameters document.ListBuilder
		for _, p := range op.parameters {
			parameters.Append(d.parameter(p, "query"))
		}
		result := name
		switch {
		case verb == "list" && k.ListKind != "":
			result = strings.TrimSuffix(name, k.Kind) + k.ListKind
		case verb == "watch", verb == "watchlist":
			result = d.shared("WatchEvent")
		case verb == "delete", verb == "deletecollection":
			result = d.shared("Status")
		}
		out := object(
			"parameters", parameters.List(),
			"responses", object("200", d.response(result)),
			"x-kubernetes-action", text(op.action),
			"x-kubernetes-group-version-kind", kindObject(kind.Group, kind.Version, kind.Kind),
		)
		switch content := d.requestBody(k, verb, name); {
		case content.Exists() && !d.v2:
			out = out.With("requestBody", content)
		case verb == "patch":
			var consumes document.ListBuilder
			for _, t := range patchTypes(k) {
				consumes.Append(text(t))
			}
			out = out.With("consumes", consumes.List())
		}
		b.Set(op.method, out)
	}
	return b.Object()
}

// response describes a response with its schema, or without one if it is unknown.
func (d *describer) response(name string) document.Value {
	out := object("description", text("OK"))
	switch {
	case name == "":
		return out
	case d.v2:
		return out.With("schema", d.reference(name))
	}
	return out.With("content", object("application/json", object("schema", d.reference(name))))
}

func (d *describer) requestBody(k *schema.Kind, verb, name string) document.Value {
	types := []string{"application/json", "application/yaml"}
	body := object("type", text("object"))
	switch verb {
	case "create", "update":
		if name != "" {
			body = d.reference(name)
		}
	case "delete", "deletecollection":
		body = d.reference(d.shared("DeleteOptions"))
	case "patch":
		body = d.reference(d.shared("Patch"))
		types = patchTypes(k)
	default:
		return document.Value{}
	}
	var content document.ObjectBuilder
	for _, t := range types {
		content.Set(t, object("schema", body))
	}
	return object("content", content.Object())
}

// patchTypes returns the media types of the patches of a kind. When apply cannot merge by OpenAPI
// v3, kubectl looks in v2 for the strategic merge patch.
func patchTypes(k *schema.Kind) []string {
	types := []string{"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"}
	if k.Builtin {
		types = append(types, "application/strategic-merge-patch+json")
	}
	return types
}

func (d *describer) parameter(name, in string) document.Value {
	kind := "string"
	switch name {
	case "force", "allowWatchBookmarks", "sendInitialEvents", "watch", "orphanDependents":
		kind = "boolean"
	case "limit", "timeoutSeconds", "gracePeriodSeconds":
		kind = "integer"
	}
	out := object("name", text(name), "in", text(in), "required", yes(in == "path"))
	if d.v2 {
		return out.With("type", text(kind))
	}
	return out.With("schema", object("type", text(kind)))
}
