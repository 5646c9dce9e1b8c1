package patchlabtest

import (
	"cmp"
	"context"
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
	Namespace, Name              string
	// Code is the HTTP status code of the response, 200 for any success.
	Code int
}

// Fault makes matching requests fail. Empty fields match everything.
type Fault struct {
	// Verb, Group, Resource, Subresource, Namespace, Name and User select requests, by the
	// values that [Request] has for them, such as "update" and "configmaps". The one exception is
	// Group, where "core" is the core group, because "" matches every group.
	Verb, Group, Resource, Subresource, Namespace, Name, User string
	// Times is the number of requests to fail; 0 fails all.
	Times int
	// Delay is a delay of the response. Without a Status the request then succeeds.
	Delay time.Duration
	// Status is the failure: see [Conflict], [TooManyRequests], [Timeout] and [Expired]. A
	// watch that fails with Expired is interrupted.
	Status *cluster.Status
}

// modified is the reason of a conflict, as kube-apiserver words it.
const modified = "the object has been modified; please apply your changes to the latest version and try again"

// Conflict returns the failure of an update with an outdated resourceVersion. In the response it names
// the object of the request.
func Conflict() *cluster.Status {
	return &cluster.Status{Code: 409, Reason: cluster.ReasonConflict, Message: "Operation cannot be fulfilled: " + modified}
}

// about returns the status as the response to a request: a [Conflict] names its object.
func about(st *cluster.Status, r *cluster.Request) *cluster.Status {
	if st.Message != Conflict().Message || r.Name == "" {
		return st
	}
	resource := strings.Trim(r.Resource+"."+r.Group, ".")
	return &cluster.Status{Code: st.Code, Reason: st.Reason, Details: &cluster.StatusDetails{Name: r.Name, Group: r.Group, Kind: r.Resource},
		Message: "Operation cannot be fulfilled on " + resource + " " + strconv.Quote(r.Name) + ": " + modified}
}

// TooManyRequests returns the failure of an overloaded server, with Retry-After set to a
// second.
func TooManyRequests() *cluster.Status {
	return &cluster.Status{Code: 429, Reason: "TooManyRequests", Message: "Too many requests, please try again later.",
		Details: &cluster.StatusDetails{RetryAfterSeconds: 1}}
}

// Timeout returns the failure of a request that exceeded the server's time limit. It may have
// had an effect or not.
func Timeout() *cluster.Status {
	return &cluster.Status{Code: 504, Reason: cluster.ReasonTimeout, Message: "Timeout: request did not complete within requested timeout"}
}

// Expired returns the failure of a watch or list whose resourceVersion is too old.
func Expired() *cluster.Status {
	return &cluster.Status{Code: 410, Reason: cluster.ReasonExpired, Message: "too old resource version"}
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

func (f *Fault) matches(r *cluster.Request) bool {
	for _, pair := range [...][2]string{
		{f.Verb, r.Verb.String()}, {f.Group, cmp.Or(r.Group, "core")}, {f.Resource, r.Resource}, {f.Subresource, r.Subresource},
		{f.Namespace, r.Namespace}, {f.Name, r.Name}, {f.User, r.User.Name},
	} {
		if pair[0] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return true
}

// record records a request with its status code and returns err.
func (g *gate) record(r *cluster.Request, err error) error {
	agent, _, _ := strings.Cut(r.UserAgent, "/")
	entry := Request{
		Time: g.now(), User: r.User.Name, Manager: cmp.Or(r.FieldManager, agent), Verb: r.Verb.String(),
		Group: r.Group, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name, Code: 200,
	}
	if st, ok := err.(*cluster.Status); ok {
		entry.Code = st.Code
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.requests) >= maxRecorded {
		g.requests = append(g.requests[:0], g.requests[len(g.requests)/2:]...)
	}
	g.requests = append(g.requests, entry)
	return err
}

// Requests returns the requests that the server has answered so far, in the order of their
// responses; a watch is recorded when it begins. At least the latest 50,000 are kept.
func (s *Server) Requests() []Request {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return slices.Clone(s.gate.requests)
}

// Inject makes requests fail from now on, until remove is called. If several faults match a
// request, the one injected first applies. It panics if no request can have the fault's verb.
func (s *Server) Inject(f Fault) (remove func()) {
	if verb := (cluster.Verb)(0); f.Verb != "" {
		for ; verb.String() != f.Verb; verb++ {
			if verb > cluster.DeleteCollection {
				panic("patchlabtest: no request has the verb " + strconv.Quote(f.Verb) + "; verbs are in lower case, as in Request.Verb")
			}
		}
	}
	own := &f
	s.gate.mu.Lock()
	s.gate.faults = append(s.gate.faults, own)
	s.gate.mu.Unlock()
	return func() {
		s.gate.mu.Lock()
		defer s.gate.mu.Unlock()
		s.gate.faults = slices.DeleteFunc(s.gate.faults, func(f *Fault) bool { return f == own })
	}
}
