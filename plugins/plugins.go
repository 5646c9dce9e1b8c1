package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Default stands for all plugins of this package.
const Default = "default"

// ResourceQuota is the plugin that refuses what exceeds a quota. It reads the status of quotas, which a
// controller sets ([controllers.Options], Quotas).
//
// [controllers.Options]: https://pkg.go.dev/github.com/patchlab-dev/patchlab/controllers#Options
const ResourceQuota = "ResourceQuota"

// namespaceLifecycle is the plugin that package cluster implements.
const namespaceLifecycle = "NamespaceLifecycle"

// plugin is an admission plugin. Either function may be nil. A non-nil Status refuses the request.
type plugin struct {
	name string
	// mutate changes call.Object.
	mutate   func(*call) *cluster.Status
	validate func(*call) *cluster.Status
	// last is set for a plugin that validates after policies and webhooks.
	last bool
}

// ordered are the plugins in the order in which kube-apiserver runs them
// (k8s.io/kubernetes/pkg/kubeapiserver/options, AllOrderedPlugins).
var ordered = [...]plugin{
	{name: "LimitRanger", mutate: setDefaultLimits, validate: checkLimits},
	{name: ServiceAccount, mutate: useServiceAccount, validate: checkServiceAccount},
	{name: "TaintNodesByCondition", mutate: taintNode},
	{name: "Priority", mutate: setPriority, validate: checkPriorityClass},
	{name: "DefaultTolerationSeconds", mutate: setTolerations},
	{name: "DefaultStorageClass", mutate: setStorageClass},
	{name: "StorageObjectInUseProtection", mutate: protectStorage},
	{name: "PersistentVolumeClaimResize", validate: checkResize},
	{name: "RuntimeClass", mutate: useRuntimeClass, validate: checkOverhead},
	{name: "CertificateSubjectRestriction", validate: checkSubject},
	{name: "DefaultIngressClass", mutate: setIngressClass},
	{name: "PodTopologyLabels", mutate: setTopology},
	{name: "NodeDeclaredFeatureValidator", validate: checkFeatures},
	{name: "PodResizeValidator", validate: checkNode},
	{name: ResourceQuota, validate: chargeQuotas, last: true},
}

// Plugin is an admission plugin that another module implements.
type Plugin struct {
	Name string
	// Before is the plugin of this package before which kube-apiserver runs it. Without one it is the last.
	Before string
	// New returns the plugin's check of the writes to a cluster. A non-nil Status refuses a write.
	New func(*cluster.Cluster) func(context.Context, *cluster.Attributes) *cluster.Status
}

// Names returns the names of the plugins that [Configure] knows, with those of other modules.
func Names(others ...Plugin) []string {
	names := []string{namespaceLifecycle}
	for _, p := range ordered {
		names = append(names, p.name)
	}
	for _, p := range others {
		names = append(names, p.Name)
	}
	return names
}

// Selected reports whether a plugin is among the names that [Configure] gets.
func Selected(names []string, name string) bool {
	return slices.Contains(names, name) || slices.Contains(names, Default)
}

// Configure adds the named plugins to the admission chain of a cluster: in kube-apiserver's order,
// those of other modules where they belong, and all before config.Admission. NamespaceLifecycle sets
// config.StrictNamespaces. [Default] stands for all plugins. An error names a plugin that is
// unknown.
func Configure(config *cluster.Config, names []string, others ...Plugin) error {
	known := Names(others...)
	for _, name := range names {
		if name != Default && !slices.Contains(known, name) {
			return fmt.Errorf("unknown admission plugin %q: known are %s, and %s for all of them", name, strings.Join(known, ", "), Default)
		}
	}
	selected := func(name string) bool { return Selected(names, name) }
	if selected(namespaceLifecycle) {
		config.StrictNamespaces = true
	}
	if !slices.ContainsFunc(known[1:], selected) {
		return nil
	}
	following := config.Admission
	config.Admission = func(c *cluster.Cluster) (cluster.Admission, error) {
		ch := &chain{cluster: c, plugins: sequence(selected, others, c), now: config.Now}
		if ch.now == nil {
			ch.now = time.Now
		}
		if following == nil {
			return ch, nil
		}
		var err error
		ch.next, err = following(c)
		return ch, err
	}
	return nil
}

// sequence returns the selected plugins, also those of other modules, in kube-apiserver's order.
func sequence(selected func(name string) bool, others []Plugin, c *cluster.Cluster) []plugin {
	var all []plugin
	addBefore := func(following string) {
		for _, p := range others {
			if p.Before != following || !selected(p.Name) {
				continue
			}
			check := p.New(c)
			all = append(all, plugin{name: p.Name, validate: func(c *call) *cluster.Status { return check(c.ctx, c.Attributes) }})
		}
	}
	for _, p := range ordered {
		addBefore(p.name)
		if selected(p.name) {
			all = append(all, p)
		}
	}
	addBefore("")
	return all
}

