package patchlabtest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Fault makes matching requests fail, or delays them. Empty fields match everything.
type Fault struct {
	// Verb, Group, Resource, Subresource, Namespace, Name and User select requests, by the
	// values that [Request] has for them, such as "update" and "configmaps". The one exception is
	// Group, where "core" is the core group, because "" matches every group.
	Verb, Group, Resource, Subresource, Namespace, Name, User string
	// Times is the number of requests to which the fault applies; 0 is all.
	Times int
	// Delay is the time for which a request waits before the server processes it or, with a Status,
	// fails it.
	Delay time.Duration
	// Status is the failure, with a code from 400 to 599: see [Conflict], [TooManyRequests],
	// [Timeout] and [Expired]. A watch that begins fails with it; one that is open goes on.
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
	name := nameOf(r)
	if st.Message != Conflict().Message || name == "" {
		return st
	}
	resource := strings.Trim(r.Resource+"."+r.Group, ".")
	return &cluster.Status{Code: st.Code, Reason: st.Reason, Details: &cluster.StatusDetails{Name: name, Group: r.Group, Kind: r.Resource},
		Message: "Operation cannot be fulfilled on " + resource + " " + strconv.Quote(name) + ": " + modified}
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

// Inject makes requests fail from now on, until remove is called. If several faults match a
// request, the one injected first applies. It panics if the fault has no effect, or if no request
// can match it: a verb, group or resource that the API does not have, such as the kind "ConfigMap" in
// place of the resource "configmaps". The resource of a CustomResourceDefinition may be given
// before the definition is created.
func (s *Server) Inject(f Fault) (remove func()) {
	if problem := f.problem(s.cluster.Kinds()); problem != "" {
		panic("patchlabtest: " + problem)
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

// problem returns why a fault has no effect on any request, "" if it may have one.
func (f *Fault) problem(kinds *schema.Registry) string {
	verbs := make([]string, 0, cluster.DeleteCollection+1)
	for v := range cluster.DeleteCollection + 1 {
		verbs = append(verbs, v.String())
	}
	switch {
	case f.Verb != "" && !slices.Contains(verbs, f.Verb):
		return fmt.Sprintf("no request has the verb %q; the verbs are %s", f.Verb, strings.Join(verbs, ", "))
	case f.Status == nil && f.Delay <= 0:
		return "the fault has neither a Status nor a Delay, so it has no effect"
	case f.Status != nil && (f.Status.Code < 400 || f.Status.Code > 599):
		return fmt.Sprintf("the code %d is not that of a failure, which is one from 400 to 599", f.Status.Code)
	case f.Times < 0:
		return fmt.Sprintf("the fault applies to %d requests; 0 is all", f.Times)
	case f.Name != "" && f.Verb == cluster.DeleteCollection.String():
		return "a deletecollection has no Name"
	}
	return f.unknownResource(kinds)
}

// unknownResource returns why no request can be for the group and resource of a fault. A group
// with a dot may be that of a CustomResourceDefinition that is created later.
func (f *Fault) unknownResource(kinds *schema.Registry) string {
	groups, resources, similar := map[string]bool{}, map[string]bool{}, ""
	for k := range kinds.Kinds() {
		group := cmp.Or(k.Group, "core")
		groups[group] = groups[group] || k.Builtin
		if f.Group != "" && f.Group != group {
			continue
		}
		resources[k.Resource] = true
		if k.Resource != "" && (strings.EqualFold(k.Kind, f.Resource) || strings.EqualFold(k.Resource, f.Resource) || slices.Contains(k.ShortNames, f.Resource)) {
			similar = k.Resource
		}
	}
	switch {
	case strings.Contains(f.Group, "/"):
		return fmt.Sprintf("the group %q has a version, which is not part of it", f.Group)
	case f.Group != "" && !groups[f.Group] && !strings.Contains(f.Group, "."):
		return fmt.Sprintf("there is no group %q; the core group is \"core\"", f.Group)
	case f.Resource == "" || resources[f.Resource]:
		return ""
	case similar != "":
		return fmt.Sprintf("there is no resource %q; did you mean %q?", f.Resource, similar)
	case strings.Contains(f.Resource, "/"):
		return fmt.Sprintf("the resource %q has a subresource, which is Fault.Subresource", f.Resource)
	case groups[f.Group]:
		return fmt.Sprintf("the group %q has no resource %q", f.Group, f.Resource)
	}
	return ""
}

func (f *Fault) matches(r *cluster.Request) bool {
	for _, pair := range [...][2]string{
		{f.Verb, r.Verb.String()}, {f.Group, cmp.Or(r.Group, "core")}, {f.Resource, r.Resource}, {f.Subresource, r.Subresource},
		{f.Namespace, r.Namespace}, {f.User, r.User.Name},
	} {
		if pair[0] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return f.Name == "" || f.Name == nameOf(r) // the name may have to be read from the body
}

// nameOf returns the name of the object that a request is for, "" if there is none. As in
// kube-apiserver, that of a list or watch is the one that its field selector requires.
func nameOf(r *cluster.Request) string {
	switch {
	case r.Name != "" || r.Verb == cluster.DeleteCollection:
	case r.Verb == cluster.List, r.Verb == cluster.Watch:
		return r.SelectedName()
	case r.Document != nil:
		return r.Document.Root.Lookup("metadata", "name").StringOr("")
	case r.Verb == cluster.Create:
		if body, err := document.ParseYAML(r.Body, document.Options{}); err == nil { // otherwise the request fails
			return body.Root.Lookup("metadata", "name").StringOr("")
		}
	}
	return r.Name
}
