//go:build !js

package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// stream answers a request for the log of a container, or for a connection to one, up to the point where
// kube-apiserver connects to the node of the pod (pkg/registry/core/pod, LogLocation and streamLocation). Without
// a node, the log is empty and there is nothing to connect to. A request to proxy ends after admission.
func (c *Cluster) stream(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	s := &streaming{Request: r, ep: ep, pipeline: c.pipeline}
	resp, st := c.openStream(ctx, s)
	return resp, st.warning(s.warnings)
}

// streaming is a request for a stream. Its options are an object of the kind ep.body.
type streaming struct {
	*Request
	*pipeline
	ep       *endpoint
	options  document.Value
	warnings []string
}

func (c *Cluster) openStream(ctx context.Context, s *streaming) (*Response, *Status) {
	if st := s.readOptions(); st != nil {
		return nil, st
	}
	if s.ep.sub == subLog {
		if causes := s.checkLog(); len(causes) > 0 {
			return nil, invalid(s.bodyKind(), s.Name, causes)
		}
	} else if st := s.connect(ctx); st != nil {
		return nil, st
	}
	if s.ep.sub == subProxy { // its name is that of an object with a protocol and a port, which the caller looks for
		return nil, notServed(s.ep)
	}
	pod, st := c.get(ctx, &Request{Verb: Get, Namespace: s.Namespace, Name: s.Name}, c.endpointOf(s.ep.kind))
	if st != nil {
		return nil, st
	}
	spec := pod.Object.Value().Get("spec")
	if s.ep.sub != "portforward" {
		if st := s.checkContainer(spec); st != nil {
			return nil, st
		}
	}
	switch node := spec.Get("nodeName").StringOr(""); {
	case node != "":
		return nil, c.noConnection(ctx, s, node)
	case s.ep.sub == subLog:
		return &Response{Code: 204}, nil
	}
	return nil, badRequest(fmt.Sprintf("pod %s does not have a host assigned", s.Name))
}

// noConnection returns the error of a connection to a node. If the node does not exist, kube-apiserver's error has
// the name of the node and the resource of the request.
func (c *Cluster) noConnection(ctx context.Context, s *streaming, name string) *Status {
	kind, ok := s.kinds.Kind(kinds.Node())
	if !ok {
		return notServed(s.ep)
	}
	node, st := c.get(ctx, &Request{Verb: Get, Name: name}, c.endpointOf(kind))
	switch {
	case st != nil && st.Code == 404:
		return notFound(s.ep.what(), name)
	case st != nil:
		return st
	}
	if _, err := kinds.NodeAddress(node.Object.Value()); err != nil {
		return &Status{Code: 500, Message: err.Error()}
	}
	return notServed(s.ep)
}

func (s *streaming) bodyKind() groupResource {
	return groupResource{s.ep.body.Group, s.ep.body.Kind}
}

// readOptions decodes the options.
func (s *streaming) readOptions() *Status {
	given := document.NewObject()
	if s.Document != nil {
		given = s.Document.Root
	} else if len(s.Body) > 0 {
		doc, err := document.Parse(s.Body, document.Options{})
		if err != nil {
			return badRequest(err.Error())
		}
		given = doc.Root
	}
	decoded, _, err := s.decode(s.ep.body, given, defaults.FromJSON)
	if err != nil {
		return badRequest(err.Error())
	}
	s.options = decoded.With("kind", document.NewString(s.ep.body.Kind)).With("apiVersion", document.NewString(s.ep.body.APIVersion()))
	return nil
}

// connect runs admission for a connection, which may change the options.
func (s *streaming) connect(ctx context.Context) *Status {
	if len(s.DryRun) > 0 {
		return badRequest("dryRun is not supported")
	}
	if !s.admits() {
		return nil
	}
	a := &Attributes{
		Request: s.Request, Operation: OperationConnect, Resource: s.ep.kind, Kind: s.ep.body,
		Namespace: s.Namespace, Name: s.Name, Object: s.options, pipeline: s.pipeline,
		warn: func(text string) { s.warnings = withWarning(s.warnings, text) },
	}
	var st *Status
	if s.options, st = s.admission.Mutate(ctx, a); st != nil {
		return st
	}
	a.Object = s.options
	return s.admission.Validate(ctx, a)
}

// checkLog validates PodLogOptions.
func (s *streaming) checkLog() []Cause {
	var causes []Cause
	atLeast := func(field string, least int64, why string) {
		if n, ok := s.options.Get(field).Int(); ok && n < least {
			causes = append(causes, invalidValue(field, s.options.Get(field).NumberText(), why))
		}
	}
	atLeast("tailLines", 0, "must be greater than or equal to 0")
	atLeast("limitBytes", 1, "must be greater than 0")
	if s.options.Get("sinceSeconds").Exists() && s.options.Get("sinceTime").Exists() {
		causes = append(causes, forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	} else {
		atLeast("sinceSeconds", 1, "must be greater than 0")
	}
	if s.options.Get("stream").Exists() && s.kinds.Catalog().Since("1.32") { // behind the gate PodLogsQuerySplitStreams
		causes = append(causes, forbidden("stream", "may not be specified"))
	}
	return causes
}

// checkContainer refuses a container that the pod does not have. Without a name, the pod must have only one.
func (s *streaming) checkContainer(spec document.Value) *Status {
	name := s.options.Get("container").StringOr("")
	if name == "" && spec.Get("containers").Len() == 1 {
		return nil
	}
	var names []string
	for _, field := range [...]string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range spec.Get(field).Items() {
			names = append(names, container.Get("name").StringOr(""))
		}
	}
	switch {
	case name == "":
		return badRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: [%s]", s.Name, strings.Join(names, " ")))
	case !slices.Contains(names, name):
		return badRequest(fmt.Sprintf("container %s is not valid for pod %s", name, s.Name))
	}
	return nil
}
