package patchlab_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/schema"
)

// route replays recorded requests. The Lab handles those that it supports, on the live
// object from the cluster; the cluster handles every request, so that its state stays that
// of the recording.
type route struct {
	cluster *cluster.Cluster
	lab     *patchlab.Lab
	uid     string // of the created object
	byLab   int
}

func (r *route) send(request conformance.Request) (conformance.Answer, error) {
	asked, ok := inprocess.ClusterRequest(request)
	if !ok || asked == nil {
		return inprocess.Send(r.cluster)(request)
	}
	kind, found := r.cluster.Kinds().Resource(asked.Group, asked.Version, asked.Resource)
	if !found || !supported(asked, kind) {
		return inprocess.Send(r.cluster)(request)
	}
	change, body, ok := changeOf(asked, kind.Builtin)
	if !ok {
		return inprocess.Send(r.cluster)(request)
	}
	live := r.live(asked, body)
	if !isFor(asked, kind.Kind, kind.APIVersion(), body.Root) || !live.Exists() && (change.Action != patchlab.ActionCreate && change.Action != patchlab.ActionApply || change.Subresource != "") {
		return inprocess.Send(r.cluster)(request)
	}
	theirs, err := inprocess.Send(r.cluster)(request)
	if err != nil {
		return theirs, err
	}
	return r.ask(live, body, change, theirs), nil
}

// supported reports whether a Lab can replay requests for a kind. It cannot for
// CertificateSigningRequests, which record the requesting user, nor for
// CustomResourceDefinitions and reviews, whose responses depend on a cluster.
func supported(r *cluster.Request, kind *schema.Kind) bool {
	_, has := kind.Subresource(r.Subresource)
	switch {
	case kind.Kind == "CustomResourceDefinition", kind.Kind == "CertificateSigningRequest", strings.HasSuffix(kind.Kind, "Review"):
		return false
	case r.Subresource != "" && !has, r.Namespace == "" && kind.Namespaced, r.Verb == cluster.Create && r.Name != "":
		return false
	}
	return true
}

// ask sends the change to the Lab and takes the fields that only a store sets from the
// cluster's response.
func (r *route) ask(live document.Value, body *document.Document, change patchlab.Change, theirs conformance.Answer) conformance.Answer {
	stored, err := document.Parse(theirs.Body, document.Options{MaxBytes: -1})
	if err != nil {
		return theirs
	}
	r.uid = stored.Root.Lookup("metadata", "uid").StringOr("")
	var result *patchlab.Result
	for result, err = range r.lab.Run(live, body, change) {
	}
	var status *cluster.Status
	switch {
	case errors.As(err, &status):
		r.byLab++
		return conformance.Answer{Code: status.Code, Body: status.Object().JSON()}
	case err != nil:
		return conformance.Answer{Code: 599, Body: []byte(err.Error())}
	}
	r.byLab++
	object := result.Object()
	if result.Scale.Exists() {
		object = result.Scale
	}
	// A write may change stored data without a visible change, such as the default of a
	// field that the stored object lacks; the cluster's resourceVersion is used then. If
	// the Lab sees a changed value, the version must have changed too, unless the write
	// deletes the object.
	version := stored.Root.Lookup("metadata", "resourceVersion")
	if result.Created() || document.Identical(result.Before.Value, result.After.Value) || live.Lookup("metadata", "deletionTimestamp").Exists() || !document.Equal(version, live.Lookup("metadata", "resourceVersion")) {
		object = object.Set(version, "metadata", "resourceVersion")
	} else {
		object = object.Set(document.NewString("should have changed"), "metadata", "resourceVersion")
	}
	answer := conformance.Answer{Code: 200, Body: object.JSON(), Warnings: inprocess.WarningHeaders(result.Warnings)}
	if result.Created() {
		answer.Code = 201
	}
	return answer
}

// live reads the object of a request from the cluster; it is absent if it does not exist.
func (r *route) live(asked *cluster.Request, body *document.Document) document.Value {
	get := &cluster.Request{Verb: cluster.Get, Group: asked.Group, Version: asked.Version, Resource: asked.Resource, Namespace: asked.Namespace, Name: asked.Name}
	if asked.Verb == cluster.Create {
		get.Name = body.Root.Lookup("metadata", "name").StringOr("")
	}
	response, err := r.cluster.Do(context.Background(), get)
	if err != nil {
		return document.Value{}
	}
	return response.Object
}

