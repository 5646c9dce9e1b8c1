package server

import (
	"net/http"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/schema"
)

// Aggregated discovery (KEP-3352): all groups, versions and resources in one response, of
// apidiscovery.k8s.io/v2.
type (
	discoveryList struct {
		Kind       string           `json:"kind"`
		APIVersion string           `json:"apiVersion"`
		Metadata   struct{}         `json:"metadata"`
		Items      []discoveryGroup `json:"items"`
	}
	discoveryGroup struct {
		Metadata struct {
			Name string `json:"name,omitempty"`
		} `json:"metadata"`
		Versions []discoveryVersion `json:"versions"`
	}
	discoveryVersion struct {
		Version   string                 `json:"version"`
		Resources []aggregation.Resource `json:"resources,omitempty"`
		Freshness string                 `json:"freshness"`
	}
)

const (
	discoveryGroupName = "apidiscovery.k8s.io"
	discoveryListKind  = "APIGroupDiscoveryList"
)

// aggregated serves all groups, or the core group, in the negotiated form.
func (s *Server) aggregated(w *writer, r *http.Request, core bool, form answerForm) {
	list := discoveryList{Kind: discoveryListKind, APIVersion: discoveryGroupName + "/" + form.version, Items: []discoveryGroup{}}
	for _, g := range s.aggregatedGroups() {
		if core != (g.group == "") {
			continue
		}
		item := discoveryGroup{}
		item.Metadata.Name = g.group
		for _, v := range g.versions {
			dv := discoveryVersion{Version: v.version, Freshness: "Current"}
			if v.backend != nil {
				var current bool
				if dv.Resources, current = v.backend.Resources(); !current {
					dv.Freshness = "Stale"
				}
			}
			for _, k := range v.kinds {
				dv.Resources = append(dv.Resources, s.describeResource(k))
			}
			item.Versions = append(item.Versions, dv)
		}
		list.Items = append(list.Items, item)
	}
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "public")
	s.encoded(w, r, form, form.contentType()+";g="+discoveryGroupName+";v="+form.version+";as="+discoveryListKind, list)
}

func (s *Server) describeResource(k *schema.Kind) aggregation.Resource {
	out := aggregation.Resource{
		Resource: k.Resource, ResponseKind: responseKind(k, k.GroupVersionKind), Scope: "Cluster",
		Singular: k.Singular, Verbs: s.verbsOf(k), ShortNames: k.ShortNames, Categories: k.Categories,
	}
	if k.Namespaced {
		out.Scope = "Namespaced"
	}
	for _, sub := range subresources(k) {
		out.Subresources = append(out.Subresources, aggregation.Subresource{
			Subresource: sub.Name, ResponseKind: responseKind(k, sub.Kind), Verbs: sub.Verbs,
		})
	}
	return out
}

// responseKind returns the kind of a resource's responses. For a built-in resource, group and
// version are empty if they equal its own.
func responseKind(k *schema.Kind, answer schema.GroupVersionKind) *aggregation.Kind {
	if k.Builtin && answer.Group == k.Group && answer.Version == k.Version {
		return &aggregation.Kind{Kind: answer.Kind}
	}
	return &aggregation.Kind{Group: answer.Group, Version: answer.Version, Kind: answer.Kind}
}
