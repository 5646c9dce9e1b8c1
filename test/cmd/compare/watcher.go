package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// watcher generates a case of watches.
type watcher struct {
	world
	watched
	group      string // of the custom resource, or ""
	namespaces []string
	seconds    int  // after which watches end
	undefined  bool // the definition of the custom resource has been deleted
}

// watchCase returns the i-th case of a seed.
func watchCase(o *options, i int) conformance.Case {
	w := &watcher{seconds: o.seconds, world: world{random: rand.New(rand.NewPCG(o.seed, uint64(i)))}}
	w.name = fmt.Sprintf("w-%010x", w.random.Uint64()&0xffffffffff)
	w.namespaces = []string{w.name + "a", w.name + "b"}
	w.watched = one(&w.world, watchedKinds...)
	for _, name := range w.namespaces {
		w.send(http.MethodPost, "/api/v1/namespaces", "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}})
	}
	if w.apiVersion == "" {
		w.define()
	}
	for range 8 {
		w.write()
	}
	collection := w.collection()
	w.send(http.MethodPost, collection, "", w.object(collection, w.named("d"))) // whose resourceVersion is in the cache
	w.pause(200)
	for range 10 {
		w.watch()
	}
	w.pause(200)
	change := 10 + w.random.IntN(10)
	for n := range 30 {
		if w.group != "" && n == change {
			w.redefine()
		}
		w.write()
		if w.in(3) {
			w.read()
		}
	}
	if w.group != "" && !w.undefined {
		w.undefine()
	}
	return conformance.Case{Name: fmt.Sprintf("watches/%s/%d-%d", w.resource, o.seed, i), Steps: w.steps}
}

// pause lets kube-apiserver observe writes before the next request.
func (w *watcher) pause(ms int) {
	w.send(http.MethodGet, "/api/v1/namespaces/"+w.namespaces[0], "", nil)
	w.steps[len(w.steps)-1].Request.SleepMS = ms
}

// define creates a CustomResourceDefinition of the case's own.
func (w *watcher) define() {
	w.group = w.name + ".example.com"
	w.apiVersion, w.resource, w.kind = w.group+"/v1", "things", "Thing"
	w.send(http.MethodPost, definitions, "", w.definition(true))
	w.pause(1500)
}

// definition returns the definition of the case's resource, with one or two versions.
func (w *watcher) definition(second bool) object {
	version := func(name string, served, storage bool) object {
		text := object{"type": "string"}
		properties := object{"a": text, "b": text}
		if w.in(3) {
			properties["b"] = object{"type": "string", "default": "1"}
		}
		v := object{"name": name, "served": served, "storage": storage, "selectableFields": []any{object{"jsonPath": ".spec.a"}},
			"schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{"spec": object{"type": "object", "properties": properties}}}}}
		w.some(v, 2, "additionalPrinterColumns", []any{object{"name": "A", "type": "string", "jsonPath": ".spec.a"}})
		w.some(v, 4, "deprecated", true)
		return v
	}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "things." + w.group}, "spec": object{
		"group": w.group, "scope": "Namespaced", "names": object{"plural": "things", "kind": "Thing", "listKind": "ThingList", "singular": "thing"},
		"versions": []any{version("v1", true, true), version("v1beta1", second, false)},
	}}
}

// undefine deletes the definition of the case's resource, after the finalizers of its objects, without which
// kube-apiserver would wait for the objects and then serve them for some seconds.
func (w *watcher) undefine() {
	for _, namespace := range w.namespaces {
		for _, name := range []string{"a", "b", "c", "d"} {
			path := prefix(w.apiVersion) + "/namespaces/" + namespace + "/" + w.resource + "/" + name
			w.patch(mergePatchType, path, "", object{"metadata": object{"finalizers": nil}})
		}
	}
	w.send(http.MethodDelete, definitions+"/"+w.resource+"."+w.group, "", nil)
	w.undefined = true
}

// redefine changes or deletes the definition of the case's resource.
func (w *watcher) redefine() {
	path := definitions + "/things." + w.group
	observed := 1500 // milliseconds after which kube-apiserver serves a changed definition
	switch w.random.IntN(4) {
	case 0:
		w.undefine()
		observed = 3000
	case 1:
		w.patch(mergePatchType, path, "", object{"metadata": object{"labels": object{"a": "b"}}})
	default:
		w.patch(mergePatchType, path, "", object{"spec": w.definition(w.in(2))["spec"]})
	}
	w.pause(observed)
}

