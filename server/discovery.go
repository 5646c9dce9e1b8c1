package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
	"github.com/patchlab-dev/patchlab/schema"
)

// The discovery kinds of meta.k8s.io/v1.
type (
	groupVersion struct {
		GroupVersion string `json:"groupVersion"`
		Version      string `json:"version"`
	}
	apiGroup struct {
		Kind             string         `json:"kind,omitempty"`
		APIVersion       string         `json:"apiVersion,omitempty"`
		Name             string         `json:"name"`
		Versions         []groupVersion `json:"versions"`
		PreferredVersion groupVersion   `json:"preferredVersion"`
	}
	apiGroupList struct {
		Kind       string     `json:"kind"`
		APIVersion string     `json:"apiVersion"`
		Groups     []apiGroup `json:"groups"`
	}
	apiVersions struct {
		Kind     string        `json:"kind"`
		Versions []string      `json:"versions"`
		Servers  []serverRange `json:"serverAddressByClientCIDRs"`
	}
	serverRange struct {
		Clients string `json:"clientCIDR"`
		Server  string `json:"serverAddress"`
	}
	apiResource struct {
		Name       string   `json:"name"`
		Singular   string   `json:"singularName"`
		Namespaced bool     `json:"namespaced"`
		Group      string   `json:"group,omitempty"`
		Version    string   `json:"version,omitempty"`
		Kind       string   `json:"kind"`
		Verbs      []string `json:"verbs"`
		ShortNames []string `json:"shortNames,omitempty"`
		Categories []string `json:"categories,omitempty"`
		Hash       string   `json:"storageVersionHash,omitempty"`
	}
	apiResourceList struct {
		Kind         string        `json:"kind"`
		APIVersion   string        `json:"apiVersion,omitempty"`
		GroupVersion string        `json:"groupVersion"`
		Resources    []apiResource `json:"resources"`
	}
)

// groupKinds holds the kinds of one group by version, in the order of discovery.
type groupKinds struct {
	group    string
	versions []versionKinds
}

type versionKinds struct {
	version string
	kinds   []*schema.Kind // sorted by resource
	// backend is the extension API server that serves the version, nil if this server does.
	backend *aggregation.Backend
}

// groups returns all kinds: first the core group, then the API server's other built-in groups
// in its order, then the groups of custom resources sorted by name.
func (s *Server) groups() []groupKinds {
	registry := s.cluster.Kinds()
	byGroup := map[string]map[string][]*schema.Kind{}
	for k := range registry.Kinds() {
		if k.Resource == "" {
			continue
		}
		if byGroup[k.Group] == nil {
			byGroup[k.Group] = map[string][]*schema.Kind{}
		}
		byGroup[k.Group][k.Version] = append(byGroup[k.Group][k.Version], k)
	}
	var out []groupKinds
	for _, group := range s.groupOrder(byGroup) {
		g := groupKinds{group: group}
		for _, version := range s.versionOrder(group, byGroup[group]) {
			kinds := byGroup[group][version]
			slices.SortFunc(kinds, func(a, b *schema.Kind) int { return strings.Compare(a.Resource, b.Resource) })
			g.versions = append(g.versions, versionKinds{version: version, kinds: kinds})
		}
		out = append(out, g)
	}
	return out
}

func (s *Server) groupOrder(byGroup map[string]map[string][]*schema.Kind) []string {
	var order, custom []string
	if catalog := s.cluster.Kinds().Catalog(); catalog != nil {
		for _, group := range catalog.Groups() {
			if byGroup[group] != nil {
				order = append(order, group)
			}
		}
	}
	for group := range byGroup {
		if !slices.Contains(order, group) {
			custom = append(custom, group)
		}
	}
	slices.Sort(custom)
	return append(order, custom...)
}

