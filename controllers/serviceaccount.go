package controllers

import (
	"context"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// isDefaultAccount reports whether the object is the service account of its namespace.
func (n *node) isDefaultAccount() bool {
	return n.kind.Builtin && n.kind.Group == "" && n.kind.Kind == "ServiceAccount" && n.name == names.DefaultServiceAccount
}

// createAccount creates the service account of a namespace, unless it exists or the namespace is being
// deleted (k8s.io/kubernetes/pkg/controller/serviceaccount).
func (r *runner) createAccount(ctx context.Context, namespace string) error {
	request := cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: namespace, UserAgent: agent}
	resp, err := r.cluster.Do(ctx, &request)
	if err != nil || resp.Object.Lookup("metadata", "deletionTimestamp").Exists() {
		return err // a namespace that does not exist is no error
	}
	request.Resource, request.Namespace, request.Name = "serviceaccounts", namespace, names.DefaultServiceAccount
	if _, err = r.cluster.Do(ctx, &request); !isNotFound(err) {
		return err
	}
	request.Verb, request.Name = cluster.Create, ""
	request.Body = document.NewObject().With("metadata", document.NewObject().With("name", document.NewString(names.DefaultServiceAccount))).JSON()
	if _, err = r.cluster.Do(ctx, &request); isTerminating(err) {
		return nil // since it was read
	}
	return err
}

// isTerminating reports whether the namespace of a new object is being deleted.
func isTerminating(err error) bool {
	var status *cluster.Status
	return errors.As(err, &status) && status.Details != nil &&
		slices.ContainsFunc(status.Details.Causes, func(c cluster.Cause) bool { return c.Type == "NamespaceTerminating" })
}
