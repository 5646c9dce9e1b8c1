package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// healthTime limits the time that a health check may take, as kube-apiserver limits its check
// of etcd.
const healthTime = 2 * time.Second

// healthCheck is one of the checks behind /healthz, /livez and /readyz. Each has a path of
// its own below these.
type healthCheck struct {
	name  string
	check func(context.Context) error
}

// startHooks are the names of kube-apiserver's post-start hooks in the order of its checks. The server accepts requests
// only after it has done the same work, so these checks cannot fail.
var startHooks = []string{
	"start-apiserver-admission-initializer",
	"generic-apiserver-start-informers",
	"priority-and-fairness-config-consumer",
	"priority-and-fairness-filter",
	"storage-object-count-tracker-hook",
	"start-apiextensions-informers",
	"start-apiextensions-controllers",
	"crd-informer-synced",
	"start-system-namespaces-controller",
	"peer-endpoint-reconciler-controller",
	"start-cluster-authentication-info-controller",
	"start-kube-apiserver-identity-lease-controller",
	"start-kube-apiserver-identity-lease-garbage-collector",
	"storage-readiness",
	"start-legacy-token-tracking-controller",
	"start-service-ip-repair-controllers",
	rolesHook,
	"scheduling/bootstrap-system-priority-classes",
	"priority-and-fairness-config-producer",
	"bootstrap-controller",
	"start-kubernetes-service-cidr-controller",
	"start-kube-aggregator-informers",
	"apiservice-status-local-available-controller",
	"apiservice-status-remote-available-controller",
	"apiservice-registration-controller",
	"apiservice-discovery-controller",
	"kube-apiserver-autoregistration",
	registration,
	"apiservice-openapi-controller",
	"apiservice-openapiv3-controller",
}

const (
	// kube-apiserver runs rolesHook only with --authorization-mode=RBAC.
	rolesHook = "rbac/bootstrap-roles"
	// registration is not a post-start hook, but kube-apiserver lists it among them.
	registration = "autoregister-completion"
)

// The paths of the health checks.
const (
	healthz = "healthz"
	livez   = "livez"
	readyz  = "readyz"
)

// healthChecks returns the checks of a path, with the names and in the order of kube-apiserver, so the
// store is called etcd. A server that is stopping is live and no longer ready.
func (s *Server) healthChecks(path string) []healthCheck {
	passes := func(context.Context) error { return nil }
	checks := []healthCheck{{"ping", passes}, {"log", passes}}
	switch path {
	case healthz, livez:
		checks = append(checks, healthCheck{"loopback-serving-certificate", passes}, healthCheck{"etcd", s.storeHealth})
	case readyz:
		checks = append(checks, healthCheck{"etcd", s.storeHealth}, healthCheck{"etcd-readiness", s.storeHealth}, healthCheck{"informer-sync", passes})
	}
	for _, name := range startHooks {
		switch {
		case name == rolesHook && s.options.Authorizer == nil:
			continue
		case name != registration:
			name = "poststarthook/" + name
		}
		checks = append(checks, healthCheck{name, passes})
	}
	if path == readyz {
		checks = append(checks, healthCheck{"shutdown", func(context.Context) error {
			if s.stopping.Load() {
				return errors.New("the server is stopping")
			}
			return nil
		}})
	}
	return checks
}

func (s *Server) storeHealth(ctx context.Context) error {
	if s.options.Health == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	return s.options.Health(ctx)
}

// The uids in the headers of a health check, in which kube-apiserver names the FlowSchema and the
// PriorityLevelConfiguration of the request. They are those of no object. Clients that find the headers, such as
// kpt's and flux', stop limiting their own requests (sigs.k8s.io/cli-utils, pkg/flowcontrol): a server with these
// headers limits them itself, as this one does.
const (
	flowSchemaUID    = "5c5d0bd5-9a3a-4f5e-8d3b-1c1fbe9a7a10"
	priorityLevelUID = "0f2b8e5a-51b5-4e56-9a0c-7c0d4a0e6c2d"
)

// health serves the health checks without a token, and reports whether the path is that of
// one.
func (s *Server) health(w *writer, r *http.Request) bool {
	path, single, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if path != healthz && path != livez && path != readyz {
		return false
	}
	w.Header().Set("X-Kubernetes-Pf-Flowschema-Uid", flowSchemaUID)
	w.Header().Set("X-Kubernetes-Pf-Prioritylevel-Uid", priorityLevelUID)
	checks := s.healthChecks(path)
	if r.URL.Path == "/"+path {
		s.allHealth(w, r, path, checks)
		return true
	}
	i := slices.IndexFunc(checks, func(c healthCheck) bool { return c.name == single })
	if i < 0 {
		return false
	}
	if err := checks[i].check(r.Context()); err != nil {
		if _, authenticated := s.authenticate(w, r); !authenticated {
			err = errors.New("reason withheld")
		}
		http.Error(w, fmt.Sprintf("internal server error: %v", err), http.StatusInternalServerError)
		return true
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok"))
	return true
}

// allHealth runs all checks except those that the query excludes. The answer never contains
// the errors, as it needs no token.
func (s *Server) allHealth(w *writer, r *http.Request, path string, checks []healthCheck) {
	query := queryOf(r)
	excluded := query["exclude"]
	var b bytes.Buffer
	failed := false
	for _, c := range checks {
		if slices.Contains(excluded, c.name) {
			fmt.Fprintf(&b, "[+]%s excluded: ok\n", c.name)
		} else if err := c.check(r.Context()); err != nil {
			failed = true
			fmt.Fprintf(&b, "[-]%s failed: reason withheld\n", c.name)
		} else {
			fmt.Fprintf(&b, "[+]%s ok\n", c.name)
		}
	}
	var unknown []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(excluded))) {
		if !slices.ContainsFunc(checks, func(c healthCheck) bool { return c.name == name }) {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if len(unknown) > 0 {
		fmt.Fprintf(&b, "warn: some health checks cannot be excluded: no matches for %s\n", strings.Join(unknown, ", "))
	}
	if failed {
		fmt.Fprintf(&b, "%s check failed", path)
		http.Error(w, b.String(), http.StatusInternalServerError)
		return
	}
	if !query.Has("verbose") {
		healthy(w, []byte("ok"))
		return
	}
	fmt.Fprintf(&b, "%s check passed\n", path)
	healthy(w, b.Bytes())
}

func healthy(w *writer, body []byte) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set(contentTypeOptions, noSniff)
	_, _ = w.Write(body)
}
