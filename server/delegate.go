package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// backend returns the extension API server for a version, nil if this server itself serves it or nobody does.
func (s *Server) backend(group, version string) *aggregation.Backend {
	if s.options.Aggregation == nil {
		return nil
	}
	return s.options.Aggregation.Find(group, version)
}

// delegate lets an extension API server answer a request. p is the zero place for the discovery document of a version.
// The request does not count towards the limits of this server any more, so that a service that does not answer blocks
// nobody else.
func (s *Server) delegate(w *writer, r *http.Request, p place, b *aggregation.Backend) {
	if p.resource != "" {
		if err := s.refusal(r, p, nil); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	w.leave()
	r.Header.Set(auditID, w.Header().Get(auditID))
	if p.isLong(r) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		if end, ok := ctx.Value(watchesKey{}).(context.Context); ok {
			defer context.AfterFunc(end, cancel)()
		}
		// The server's timeouts are for other requests. A client that does not read occupies a connection no longer than the
		// longest watch.
		control := http.NewResponseController(w)
		_, _ = control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Now().Add(longestWatch))
		b.Serve(w, r.WithContext(ctx), s.identity(r).user)
	} else {
		ctx := withDeadline(r.Context(), time.Now().Add(w.limit))
		defer ctx.end()
		b.Serve(w, r.WithContext(ctx), s.identity(r).user)
	}
	if w.code == 0 {
		w.code = http.StatusSwitchingProtocols // the connection was upgraded
	}
}

// isLong reports whether a request may take as long as its client wants: a watch, a log, or a connection.
func (p place) isLong(r *http.Request) bool {
	verb, ok := p.authorizedVerb(r)
	return ok && verb == cluster.Watch || p.hasLongSubresource()
}

// delegatedDocuments returns the OpenAPI 3 documents of extension API servers by their paths. Those of paths for which this
// server has documents, such as "version", are its own, unless an extension API server answers the requests.
func (s *Server) delegatedDocuments(own func(path string) bool) map[string]delegatedDocument {
	if s.options.Aggregation == nil {
		return nil
	}
	documents := map[string]delegatedDocument{}
	for _, b := range s.options.Aggregation.Backends() {
		v := b.Version()
		for path, url := range b.Documents() {
			serves := "/"+path == groupVersionPath(v.Group, v.Version)
			if _, has := documents[path]; serves || !has && !own(path) {
				documents[path] = delegatedDocument{b, url}
			}
		}
	}
	return documents
}

// delegatedDocument is an OpenAPI 3 document of an extension API server.
type delegatedDocument struct {
	backend *aggregation.Backend
	url     string
}

// listedGroups returns the groups and versions that have an APIService, in the order of these, after that of the
// APIServices themselves (k8s.io/kube-aggregator/pkg/apiserver, handler_apis.go). Without an Aggregator these are all.
func (s *Server) listedGroups(ctx context.Context) []groupKinds {
	own := s.groups()
	if s.options.Aggregation == nil {
		return own
	}
	versions, err := s.options.Aggregation.Versions(ctx)
	if err != nil {
		return own
	}
	out := slices.DeleteFunc(own, func(g groupKinds) bool { return g.group != aggregation.Group })
	for _, v := range versions {
		if last := len(out) - 1; last < 0 || out[last].group != v.Group {
			out = append(out, groupKinds{group: v.Group})
		}
		last := len(out) - 1
		out[last].versions = append(out[last].versions, versionKinds{version: v.Version})
	}
	return out
}

// aggregatedGroups returns all groups with their kinds. A version of an extension API server replaces the one that this
// server has, and the order follows from the priorities.
func (s *Server) aggregatedGroups() []groupKinds {
	groups := s.groups()
	if s.options.Aggregation == nil || !s.options.Aggregation.Any() {
		return groups
	}
	priorities := priorities{}
	for _, r := range kinds.BuiltinRegistrations() {
		priorities.set(r.Group, r.Version, r.GroupPriority, r.VersionPriority)
	}
	for _, g := range groups {
		for _, v := range g.versions {
			if !v.kinds[0].Builtin {
				r := kinds.CustomRegistration(v.version, g.group)
				priorities.set(r.Group, r.Version, r.GroupPriority, r.VersionPriority)
			}
		}
	}
	for _, b := range s.options.Aggregation.Backends() {
		v := b.Version()
		i := slices.IndexFunc(groups, func(g groupKinds) bool { return g.group == v.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, groupKinds{group: v.Group})
		}
		groups[i].versions = slices.DeleteFunc(groups[i].versions, func(o versionKinds) bool { return o.version == v.Version })
		groups[i].versions = append(groups[i].versions, versionKinds{version: v.Version, backend: b})
		priorities.set(v.Group, v.Version, v.GroupPriority, v.VersionPriority)
	}
	priorities.sort(groups)
	return groups
}

// priorities are the priorities of groups and versions in aggregated discovery.
type priorities map[schema.GroupVersionKind]priority

type priority struct{ group, version int64 }

func (p priorities) set(group, version string, groupPriority, versionPriority int64) {
	p[schema.GroupVersionKind{Group: group, Version: version}] = priority{groupPriority, versionPriority}
}

func (p priorities) of(group, version string) priority {
	if group == aggregation.Group {
		return priority{group: firstPriority}
	}
	return p[schema.GroupVersionKind{Group: group, Version: version}]
}

// firstPriority is greater than that of any APIService.
const firstPriority = 20001

// sort sorts groups by their greatest priority, and their versions by theirs
// (k8s.io/apiserver/pkg/endpoints/discovery/aggregated).
func (p priorities) sort(groups []groupKinds) {
	greatest := map[string]int64{}
	for _, g := range groups {
		slices.SortStableFunc(g.versions, func(a, b versionKinds) int {
			return cmp.Or(cmp.Compare(p.of(g.group, b.version).version, p.of(g.group, a.version).version), schema.CompareVersions(a.version, b.version))
		})
		for _, v := range g.versions {
			greatest[g.group] = max(greatest[g.group], p.of(g.group, v.version).group)
		}
	}
	slices.SortStableFunc(groups, func(a, b groupKinds) int {
		return cmp.Or(cmp.Compare(greatest[b.group], greatest[a.group]), cmp.Compare(a.group, b.group))
	})
}