// versionOrder returns the versions of a group, the preferred one first.
func (s *Server) versionOrder(group string, versions map[string][]*schema.Kind) []string {
	var order, rest []string
	if catalog := s.cluster.Kinds().Catalog(); catalog != nil {
		for _, v := range catalog.Preferred(group) {
			if versions[v] != nil {
				order = append(order, v)
			}
		}
	}
	for v := range versions {
		if !slices.Contains(order, v) {
			rest = append(rest, v)
		}
	}
	sort.Slice(rest, func(i, j int) bool { return schema.VersionBefore(rest[i], rest[j]) })
	return append(order, rest...)
}

// discovery serves /api, /apis, and the paths of groups and versions.
func (s *Server) discovery(w *writer, r *http.Request, parts []string) {
	if len(parts) == 3 {
		if b := s.backend(parts[1], parts[2]); b != nil {
			s.delegate(w, r, place{}, b)
			return
		}
	}
	value, found := s.discovered(r, parts)
	if !found {
		if len(parts) > 1 && parts[0] == "apis" && !s.builtinGroup(parts[1]) || len(parts) == 2 && parts[0] == "apis" {
			s.fail(w, r, errNoPage)
		} else {
			s.fail(w, r, errNoResource)
		}
		return
	}
	routed := s.isRouted(parts)
	if routed && r.Method != http.MethodGet {
		s.fail(w, r, errMethod)
		return
	}
	// The aggregated form is sent if the client accepts it, even if it prefers the other. The
	// handler of /apis/ with the slash, which is that of kube-apiserver's aggregator, has none.
	if len(parts) == 1 && r.URL.Path != "/apis/" {
		form, err := negotiate(r, offer{aggregated: true, routed: routed})
		if err == nil && form.as != formObject {
			s.aggregated(w, r, parts[0] == "api", form)
			return
		}
	}
	form, err := negotiate(r, offer{protobuf: true, document: true, routed: routed})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.encoded(w, r, form, form.contentType(), value)
}

// isRouted reports whether kube-apiserver declares the method and the media types of a discovery
// path to its router. It does not for /apis, the groups, and what custom resources add, which
// are answered whatever the method is.
func (s *Server) isRouted(parts []string) bool {
	return parts[0] == "api" || len(parts) == 3 && s.builtinGroup(parts[1])
}

// discovered returns the discovery document of a path.
func (s *Server) discovered(r *http.Request, parts []string) (value any, found bool) {
	switch {
	case len(parts) == 1 && parts[0] == "api":
		return apiVersions{"APIVersions", []string{"v1"}, []serverRange{{"0.0.0.0/0", r.Host}}}, true
	case len(parts) == 1:
		return s.groupList(r.Context()), true
	case len(parts) == 2 && parts[0] == "apis":
		return s.group(r.Context(), parts[1])
	case parts[0] == "api":
		return s.resourceList("", parts[1])
	default:
		return s.resourceList(parts[1], parts[2])
	}
}

func (s *Server) groupList(ctx context.Context) apiGroupList {
	list := apiGroupList{Kind: "APIGroupList", APIVersion: "v1", Groups: []apiGroup{}}
	for _, g := range s.listedGroups(ctx) {
		if g.group != "" {
			list.Groups = append(list.Groups, describeGroup(g))
		}
	}
	return list
}

func (s *Server) group(ctx context.Context, name string) (group apiGroup, found bool) {
	for _, groups := range [...][]groupKinds{s.listedGroups(ctx), s.groups()} {
		for _, g := range groups {
			if g.group == name && name != "" {
				group := describeGroup(g)
				group.Kind, group.APIVersion = "APIGroup", "v1"
				return group, true
			}
		}
	}
	return apiGroup{}, false
}

func describeGroup(g groupKinds) apiGroup {
	out := apiGroup{Name: g.group}
	for _, v := range g.versions {
		out.Versions = append(out.Versions, groupVersion{schema.APIVersion(g.group, v.version), v.version})
	}
	out.PreferredVersion = out.Versions[0]
	return out
}

