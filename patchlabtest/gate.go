package patchlabtest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/server"
)

// Request is a request that the server received, as returned by [Server.Requests].
type Request struct {
	Time time.Time
	// User is the user who sent it: see [Server.ConfigFor].
	User string
	// Manager is the field manager of the request or, without one, the first part of its
	// User-Agent, as in kube-apiserver.
	Manager string
	// Verb is get, list, watch, create, update, patch, delete or deletecollection.
	Verb string
	// Group and Resource are those of the requested resource. Subresource is "" for the object
	// itself.
	Group, Resource, Subresource string
	// Name is that of the object: of a create, the name in the body or the generated one; of a
	// list or watch, the one that its field selector requires.
	Namespace, Name string
	// Code is the HTTP status code of the response, 200 for any success.
	Code int
}

// String returns the request as a line of text for the log of a test, such as
// "my-controller patch deployments.apps/status shop/web: 200".
func (r Request) String() string {
	resource := r.Resource
	if r.Group != "" {
		resource += "." + r.Group
	}
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	words := []string{r.Manager, r.Verb, resource}
	switch {
	case r.Namespace != "" && r.Name != "":
		words = append(words, r.Namespace+"/"+r.Name)
	case r.Namespace != "":
		words = append(words, "in "+r.Namespace)
	case r.Name != "":
		words = append(words, r.Name)
	}
	return strings.Join(words, " ") + ": " + strconv.Itoa(r.Code)
}

// maxRecorded is the number of recorded requests at which the older half is dropped.
const maxRecorded = 100_000

// gate wraps the cluster for the HTTP server: it records requests and injects faults.
type gate struct {
	server.Cluster
	now func() time.Time

	mu       sync.Mutex
	requests []Request
	faults   []*Fault
}

// Do implements the server's Cluster.
func (g *gate) Do(ctx context.Context, r *cluster.Request) (*cluster.Response, error) {
	if err := g.admit(ctx, r); err != nil {
		return nil, g.record(r, err)
	}
	resp, err := g.Cluster.Do(ctx, r)
	if err == nil && r.Verb == cluster.Create && r.Subresource == "" {
		named := *r // with the name of the object, which may be generated
		named.Name = resp.Object.Lookup("metadata", "name").StringOr("")
		r = &named
	}
	return resp, g.record(r, err)
}

// Read implements the server's Cluster.
func (g *gate) Read(ctx context.Context, r *cluster.Request) (*cluster.Reading, error) {
	if err := g.admit(ctx, r); err != nil {
		return nil, g.record(r, err)
	}
	reading, err := g.Cluster.Read(ctx, r)
	return reading, g.record(r, err)
}

// admit returns the error with which a request fails before it reaches the cluster.
func (g *gate) admit(ctx context.Context, r *cluster.Request) error {
	f := g.fault(r)
	if f == nil {
		return nil
	}
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return Timeout()
		}
	}
	if f.Status == nil {
		return nil
	}
	return about(f.Status, r)
}

// fault returns the first fault that matches a request, and counts the request.
func (g *gate) fault(r *cluster.Request) *Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, f := range g.faults {
		if !f.matches(r) {
			continue
		}
		if f.Times--; f.Times == 0 {
			g.faults = slices.Delete(g.faults, i, i+1)
		}
		return f
	}
	return nil
}

// record records a request with its status code and returns err.
func (g *gate) record(r *cluster.Request, err error) error {
	agent, _, _ := strings.Cut(r.UserAgent, "/")
	entry := Request{
		Time: g.now(), User: r.User.Name, Manager: cmp.Or(r.FieldManager, agent), Verb: r.Verb.String(),
		Group: r.Group, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: nameOf(r), Code: 200,
	}
	if err != nil {
		entry.Code = codeOf(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.requests) >= maxRecorded {
		g.requests = append(g.requests[:0], g.requests[len(g.requests)/2:]...)
	}
	g.requests = append(g.requests, entry)
	return err
}

// codeOf returns the status code with which the server answers a failed request.
func codeOf(err error) int {
	var st *cluster.Status
	if errors.As(err, &st) {
		return st.Code
	}
	return http.StatusInternalServerError
}

// Requests returns the requests that the server has answered so far, in the order of their
// responses; a watch is recorded when it begins. At least the latest 50,000 are kept.
func (s *Server) Requests() []Request {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return slices.Clone(s.gate.requests)
}
