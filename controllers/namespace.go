package controllers

import (
	"context"
	"errors"
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
	left, known := r.deleteElsewhere(ctx, name, n.uid)
	content := r.graph.content[name]
	var pods map[string]*node
	if n.kind.Since("1.33") {
		pods = podsIn(content)
	}
	if len(pods) > 0 {
		content = pods
	}
	deleted, failed := r.removeAll(ctx, content)
	switch {
	case deleted: // the changes of the deleted objects queue the namespace again
		return nil
	case len(pods) > 0: // kube-controller-manager counts no content before the pods are gone
		_, err = r.report(ctx, n, live, nil, Left{Undiscovered: left.Undiscovered, Failed: failed})
		return errors.Join(err, errors.Join(failed...))
	}
	if len(content) == 0 && !known { // the end of the deletion in extension API servers queues the namespace again
		return nil
	}
	rest := left
	rest.Failed = append(slices.Clone(failed), left.Failed...)
	changed, err := r.report(ctx, n, live, content, rest)
	if changed || err != nil || len(content) > 0 || !left.nothing() { // the change of the conditions queues the namespace again
		return errors.Join(err, errors.Join(failed...))
	}
	kept := slices.DeleteFunc(finalizers, func(f string) bool { return f == finalizerKubernetes })
	request := r.request(n, cluster.Update)
	request.Subresource = "finalize"
	request.Body = live.Set(document.NewStrings(kept...), "spec", "finalizers").JSON()
	_, err = r.cluster.Do(ctx, request)
	return err
}

func podsIn(content map[string]*node) map[string]*node {
	pods := map[string]*node{}
	for uid, object := range content {
		if object.isPod() {
			pods[uid] = object
		}
	}
	return pods
}

// removeAll deletes the objects of a namespace that are not being deleted. Of each resource with objects that
// cannot be deleted, it returns the first error.
func (r *runner) removeAll(ctx context.Context, content map[string]*node) (deleted bool, failed []error) {
	present, refused := map[string]*node{}, ""
	for uid, object := range content {
		if !object.deleting {
			present[uid] = object
		}
	}
	for _, object := range inOrder(present) {
		err := r.remove(ctx, object, background, document.Value{})
		switch resource := object.resource(); {
		case err == nil || isNotFound(err) || isConflict(err):
			deleted = true
		case refused != resource:
			refused, failed = resource, append(failed, err)
		}
	}
	return deleted, failed
}

// report sets the status conditions of a namespace with the given contents, beside what is left of it in extension API
// servers and the reasons why some objects cannot be deleted. changed reports whether the conditions were others before.
func (r *runner) report(ctx context.Context, n *node, live document.Value, content map[string]*node, left Left) (changed bool, err error) {
	resources, finalizers, failed := map[string]int{}, map[string]int{}, left.Failed
	maps.Copy(resources, left.Resources)
	maps.Copy(finalizers, left.Finalizers)
	for _, object := range content {
		resources[object.resource()]++
		for _, f := range object.finalizers {
			finalizers[f]++
		}
	}
	conditions := []condition{
		left.discovery(),
		{"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions", "All legacy kube types successfully parsed"},
		{"NamespaceDeletionContentFailure", "False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"},
		{"NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"},
		{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "All content-preserving finalizers finished"},
	}
	if len(failed) > 0 {
		conditions[2] = condition{"NamespaceDeletionContentFailure", "True", "ContentDeletionFailed",
			fmt.Sprintf("Failed to delete all resource types, %d remaining: %s", len(failed), messages(failed))}
	}
	if len(resources) > 0 {
		conditions[3] = condition{"NamespaceContentRemaining", "True", "SomeResourcesRemain",
			"Some resources are remaining: " + counts(resources, "%s has %d resource instances")}
	}
	if len(finalizers) > 0 {
		conditions[4] = condition{"NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
			"Some content in the namespace has finalizers remaining: " + counts(finalizers, "%s in %d resource instances")}
	}
	next := withConditions(live.Lookup("status", "conditions"), conditions, live.Lookup("metadata", "deletionTimestamp"))
	if document.Identical(next, live.Lookup("status", "conditions")) {
		return false, nil
	}
	request := r.request(n, cluster.Update)
	request.Subresource = "status"
	request.Body = live.Set(next, "status", "conditions").JSON()
	_, err = r.cluster.Do(ctx, request)
	return true, err
}

// resource returns the object's resource as conditions name it: "pods." and "deployments.apps".
func (n *node) resource() string { return n.kind.Resource + "." + n.kind.Group }

// messages joins the messages of errors in alphabetical order.
func messages(errs []error) string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

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
		b.Append(c.object(at))
	}
	return b.List()
}

// object returns the condition with its lastTransitionTime.
func (c condition) object(at document.Value) document.Value {
	return document.NewObject().
		With("type", document.NewString(c.kind)).With("status", document.NewString(c.status)).
		With("reason", document.NewString(c.reason)).With("message", document.NewString(c.message)).
		With("lastTransitionTime", at)
}