func (s *Server) resourceList(group, version string) (list apiResourceList, found bool) {
	kinds := s.kindsOf(group, version)
	if kinds == nil {
		return list, false
	}
	list = apiResourceList{Kind: "APIResourceList", GroupVersion: schema.APIVersion(group, version)}
	if group != "" {
		list.APIVersion = "v1"
	}
	for _, k := range kinds {
		list.Resources = append(list.Resources, apiResource{
			Name: k.Resource, Singular: k.Singular, Namespaced: k.Namespaced, Kind: k.Kind,
			Verbs: s.verbsOf(k), ShortNames: k.ShortNames, Categories: k.Categories, Hash: s.storageHash(k),
		})
		for _, sub := range subresources(k) {
			res := apiResource{Name: k.Resource + "/" + sub.Name, Namespaced: k.Namespaced, Kind: sub.Kind.Kind, Verbs: sub.Verbs}
			if sub.Kind.Group != group || sub.Kind.Version != version {
				res.Group, res.Version = sub.Kind.Group, sub.Kind.Version
			}
			list.Resources = append(list.Resources, res)
		}
	}
	return list, true
}

// verbsOf returns the verbs of a resource. While a definition is being deleted, its objects can only be read and
// deleted (apiextensions-apiserver, customresource_discovery_controller).
func (s *Server) verbsOf(k *schema.Kind) []string {
	if !k.Builtin {
		if crd, ok := s.cluster.Kinds().CRD(k.Resource + "." + k.Group); ok && crd.Terminating {
			return []string{"delete", "deletecollection", "get", "list", "watch"}
		}
	}
	return k.Verbs
}

// kindsOf returns the kinds of a version that have a resource.
func (s *Server) kindsOf(group, version string) []*schema.Kind {
	for _, g := range s.groups() {
		if g.group != group {
			continue
		}
		for _, v := range g.versions {
			if v.version == version {
				return v.kinds
			}
		}
	}
	return nil
}

// storageHash identifies the encoding version of a resource. It is derived from the group,
// version and kind in which objects are stored (apiserver/pkg/endpoints/discovery); for
// built-in kinds with several versions these are Kubernetes 1.36's. It is empty for resources
// that are not stored.
func (s *Server) storageHash(k *schema.Kind) string {
	if !slices.Contains(k.Verbs, "create") || !slices.Contains(k.Verbs, "list") {
		return ""
	}
	group, version := k.Group, k.Version
	switch {
	case !k.Builtin:
		for _, other := range s.cluster.Kinds().Served(k.Group, k.Kind) {
			if other.Storage {
				version = other.Version
			}
		}
	case k.Kind == "Event":
		group, version = "", "v1"
	case k.Kind == "HorizontalPodAutoscaler":
		version = "v2"
	case k.Kind == "CustomResourceDefinition", strings.HasPrefix(k.Kind, "MutatingAdmissionPolicy"):
		version = "v1beta1"
	}
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + k.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// subresources returns the subresources of a kind in the order of discovery: by name, but for
// custom resources status before scale.
func subresources(k *schema.Kind) []schema.Subresource {
	if k.Builtin {
		return k.Subresources
	}
	out := slices.Clone(k.Subresources)
	slices.Reverse(out)
	return out
}

// encoded answers with a discovery document in the negotiated form. An aggregated one has an
// ETag, and is not sent again if the client's matches.
func (s *Server) encoded(w *writer, r *http.Request, form answerForm, contentType string, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	switch {
	case form.yaml || form.protobuf:
		d, err := document.Parse(body, document.Options{MaxBytes: -1})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if body = d.Root.YAML(); form.protobuf {
			body = protobuf.Discovery(d.Root)
		}
	case form.pretty:
		var out bytes.Buffer
		_ = json.Indent(&out, body, "", "  ") // body is valid JSON
		body = out.Bytes()
	default:
		body = append(body, '\n')
	}
	if form.as != formObject {
		etag := etagOf(body)
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	s.page(w, r, contentType, body)
}

// etagOf returns the ETag of a document.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + strings.ToUpper(hex.EncodeToString(sum[:])) + `"`
}

// page answers with a complete body.
func (s *Server) page(w *writer, r *http.Request, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
