package server

import (
	"encoding/json"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// GitVersion returns the version that a server reports for the kinds of a Kubernetes version such as
// "1.36".
func GitVersion(kubernetes string) string { return "v" + kubernetes + ".0+patchlab" }

// version serves /version: the Kubernetes version of the served API.
func (s *Server) version(w *writer, r *http.Request) {
	if r.Method != http.MethodGet {
		s.fail(w, r, errMethod)
		return
	}
	if header := r.Header.Get("Accept"); header != "" {
		if err := checkRoute(header, media[:1]); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	s.indented(w, r, s.versionInfo())
}

// versionInfo returns the content of /version. By default, a kube-apiserver emulates the API of its own version and
// stays compatible with the previous one; both versions are part of the content since 1.33.
func (s *Server) versionInfo() map[string]string {
	info := map[string]string{
		"major": "1", "minor": "0", "gitVersion": GitVersion("1.0"),
		"gitCommit": "", "gitTreeState": "", "buildDate": "1970-01-01T00:00:00Z",
		"goVersion": runtime.Version(), "compiler": runtime.Compiler, "platform": runtime.GOOS + "/" + runtime.GOARCH,
	}
	catalog := s.cluster.Kinds().Catalog()
	if catalog == nil {
		return info
	}
	_, minor, _ := strings.Cut(catalog.Version(), ".")
	info["minor"], info["gitVersion"] = minor, GitVersion(catalog.Version())
	if n, err := strconv.Atoi(minor); err == nil && catalog.Since("1.33") {
		info["emulationMajor"], info["emulationMinor"] = "1", minor
		info["minCompatibilityMajor"], info["minCompatibilityMinor"] = "1", strconv.Itoa(n-1)
	}
	return info
}

// indented answers with a value in indented JSON, whatever the client accepts.
func (s *Server) indented(w *writer, r *http.Request, value any) {
	body, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.page(w, r, "application/json", body)
}

// paths serves / with the list of paths.
func (s *Server) paths(w *writer, r *http.Request) {
	paths := []string{"/api", "/apis", "/apis/", "/metrics", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"}
	for _, path := range []string{healthz, livez, readyz} {
		paths = append(paths, "/"+path)
		for _, c := range s.healthChecks(path) {
			paths = append(paths, "/"+path+"/"+c.name)
		}
	}
	if s.options.Tokens != nil {
		paths = append(paths, issuerPath, keysPath)
	}
	for _, g := range append(s.groups(), s.listedGroups(r.Context())...) {
		base := "/api"
		if g.group != "" {
			base = "/apis/" + g.group
			paths = append(paths, base)
		}
		for _, v := range g.versions {
			paths = append(paths, base+"/"+v.version)
		}
	}
	slices.Sort(paths)
	s.indented(w, r, map[string][]string{"paths": slices.Compact(paths)})
}
