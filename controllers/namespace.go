package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// finalizerKubernetes is the finalizer in a Namespace's spec that is removed when the
// namespace is empty.
const finalizerKubernetes = "kubernetes"

// namespace deletes the contents of a terminating namespace, and removes its finalizer when it
// is empty (k8s.io/kubernetes/pkg/controller/namespace/deletion).
func (r *runner) namespace(ctx context.Context, name string) error {
	n := r.graph.namespaces[name]
	if n == nil {
		return nil
	}
	live, err := r.live(ctx, n)
	if err != nil {
		return err
	}
	finalizers := live.Lookup("spec", "finalizers").Strings()
	if live.Lookup("metadata", "deletionTimestamp").StringOr("") == "" || !slices.Contains(finalizers, finalizerKubernetes) {
		return nil
	}
	content := r.graph.contentOf(name)
	deleted := 0
	for _, object := range content {
		if object.deleting {
			continue
		}
		deleted++
		if err := r.remove(ctx, object, background); err != nil && !isNotFound(err) && !isConflict(err) {
			return err
		}
	}
	switch {
	case deleted > 0: // the changes of the deleted objects queue the namespace again
		return nil
	case len(content) > 0:
		return r.report(ctx, n, live, content)
	}
	left := slices.DeleteFunc(finalizers, func(f string) bool { return f == finalizerKubernetes })
	request := r.request(n, cluster.Update)
	request.Subresource = "finalize"
	request.Body = live.Set(document.NewStrings(left...), "spec", "finalizers").JSON()
	_, err = r.cluster.Do(ctx, request)
	return err
}

// report sets the status conditions of a namespace that waits for its contents.
func (r *runner) report(ctx context.Context, n *node, live document.Value, content []*node) error {
	resources, finalizers := map[string]int{}, map[string]int{}
	for _, object := range content {
		resources[object.resource()]++
		for _, f := range object.finalizers {
			finalizers[f]++
		}
	}
	conditions := []condition{
		{"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"},
		{"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions", "All legacy kube types successfully parsed"},
		{"NamespaceDeletionContentFailure", "False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"},
		{"NamespaceContentRemaining", "True", "SomeResourcesRemain", "Some resources are remaining: " + counts(resources, "%s has %d resource instances")},
		{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "All content-preserving finalizers finished"},
	}
	if len(finalizers) > 0 {
		conditions[4] = condition{"NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
			"Some content in the namespace has finalizers remaining: " + counts(finalizers, "%s in %d resource instances")}
	}
	next := withConditions(live.Lookup("status", "conditions"), conditions, live.Lookup("metadata", "deletionTimestamp"))
	if document.Identical(next, live.Lookup("status", "conditions")) {
		return nil
	}
	request := r.request(n, cluster.Update)
	request.Subresource = "status"
	request.Body = live.Set(next, "status", "conditions").JSON()
	_, err := r.cluster.Do(ctx, request)
	return err
}

// resource returns the object's resource as conditions name it.
func (n *node) resource() string { return strings.TrimSuffix(n.kind.Resource+"."+n.kind.Group, ".") }

func counts(of map[string]int, format string) string {
	parts := make([]string, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf(format, name, of[name]))
	}
	return strings.Join(parts, ", ")
}

// condition is an entry of status.conditions.
type condition struct{ kind, status, reason, message string }

// withConditions sets conditions in a list of them. lastTransitionTime is the time of the
// deletion, because the controllers have no clock.
func withConditions(list document.Value, conditions []condition, at document.Value) document.Value {
	var b document.ListBuilder
	for _, old := range list.Items() {
		kind := old.Get("type").StringOr("")
		if !slices.ContainsFunc(conditions, func(c condition) bool { return c.kind == kind }) {
			b.Append(old)
		}
	}
	for _, c := range conditions {
		b.Append(document.NewObject().
			With("type", document.NewString(c.kind)).With("status", document.NewString(c.status)).
			With("reason", document.NewString(c.reason)).With("message", document.NewString(c.message)).
			With("lastTransitionTime", at))
	}
	return b.List()
}
