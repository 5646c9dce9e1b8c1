// Package inprocess sends recorded requests to a cluster in the same process, without HTTP.
package inprocess

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotype"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// Send returns a conformance.Send to a cluster in the same process.
func Send(c *cluster.Cluster) conformance.Send {
	return func(r conformance.Request) (conformance.Answer, error) {
		req, ok := ClusterRequest(r)
		if !ok {
			return conformance.Answer{Code: 404, Body: []byte("404 page not found")}, nil
		}
		if req == nil {
			bad := cluster.Status{Code: 400, Reason: cluster.ReasonBadRequest, Message: "a parameter is not a number"}
			return conformance.Answer{Code: 400, Body: bad.Object().JSON()}, nil
		}
		resp, err := c.Do(context.Background(), req)
		var st *cluster.Status
		switch {
		case errors.As(err, &st):
			return conformance.Answer{Code: st.Code, Body: gotype.Worded(st).Object().JSON()}, nil
		case err != nil:
			return conformance.Answer{}, err
		}
		a := conformance.Answer{Code: resp.Code, Warnings: WarningHeaders(resp.Warnings)}
		if resp.Events == nil {
			a.Body = resp.Object.JSON()
			return a, nil
		}
		defer resp.Events.Stop()
		done, cancel := context.WithCancel(context.Background())
		cancel() // all events have been sent
		for len(a.Events) < r.Events {
			e, err := resp.Events.Next(done)
			if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
				break
			}
			if err != nil {
				return a, err
			}
			var b document.ObjectBuilder
			b.Set("type", document.NewString(e.Type))
			b.Set("object", e.Object)
			a.Events = append(a.Events, b.Object().JSON())
		}
		return a, nil
	}
}

// Recorder is the user of the recorded requests.
var Recorder = cluster.User{Name: "admin", UID: "00000000-0000-0000-0000-000000000001",
	Groups: []string{"system:masters", "system:authenticated"}}

// WarningHeaders formats warnings as Warning headers.
func WarningHeaders(warnings []string) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, `299 - "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w)+`"`)
	}
	return out
}

// ClusterRequest converts a recorded request as the server does. The request is nil if a
// parameter is invalid; ok is false if the path is not an API path.
func ClusterRequest(r conformance.Request) (*cluster.Request, bool) {
	path, err := url.PathUnescape(r.Path)
	if err != nil {
		return nil, false
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	req := &cluster.Request{UserAgent: "oracle/v1", Body: []byte(r.Body), User: Recorder}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		req.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		req.Group, req.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return nil, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		req.Namespace, parts = parts[1], parts[2:]
	}
	for i, into := range []*string{&req.Resource, &req.Name, &req.Subresource} {
		if i < len(parts) {
			*into = parts[i]
		}
	}
	if len(parts) > 3 {
		return nil, false
	}
	q, err := url.ParseQuery(r.Query)
	if err != nil {
		return nil, false
	}
	if !readOptions(req, q) {
		return nil, true
	}
	media, _, _ := strings.Cut(r.ContentType, ";")
	if r.Method != "PATCH" { // the API server requires an exact media type for patches
		media = strings.ToLower(strings.TrimSpace(media))
	}
	req.Format = formatOf(r.Method, media)
	req.Verb = verbOf(r.Method, req.Name != "", truth(q, "watch"))
	return req, true
}

// formats maps media types to formats of bodies.
var formats = map[string]cluster.Format{
	"":                                       cluster.JSON,
	"application/json":                       cluster.JSON,
	"application/yaml":                       cluster.YAML,
	"application/json-patch+json":            cluster.JSONPatch,
	"application/merge-patch+json":           cluster.MergePatch,
	"application/strategic-merge-patch+json": cluster.StrategicPatch,
	"application/apply-patch+yaml":           cluster.ApplyPatch,
}

func formatOf(method, media string) cluster.Format {
	format, known := formats[media]
	if !known || method == "PATCH" && format == cluster.JSON {
		return cluster.UnknownFormat
	}
	return format
}

func verbOf(method string, named bool, watch *bool) cluster.Verb {
	switch method {
	case "POST":
		return cluster.Create
	case "PUT":
		return cluster.Update
	case "PATCH":
		return cluster.Patch
	case "DELETE":
		if !named {
			return cluster.DeleteCollection
		}
		return cluster.Delete
	}
	switch {
	case named:
		return cluster.Get
	case watch != nil && *watch:
		return cluster.Watch
	}
	return cluster.List
}

// truth parses a boolean like the API server: anything but false and 0 is true.
func truth(q url.Values, key string) *bool {
	if !q.Has(key) {
		return nil
	}
	b := q.Get(key) != "false" && q.Get(key) != "0"
	return &b
}

// readOptions parses the numeric parameters of a query and reports whether they are valid.
func readOptions(req *cluster.Request, q url.Values) bool {
	number := func(key string) *int64 {
		n, err := strconv.ParseInt(q.Get(key), 10, 64)
		if err != nil {
			return nil
		}
		return &n
	}
	req.FieldManager, req.FieldValidation = q.Get("fieldManager"), q.Get("fieldValidation")
	req.Force, req.DryRun = truth(q, "force"), q["dryRun"]
	req.ResourceVersion, req.ResourceVersionMatch = q.Get("resourceVersion"), q.Get("resourceVersionMatch")
	req.LabelSelector, req.FieldSelector, req.Continue = q.Get("labelSelector"), q.Get("fieldSelector"), q.Get("continue")
	if n := number("limit"); n != nil {
		req.Limit = *n
	} else if q.Get("limit") != "" {
		return false
	}
	if b := truth(q, "allowWatchBookmarks"); b != nil {
		req.Bookmarks = *b
	}
	req.InitialEvents = truth(q, "sendInitialEvents")
	req.Deletion.GracePeriodSeconds = number("gracePeriodSeconds")
	if policy := q["propagationPolicy"]; len(policy) > 0 {
		req.Deletion.PropagationPolicy = &policy[0]
	}
	req.Deletion.OrphanDependents = truth(q, "orphanDependents")
	ok := q.Get("timeoutSeconds") == "" || number("timeoutSeconds") != nil
	return ok && (q.Get("gracePeriodSeconds") == "" || req.Deletion.GracePeriodSeconds != nil)
}
