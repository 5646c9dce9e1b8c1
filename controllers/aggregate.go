package controllers

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

const (
	rbacGroup    = "rbac.authorization.k8s.io"
	clusterRoles = "clusterroles"
	// aggregator is the field manager that applies aggregated rules. Its service account may write
	// rules that it does not have itself.
	aggregator = "clusterrole-aggregation-controller"
)

// aggregate sets the rules of each ClusterRole with an aggregationRule to those of the ClusterRoles
// that its selectors match, in the order of the selectors and of the names. A role that cannot be
// written does not stop the others.
func (r *runner) aggregate(ctx context.Context) error {
	all, err := r.roles(ctx, "")
	if err != nil {
		return err
	}
	var failed []error
	for _, role := range all {
		if !role.Get("aggregationRule").Exists() {
			continue
		}
		if err := r.aggregateInto(ctx, role); !isNotFound(err) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// aggregateInto sets the rules of a ClusterRole. They are applied with force, as
// kube-controller-manager does.
func (r *runner) aggregateInto(ctx context.Context, role document.Value) error {
	rules, err := r.aggregated(ctx, role)
	if err != nil {
		return err
	}
	if document.Equal(rules, role.Get("rules")) || rules.Len() == 0 && role.Get("rules").Len() == 0 {
		return nil
	}
	name, force := role.Lookup("metadata", "name"), true
	configuration := document.NewObject().With("apiVersion", document.NewString(rbacGroup+"/v1")).With("kind", document.NewString("ClusterRole")).
		With("metadata", document.NewObject().With("name", name))
	if rules.Len() > 0 { // without rules, those that were aggregated before are removed, but not those of others
		configuration = configuration.With("rules", rules)
	}
	q := r.roleRequest(cluster.Patch)
	q.Name, q.Format, q.Body = name.StringOr(""), cluster.ApplyPatch, configuration.JSON()
	q.FieldManager, q.Force = aggregator, &force
	_, err = r.cluster.Do(ctx, q)
	return err
}

// aggregated returns the rules of the ClusterRoles that a role aggregates, each once.
func (r *runner) aggregated(ctx context.Context, role document.Value) (document.Value, error) {
	var rules []document.Value
	for _, selector := range role.Lookup("aggregationRule", "clusterRoleSelectors").Items() {
		selected, err := r.roles(ctx, selectorText(selector))
		if err != nil {
			return document.Value{}, err
		}
		for _, other := range selected {
			if document.Equal(other.Lookup("metadata", "name"), role.Lookup("metadata", "name")) {
				continue
			}
			for _, rule := range other.Get("rules").Items() {
				if !slices.ContainsFunc(rules, func(has document.Value) bool { return document.Equal(has, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return document.NewList(rules...), nil
}

// roles returns the ClusterRoles that a label selector matches, sorted by name.
func (r *runner) roles(ctx context.Context, selector string) ([]document.Value, error) {
	q := r.roleRequest(cluster.List)
	q.LabelSelector = selector
	return r.list(ctx, q)
}

func (r *runner) roleRequest(verb cluster.Verb) *cluster.Request {
	return &cluster.Request{Verb: verb, Group: rbacGroup, Version: "v1", Resource: clusterRoles, UserAgent: agent,
		User: cluster.User{Name: names.ServiceAccountUser("kube-system", aggregator)}}
}

// selectorText returns a LabelSelector in the syntax of the query parameter labelSelector.
func selectorText(selector document.Value) string {
	var terms []string
	for key, value := range selector.Get("matchLabels").Members() {
		terms = append(terms, key+"="+value.StringOr(""))
	}
	for _, e := range selector.Get("matchExpressions").Items() {
		key, values := e.Get("key").StringOr(""), strings.Join(e.Get("values").Strings(), ",")
		switch e.Get("operator").StringOr("") {
		case "In":
			terms = append(terms, key+" in ("+values+")")
		case "NotIn":
			terms = append(terms, key+" notin ("+values+")")
		case "Exists":
			terms = append(terms, key)
		case "DoesNotExist":
			terms = append(terms, "!"+key)
		}
	}
	return strings.Join(terms, ",")
}