// collection returns the path of the resource in one namespace, in one of its versions.
func (w *watcher) collection() string {
	version := w.apiVersion
	if global, ok := strings.CutSuffix(version, "!"); ok {
		return prefix(global) + "/" + w.resource
	}
	if w.group != "" && w.in(3) {
		version = w.group + "/v1beta1"
	}
	return prefix(version) + "/namespaces/" + one(&w.world, w.namespaces...) + "/" + w.resource
}

// object generates an object.
func (w *watcher) object(collection, name string) object {
	version := strings.TrimPrefix(strings.TrimPrefix(collection, "/apis/"), "/api/")
	version, _, _ = strings.Cut(version, "/namespaces/")
	version = strings.TrimSuffix(version, "/"+w.resource)
	labels := object{"case": w.name}
	for _, k := range []string{"x", "y", "z"} {
		w.some(labels, 2, k, one(&w.world, "1", "2"))
	}
	meta := object{"name": name, "labels": labels}
	w.some(meta, 5, "finalizers", []any{"example.com/f"})
	o := object{"apiVersion": version, "kind": w.kind, "metadata": meta}
	w.spec(&w.world, o)
	if involved, ok := o["involvedObject"].(object); ok {
		involved["namespace"] = strings.Split(collection, "/")[4]
	}
	return o
}

// write adds a write by one of three managers.
func (w *watcher) write() {
	collection, name := w.collection(), w.named(one(&w.world, "a", "b", "c"))
	path := collection + "/" + name
	manager := "fieldManager=" + one(&w.world, "first", "second", "third") + one(&w.world, "", "", "", "", "", "&dryRun=All")
	o := w.object(collection, name)
	switch w.random.IntN(16) {
	case 0, 1, 2, 3:
		w.send(http.MethodPost, collection, manager, o)
	case 4, 5:
		w.patch(mergePatchType, path, manager, object{"metadata": object{"labels": object{one(&w.world, "x", "y", "z"): one[any](&w.world, "1", "2", nil)}}})
	case 6:
		w.patch(mergePatchType, path, manager, object{"metadata": object{"finalizers": nil}})
	case 7:
		w.patch(mergePatchType, path, manager, object{"metadata": object{"annotations": object{"n": one(&w.world, "1", "2")}}})
	case 8:
		w.send(http.MethodPut, path, manager, o)
	case 9:
		w.patch(applyPatchType, path, manager+one(&w.world, "", "&force=true"), o)
	case 10:
		w.patch(mergePatchType, path+"/status", manager, object{"status": one(&w.world, object{"phase": one(&w.world, "Pending", "Running", "Failed")}, object{"replicas": one(&w.world, 0, 1)})})
	case 11, 12, 13:
		w.send(http.MethodDelete, path, "", w.deletion())
	case 14:
		w.patch(jsonPatchType, path, manager, []any{object{"op": "replace", "path": "/metadata/labels/x", "value": one(&w.world, "1", "2")}})
	case 15:
		query := w.selectors()
		if w.isGlobal() {
			w.ofCase(query)
		} else {
			w.setSome(query, 3, "limit", one(&w.world, "1", "2"))
		}
		w.setSome(query, 6, "dryRun", "All")
		w.setSome(query, 6, "resourceVersion", one(&w.world, "0", lastVersion))
		w.send(http.MethodDelete, collection, query.Encode(), w.deletion())
	}
}

// deletion returns the options of a deletion, or nil.
func (w *watcher) deletion() any {
	options := object{}
	w.some(options, 4, "gracePeriodSeconds", one(&w.world, 0, 1, 30))
	w.some(options, 4, "propagationPolicy", one(&w.world, "Orphan", "Foreground", "Background"))
	w.some(options, 12, "dryRun", []any{"All"})
	w.some(options, 12, "preconditions", one(&w.world, object{"uid": "00000000-0000-0000-0000-000000000000"}, object{"resourceVersion": "1"}))
	if len(options) == 0 {
		return nil
	}
	options["apiVersion"], options["kind"] = "v1", "DeleteOptions"
	return options
}

// setSome sets a parameter once in n times.
func (w *watcher) setSome(query url.Values, n int, key, value string) {
	if w.in(n) {
		query.Set(key, value)
	}
}

