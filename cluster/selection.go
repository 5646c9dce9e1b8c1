//go:build !js || watches

package cluster

import (
	"github.com/patchlab-dev/patchlab/internal/engine/labels"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// selection is the set of objects that a list, watch or deletecollection selects.
type selection struct {
	labels labels.Selector
	fields fieldSelector
	// scope is the key prefix in the store. single is true if it is the key of an object.
	scope  string
	single bool
	// converted reports whether a webhook converts the objects.
	converted bool
}

// matches reports whether a record is selected for a kind. Metadata is stored in the form in
// which it is served, so the object is decoded only if a selector needs other fields, or a webhook
// converts it, which may change its labels or fail.
func (p *pipeline) matches(s *selection, k *schema.Kind, r *Record) (bool, *Status) {
	if !s.all() && s.converted {
		object, st := p.read(k, r.tree())
		return st == nil && s.labels.Matches(object.Value.Get("metadata").Get("labels")) && s.fields.matches(object.Value), st
	}
	if len(s.labels) > 0 && !s.labels.Matches(r.labels()) {
		return false, nil
	}
	if len(s.fields) == 0 {
		return true, nil
	}
	if s.fields.metadataOnly() {
		return s.fields.matches(r.tree().Value), nil
	}
	object, st := p.read(k, r.tree())
	return st == nil && s.fields.matches(object.Value), st
}

func (s *selection) all() bool { return len(s.labels) == 0 && len(s.fields) == 0 }

// selection parses the selectors of a read and resolves their labels. In between it checks the
// other options, as the API server does.
func (c *Cluster) selection(r *Request, ep *endpoint) (*selection, *Status) {
	selector, err := labels.Parse(r.LabelSelector)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	fields, err := parseFields(r.FieldSelector)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	if st := checkReadOptions(c.kinds.Catalog(), r); st != nil {
		return nil, st
	}
	if err := fields.find(ep.kind, ep.strategy); err != nil {
		return nil, badRequest(err.Error())
	}
	s := &selection{labels: selector, fields: fields, scope: ep.key(r.Namespace, ""), converted: c.asksWebhook(ep.kind)}
	if r.Continue == "" {
		s.narrow(r, ep)
	}
	if r.Name != "" {
		if len(fields) > 0 && fields.wanted("metadata.name") != r.Name {
			return nil, badRequest("fieldSelector metadata.name doesn't match requested name")
		}
		if names.PathSegment(r.Name) == "" && (r.Namespace != "" || !ep.kind.Namespaced) {
			s.scope = ep.key(r.Namespace, r.Name)
		} else if len(fields) == 0 { // objects of this name in all namespaces; if it is no key of the storage, none
			s.fields = fieldSelector{{label: "metadata.name", value: r.Name, path: []string{"metadata", "name"}}}
		}
	}
	return s, nil
}

// narrow reduces the scope to one namespace or object if the field selector requires
// metadata.namespace or metadata.name. The effect is visible to clients: such a list has no
// further page. A list with a continue token is not narrowed (apiserver/pkg/storage,
// selection_predicate.go), although the token of a narrowed one is relative to the namespace: the
// second page of all namespaces with metadata.namespace=n equals the first, as in kube-apiserver.
func (s *selection) narrow(r *Request, ep *endpoint) {
	namespace := r.Namespace
	name := s.fields.wanted("metadata.name")
	if ep.kind.Namespaced && namespace == "" {
		namespace = s.fields.wanted("metadata.namespace")
		if names.DNSLabel(namespace) != "" {
			return
		}
		s.scope = ep.key(namespace, "")
	}
	if name != "" && names.PathSegment(name) == "" {
		s.scope, s.single = ep.key(namespace, name), true
	}
}
