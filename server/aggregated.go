package server

import (
	"net/http"

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
		Version   string              `json:"version"`
		Resources []discoveryResource `json:"resources"`
		Freshness string              `json:"freshness"`
	}
	discoveryKind struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
	discoveryResource struct {
		Resource     string                 `json:"resource"`
		ResponseKind discoveryKind          `json:"responseKind"`
		Scope        string                 `json:"scope"`
		Singular     string                 `json:"singularResource"`
		Verbs        []string               `json:"verbs"`
		ShortNames   []string               `json:"shortNames,omitempty"`
		Categories   []string               `json:"categories,omitempty"`
		Subresources []discoverySubresource `json:"subresources,omitempty"`
	}
	discoverySubresource struct {
		Subresource  string        `json:"subresource"`
		ResponseKind discoveryKind `json:"responseKind"`
		Verbs        []string      `json:"verbs"`
	}
)

const (
	discoveryGroupName = "apidiscovery.k8s.io"
	discoveryListKind  = "APIGroupDiscoveryList"
)

// aggregated serves all groups, or the core group, in the negotiated form.
func (s *Server) aggregated(w *writer, r *http.Request, core bool, form answerForm) {
	list := discoveryList{Kind: discoveryListKind, APIVersion: discoveryGroupName + "/" + form.version, Items: []discoveryGroup{}}
	for _, g := range s.groups() {
		if core != (g.group == "") {
			continue
		}
		item := discoveryGroup{}
		item.Metadata.Name = g.group
		for _, v := range g.versions {
			dv := discoveryVersion{Version: v.version, Freshness: "Current"}
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

func (s *Server) describeResource(k *schema.Kind) discoveryResource {
	out := discoveryResource{
		Resource: k.Resource, ResponseKind: responseKind(k, k.GroupVersionKind), Scope: "Cluster",
		Singular: k.Singular, Verbs: s.verbsOf(k), ShortNames: k.ShortNames, Categories: k.Categories,
	}
	if k.Namespaced {
		out.Scope = "Namespaced"
	}
	for _, sub := range subresources(k) {
		out.Subresources = append(out.Subresources, discoverySubresource{
			sub.Name, responseKind(k, sub.Kind), sub.Verbs,
		})
	}
	return out
}

// responseKind returns the kind of a resource's responses. For a built-in resource, group and
// version are empty if they equal its own.
func responseKind(k *schema.Kind, answer schema.GroupVersionKind) discoveryKind {
	if k.Builtin && answer.Group == k.Group && answer.Version == k.Version {
		return discoveryKind{Kind: answer.Kind}
	}
	return discoveryKind{answer.Group, answer.Version, answer.Kind}
}