// selectors returns a query with a label selector, a field selector, both or none.
func (w *watcher) selectors() url.Values {
	query := url.Values{}
	w.setSome(query, 2, "labelSelector", one(&w.world, "x=1", "x!=1", "x in (1,2),y", "!z", "y notin (1)", "x", "x=2,y=1", "x=", "x=2", one(&w.world, "y=1", "y", "a b")))
	a, b := w.named("a"), w.named("b")
	fields := append([]string{"metadata.name=" + a, "metadata.name!=" + a, "metadata.name=" + b + ",metadata.namespace=" + w.namespaces[0], one(&w.world, "metadata.labels=a", "metadata.name="+b)}, w.fields...)
	w.setSome(query, 2, "fieldSelector", one(&w.world, fields...))
	return query
}

// target returns the path of a list or watch, in one namespace or in all, with selectors.
func (w *watcher) target() (string, url.Values) {
	path, query := w.collection(), w.selectors()
	if w.isGlobal() || w.in(4) {
		before, _, _ := strings.Cut(strings.TrimSuffix(path, "/"+w.resource), "/namespaces/")
		path = before + "/" + w.resource
		w.ofCase(query)
	}
	return path, query
}

// isGlobal reports whether the objects have no namespaces.
func (w *watcher) isGlobal() bool { return strings.HasSuffix(w.apiVersion, "!") }

// ofCase selects the objects of the case by their label.
func (w *watcher) ofCase(query url.Values) {
	label := "case=" + w.name
	if more := query.Get("labelSelector"); more != "" {
		label += "," + more
	}
	query.Set("labelSelector", label)
}

// named returns the name of an object, which is the case's own if it has no namespace.
func (w *watcher) named(name string) string {
	if w.isGlobal() {
		return name + "-" + w.name
	}
	return name
}

// accept returns the form in which a list or watch is requested.
func (w *watcher) accept(query url.Values, listed bool) string {
	forms := []string{"application/json", "application/json", protobufType, tableType}
	metadata := ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	if listed {
		metadata = ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
	}
	form := one(&w.world, append(forms, "application/json"+metadata, protobufType+metadata)...)
	if form == tableType {
		w.setSome(query, 2, "includeObject", one(&w.world, "None", "Metadata", "Object"))
	}
	if w.group != "" && form == protobufType {
		form += ",application/json"
	}
	return form
}

// watch opens a watch.
func (w *watcher) watch() {
	path, query := w.target()
	query.Set("watch", "true")
	query.Set("timeoutSeconds", strconv.Itoa(w.seconds))
	switch w.random.IntN(9) {
	case 0:
		query.Set("resourceVersion", "0")
	case 1, 2:
		query.Set("resourceVersion", lastVersion)
	case 3, 4:
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
		query.Set("allowWatchBookmarks", "true")
		w.setSome(query, 2, "resourceVersion", one(&w.world, "0", lastVersion))
	case 5:
		query.Set("sendInitialEvents", "false")
		query.Set("resourceVersionMatch", "NotOlderThan")
		w.setSome(query, 2, "resourceVersion", one(&w.world, "0", lastVersion))
	case 6:
		if w.in(2) {
			break
		}
		query.Set("resourceVersionMatch", one(&w.world, "Exact", "NotOlderThan", "Other"))
		w.setSome(query, 2, "sendInitialEvents", one(&w.world, "true", "x"))
	}
	accept := w.accept(query, false)
	w.send(http.MethodGet, path, query.Encode(), nil)
	w.steps[len(w.steps)-1].Request.Accept = accept
}

// read lists objects, sometimes in parts.
func (w *watcher) read() {
	path, query := w.target()
	w.setSome(query, 4, "resourceVersion", one(&w.world, "0", lastVersion))
	if query.Get("resourceVersion") != "" {
		w.setSome(query, 3, "resourceVersionMatch", one(&w.world, "Exact", "NotOlderThan"))
	}
	if strings.Contains(path, "/namespaces/") { // whether a list of all namespaces continues depends on other cases
		w.setSome(query, 2, "limit", one(&w.world, "1", "2", "5"))
	}
	accept := w.accept(query, true)
	get := func(sleep int) {
		w.send(http.MethodGet, path, query.Encode(), nil)
		request := &w.steps[len(w.steps)-1].Request
		request.Accept, request.SleepMS = accept, sleep
	}
	sleep := 0
	if query.Get("resourceVersion") != "" {
		sleep = 100 // until the cache of kube-apiserver has the last writes
	}
	get(sleep)
	for query.Get("limit") != "" && w.in(2) {
		query.Set("continue", lastContinue)
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
		get(0)
	}
}