// changeOf converts a request to a Change. ok is false if a Lab cannot represent it: a Lab
// needs a body that parses and always has a field manager, and it does not send requests
// that only a hand-written client would send.
func changeOf(r *cluster.Request, builtin bool) (patchlab.Change, *document.Document, bool) {
	c := patchlab.Change{FieldManager: r.FieldManager, Subresource: r.Subresource, FieldValidation: r.FieldValidation, Namespace: r.Namespace}
	if c.FieldValidation == "" {
		c.FieldValidation = "Warn"
	}
	o := document.Options{Duplicates: document.DuplicatesLast}
	parse := document.Parse
	switch {
	case len(r.DryRun) > 0:
		return c, nil, false
	case r.Verb == cluster.Create && r.Format == cluster.JSON && r.Subresource == "":
		c.Action = patchlab.ActionCreate
	case r.Verb == cluster.Update && r.Format == cluster.JSON:
		c.Action = patchlab.ActionUpdate
	case r.Verb == cluster.Patch && r.Format == cluster.ApplyPatch && r.FieldManager != "":
		c.Action, parse, c.Force = patchlab.ActionApply, document.ParseYAML, r.Force != nil && *r.Force
	case r.Verb == cluster.Patch && r.Force == nil && r.Format == cluster.JSONPatch:
		c.Action = patchlab.ActionJSONPatch
	case r.Verb == cluster.Patch && r.Force == nil && r.Format == cluster.MergePatch:
		c.Action = patchlab.ActionMergePatch
	case r.Verb == cluster.Patch && r.Force == nil && r.Format == cluster.StrategicPatch:
		c.Action = patchlab.ActionStrategicPatch
	default:
		return c, nil, false
	}
	if c.FieldManager == "" {
		c.FieldManager = "oracle"
	}
	if builtin && r.Verb != cluster.Patch {
		o.Duplicates = document.DuplicatesMerged
	}
	d, err := parse(r.Body, o)
	return c, d, err == nil
}

// isFor reports whether a body names the object of its request, or no object. A Lab
// identifies the object by the body alone.
func isFor(r *cluster.Request, kind, apiVersion string, body document.Value) bool {
	if body.Kind() != document.Object {
		return body.Kind() == document.List && r.Format == cluster.JSONPatch
	}
	typed := body.Get("kind").Exists() && body.Get("apiVersion").Exists()
	if !typed {
		return r.Verb == cluster.Patch && r.Format != cluster.ApplyPatch && body.Lookup("metadata", "name").StringOr(r.Name) == r.Name
	}
	if r.Subresource == "scale" && body.Get("kind").StringOr("") == "Scale" {
		return body.Lookup("metadata", "name").StringOr("") == r.Name
	}
	name, namespace := body.Lookup("metadata", "name").StringOr(""), body.Lookup("metadata", "namespace")
	if body.Get("kind").StringOr("") != kind || body.Get("apiVersion").StringOr("") != apiVersion {
		return false
	}
	return (r.Verb == cluster.Create || name == r.Name) && (!namespace.Exists() || namespace.StringOr("") == r.Namespace)
}

// TestRecordingsThroughALab compares a Lab's results with the recorded responses of
// kube-apiserver.
func TestRecordingsThroughALab(t *testing.T) {
	cases, err := conformance.ReadAll("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		cases = conformance.Sample(cases, 10)
	}
	now := time.Now().Truncate(time.Second)
	r := &route{}
	if r.cluster, err = cluster.New(cluster.Config{Now: func() time.Time { return now }}); err != nil {
		t.Fatal(err)
	}
	defer r.cluster.Close()
	createRecordedCRDs(t, r.cluster)
	r.lab, err = patchlab.New(patchlab.Options{Kinds: r.cluster.Kinds(), Now: func() time.Time { return now }, UID: func() string { return r.uid }})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range cases {
		if only := os.Getenv("CASE"); !strings.Contains(one.Name, only) {
			continue
		}
		_, differs := conformance.Runner{Now: func() time.Time { return now }, Sleep: func(d time.Duration) { now = now.Add(d) }}.Run(one, r.send)
		if differs != "" {
			t.Errorf("%s: %s", one.Name, differs)
		}
	}
	t.Logf("%d answers of the Lab, in %d cases", r.byLab, len(cases))
	if r.byLab < 2*len(cases) && os.Getenv("CASE") == "" {
		t.Errorf("the Lab answered %d requests in %d cases", r.byLab, len(cases))
	}
}