// chain runs plugins, and then the admission that follows them.
type chain struct {
	cluster *cluster.Cluster
	plugins []plugin
	next    cluster.Admission // nil for none
	now     func() time.Time
	// charging locks a namespace while a write is charged to its quotas.
	charging namespaceLocks
}

// Active always returns true: the plugins check every write.
func (ch *chain) Active() bool { return true }

// Changed passes the change on.
func (ch *chain) Changed(resource *schema.Kind) {
	if ch.next != nil {
		ch.next.Changed(resource)
	}
}

// Mutate runs the plugins and the admission that follows. If that changes the object, the plugins
// run again: between its two rounds, as in kube-apiserver, or after it if it has only one.
func (ch *chain) Mutate(ctx context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	object, st := ch.run(ctx, a, a.Object)
	if st != nil || ch.next == nil || !ch.next.Active() {
		return object, st
	}
	repeated := false
	following := *a
	following.Object = object
	following.Repeat = func(ctx context.Context, object document.Value) (document.Value, *cluster.Status) {
		repeated = true
		if a.Repeat != nil {
			var st *cluster.Status
			if object, st = a.Repeat(ctx, object); st != nil {
				return object, st
			}
		}
		return ch.run(ctx, a, object)
	}
	changed, st := ch.next.Mutate(ctx, &following)
	switch {
	case st != nil:
		return object, st
	case repeated || document.SameNode(changed, object):
		return changed, nil
	}
	return ch.run(ctx, a, changed)
}

func (ch *chain) run(ctx context.Context, a *cluster.Attributes, object document.Value) (document.Value, *cluster.Status) {
	attributes := *a
	attributes.Object = object
	c := &call{Attributes: &attributes, ctx: ctx, chain: ch}
	for _, p := range ch.plugins {
		if p.mutate == nil || exempt(a) {
			continue
		}
		if st := p.mutate(c); st != nil {
			return object, st
		}
	}
	return c.Object, nil
}

// Validate runs the plugins and the admission that follows.
func (ch *chain) Validate(ctx context.Context, a *cluster.Attributes) *cluster.Status {
	c := &call{Attributes: a, ctx: ctx, chain: ch}
	if st := ch.validate(c, false); st != nil {
		return st
	}
	if ch.next != nil && ch.next.Active() {
		if st := ch.next.Validate(ctx, a); st != nil {
			return st
		}
	}
	return ch.validate(c, true)
}

// validate runs the plugins that validate before the admission that follows, or the last ones.
func (ch *chain) validate(c *call, last bool) *cluster.Status {
	for _, p := range ch.plugins {
		if p.validate == nil || p.last != last || exempt(c.Attributes) {
			continue
		}
		if st := p.validate(c); st != nil {
			return st
		}
	}
	return nil
}

// exempt reports whether the plugins ignore a request: a deletion, a connection to a container, or the
// restoration of an object that has passed admission before.
func exempt(a *cluster.Attributes) bool {
	return a.Operation == cluster.OperationDelete || a.Operation == cluster.OperationConnect || a.Request.Restore
}

// call is a write that the plugins process.
type call struct {
	*cluster.Attributes
	*chain
	ctx context.Context
}

// creates and updates report whether the write creates or updates an object of a resource, and not
// one of its subresources.
func (c *call) creates(group, resource string) bool {
	return c.does(cluster.OperationCreate, group, resource, "")
}

func (c *call) updates(group, resource string) bool {
	return c.does(cluster.OperationUpdate, group, resource, "")
}

func (c *call) does(operation cluster.Operation, group, resource, subresource string) bool {
	return c.Operation == operation && c.Resource.Builtin && c.Resource.Group == group && c.Resource.Resource == resource && c.Request.Subresource == subresource
}

// set sets a value in the object.
func (c *call) set(v document.Value, keys ...string) { c.Object = c.Object.Set(v, keys...) }

// get returns an object of a resource in version v1, absent if it does not exist; namespace is empty if it has none.
func (c *call) get(group, resource, namespace, name string) (document.Value, *cluster.Status) {
	resp, err := c.cluster.Do(c.ctx, &cluster.Request{Verb: cluster.Get, Group: group, Version: "v1", Resource: resource, Namespace: namespace, Name: name})
	var st *cluster.Status
	switch {
	case errors.As(err, &st) && st.Reason == cluster.ReasonNotFound:
		return document.Value{}, nil
	case st != nil:
		return document.Value{}, st
	}
	return resp.Object, nil
}

// list returns the objects of a resource in version v1; namespace is empty if they have none.
func (c *call) list(group, resource, namespace string) ([]document.Value, *cluster.Status) {
	resp, err := c.cluster.Do(c.ctx, &cluster.Request{Verb: cluster.List, Group: group, Version: "v1", Resource: resource, Namespace: namespace})
	var st *cluster.Status
	if errors.As(err, &st) {
		return nil, st
	}
	return resp.Items(), nil
}
