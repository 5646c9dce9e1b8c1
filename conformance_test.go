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

// route answers recorded requests. Those that a Lab can be asked are answered by
// it, from the live object that the cluster holds; the cluster answers the others,
// and gets all of them, so that its state goes on.
type route struct {
	cluster *cluster.Cluster
	lab     *patchlab.Lab
	uid     string // of the object that is created
	byLab   int
}

func (r *route) send(request conformance.Request) (conformance.Answer, error) {
	asked, ok := inprocess.ClusterRequest(request)
	if !ok || asked == nil {
		return inprocess.Send(r.cluster)(request)
	}
	kind, found := r.cluster.Kinds().Resource(asked.Group, asked.Version, asked.Resource)
	if !found || !forALab(asked, kind) {
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

// forALab reports whether a Lab answers requests for a kind. It has no users, which
// CertificateSigningRequests record, and what a CustomResourceDefinition or a
// review is answered with comes from a cluster.
func forALab(r *cluster.Request, kind *schema.Kind) bool {
	_, has := kind.Subresource(r.Subresource)
	switch {
	case kind.Kind == "CustomResourceDefinition", kind.Kind == "CertificateSigningRequest", strings.HasSuffix(kind.Kind, "Review"):
		return false
	case r.Subresource != "" && !has, r.Namespace == "" && kind.Namespaced, r.Verb == cluster.Create && r.Name != "":
		return false
	}
	return true
}

// ask has the Lab answer, with what only a store knows from the cluster's answer.
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
	// A write may change what is stored and nothing that can be seen, such as the
	// default of a field that the stored object lacks; so the version is the
	// cluster's. Where the Lab sees another value, it must have moved on, unless the
	// object is deleted by it.
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

// live reads the object that a request is for, absent where there is none.
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

// changeOf returns a request as a change for a Lab; ok is false where a Lab cannot
// be asked so: it reads only what can be parsed, names a manager for who names
// none, and sends nothing that no client of its own would send.
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

// isFor reports whether a body names the object of its request, or none: a Lab has
// nothing but the body to go by.
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

// TestRecordingsThroughALab holds a Lab against what a real kube-apiserver
// answered.
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
