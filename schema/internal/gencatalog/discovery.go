package main

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// discover adds the information from the discovery documents to the kinds, and keeps only
// kinds with a resource or subresource.
func (r *release) discover(dir string, kinds map[schema.GroupVersionKind]*schema.Kind) error {
	dir = filepath.Join(dir, "api", "discovery")
	apis, err := readDocument(filepath.Join(dir, "apis.json"))
	if err != nil {
		return err
	}
	r.groups = []group{{"", []string{"v1"}}}
	for _, g := range apis.Get("groups").Items() {
		gr := group{name: g.Get("name").StringOr("")}
		for _, v := range g.Get("versions").Items() {
			gr.versions = append(gr.versions, v.Get("version").StringOr(""))
		}
		r.groups = append(r.groups, gr)
	}
	keep := map[*schema.Kind]bool{}
	for _, g := range r.groups {
		for _, v := range g.versions {
			file := "api__" + v + ".json"
			if g.name != "" {
				file = "apis__" + g.name + "__" + v + ".json"
			}
			list, err := readDocument(filepath.Join(dir, file))
			if err != nil {
				return err
			}
			if err := r.resources(g.name, v, list.Get("resources"), kinds, keep); err != nil {
				return err
			}
		}
	}
	for k := range keep {
		r.kinds = append(r.kinds, k)
	}
	sort.Slice(r.kinds, func(i, j int) bool {
		a, b := r.kinds[i], r.kinds[j]
		return a.Group+"\x00"+a.Version+"\x00"+a.Kind < b.Group+"\x00"+b.Version+"\x00"+b.Kind
	})
	return nil
}

func (r *release) resources(g, v string, list document.Value, kinds map[schema.GroupVersionKind]*schema.Kind, keep map[*schema.Kind]bool) error {
	byResource := map[string]*schema.Kind{}
	for _, res := range list.Items() {
		gvk := schema.GroupVersionKind{
			Group:   res.Get("group").StringOr(g),
			Version: res.Get("version").StringOr(v),
			Kind:    res.Get("kind").StringOr(""),
		}
		plural, sub, isSub := strings.Cut(res.Get("name").StringOr(""), "/")
		k := kinds[gvk]
		if isSub && offByGate[r.minor+" "+plural+"/"+sub] {
			continue
		}
		if isSub {
			if k != nil {
				keep[k] = true
			}
			owner := byResource[plural]
			if owner == nil {
				return fmt.Errorf("%s/%s: subresource %s/%s before its resource", g, v, plural, sub)
			}
			owner.Subresources = append(owner.Subresources, schema.Subresource{Name: sub, Kind: gvk, Verbs: texts(res.Get("verbs"))})
			continue
		}
		if k == nil {
			return fmt.Errorf("%v is discovered, but has no schema", gvk)
		}
		keep[k] = true
		byResource[plural] = k
		k.Resource, k.Singular, k.ListKind = plural, res.Get("singularName").StringOr(""), gvk.Kind+"List"
		k.ShortNames, k.Categories = texts(res.Get("shortNames")), texts(res.Get("categories"))
		k.Namespaced, _ = res.Get("namespaced").Bool()
		k.Verbs = texts(res.Get("verbs"))
		k.Subresources, k.Status, k.Scale = nil, false, nil
		k.OffByDefault = offByDefault(gvk)
	}
	for _, k := range byResource {
		sort.Slice(k.Subresources, func(i, j int) bool { return k.Subresources[i].Name < k.Subresources[j].Name })
	}
	return nil
}

// offByDefault reports whether a version is disabled by default: beta versions since 1.24
// (KEP-3136), and alpha versions. flowcontrol v1beta3, in the documents of 1.30 and 1.31,
// predates the change and is enabled.
func offByDefault(k schema.GroupVersionKind) bool {
	if k.Group == "flowcontrol.apiserver.k8s.io" && k.Version == "v1beta3" {
		return false
	}
	return schema.IsPrerelease(k.Version)
}

// offByGate are the subresources, by release, that an API server serves only with a feature gate that is off by
// default (pods/resize: InPlacePodVerticalScaling, KEP-1287).
var offByGate = map[string]bool{"1.32 pods/resize": true}

func texts(list document.Value) []string {
	var out []string
	for _, v := range list.Items() {
		out = append(out, v.StringOr(""))
	}
	return out
}
