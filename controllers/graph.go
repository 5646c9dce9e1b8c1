package controllers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// The finalizers that the garbage collector removes.
const (
	finalizerOrphan     = "orphan"
	finalizerForeground = "foregroundDeletion"
)

// node is an object as the controllers know it.
type node struct {
	kind                 *schema.Kind
	namespace, name, uid string
	owners               []owner
	finalizers           []string
	deleting             bool
}

// owner is an entry of metadata.ownerReferences.
type owner struct {
	apiVersion, kind, name, uid string
	blocks                      bool
}

func (n *node) String() string {
	name := n.name
	if n.namespace != "" {
		name = n.namespace + "/" + name
	}
	return n.kind.Resource + " " + name
}

func (n *node) isNamespace() bool {
	return n.kind.Builtin && n.kind.Group == "" && n.kind.Kind == "Namespace"
}

func (n *node) isClusterRole() bool {
	return n.kind.Group == rbacGroup && n.kind.Resource == clusterRoles
}

func isQuota(k *schema.Kind) bool { return k.Builtin && k.Group == "" && k.Kind == "ResourceQuota" }

func (n *node) isPod() bool { return n.kind.Builtin && n.kind.Group == "" && n.kind.Kind == "Pod" }

// isEvent reports whether the object is an Event, which garbage collection ignores.
func (n *node) isEvent() bool {
	return n.kind.Builtin && n.kind.Kind == "Event"
}

// waits reports whether the object has a finalizer of the garbage collector.
func (n *node) waits() bool { return n.foreground() || n.orphans() }

func (n *node) foreground() bool {
	return n.deleting && slices.Contains(n.finalizers, finalizerForeground)
}

func (n *node) orphans() bool {
	return n.deleting && slices.Contains(n.finalizers, finalizerOrphan)
}

// blocks reports whether the object blocks the foreground deletion of an owner.
func (n *node) blocks(uid string) bool {
	return slices.ContainsFunc(n.owners, func(o owner) bool { return o.uid == uid && o.blocks })
}

// graph indexes all objects by uid, owner and namespace.
type graph struct {
	nodes      map[string]*node
	dependents map[string]map[string]*node
	// gone are the objects that were deleted and still have dependents.
	gone    map[string]*node
	content map[string]map[string]*node
	// namespaces are the terminating namespaces by name.
	namespaces map[string]*node
	// quotas are the ResourceQuotas by namespace.
	quotas map[string]map[string]*node
}

func newGraph() *graph {
	return &graph{
		nodes: map[string]*node{}, dependents: map[string]map[string]*node{}, gone: map[string]*node{}, content: map[string]map[string]*node{},
		namespaces: map[string]*node{}, quotas: map[string]map[string]*node{},
	}
}

func uidOf(object document.Value) string { return object.Lookup("metadata", "uid").StringOr("") }

// newNode returns an object as the controllers know it.
func newNode(kind *schema.Kind, object document.Value) *node {
	metadata := object.Get("metadata")
	return &node{
		kind: kind, namespace: metadata.Get("namespace").StringOr(""), name: metadata.Get("name").StringOr(""),
		uid: metadata.Get("uid").StringOr(""), owners: ownersOf(metadata), finalizers: metadata.Get("finalizers").Strings(),
		deleting: metadata.Get("deletionTimestamp").StringOr("") != "",
	}
}

// put adds an object, and returns its node and the previous one.
func (g *graph) put(change cluster.Change) (n, before *node) {
	n = newNode(change.Kind, change.Object)
	before = g.take(n.uid)
	g.nodes[n.uid] = n
	for _, o := range n.owners {
		insert(g.dependents, o.uid, n)
	}
	if n.namespace != "" {
		insert(g.content, n.namespace, n)
	}
	if n.isNamespace() && n.deleting {
		g.namespaces[n.name] = n
	}
	if isQuota(n.kind) {
		insert(g.quotas, n.namespace, n)
	}
	return n, before
}

// remove removes an object that was deleted.
func (g *graph) remove(uid string) *node {
	n := g.take(uid)
	if n != nil && len(g.dependents[uid]) > 0 {
		g.gone[uid] = n
	}
	return n
}

// take takes an object out of the graph.
func (g *graph) take(uid string) *node {
	n := g.nodes[uid]
	if n == nil {
		return nil
	}
	delete(g.nodes, uid)
	for _, o := range n.owners {
		if drop(g.dependents, o.uid, uid); len(g.dependents[o.uid]) == 0 {
			delete(g.gone, o.uid)
		}
	}
	drop(g.content, n.namespace, uid)
	drop(g.quotas, n.namespace, uid)
	if g.namespaces[n.name] == n {
		delete(g.namespaces, n.name)
	}
	return n
}

func insert(sets map[string]map[string]*node, key string, n *node) {
	if sets[key] == nil {
		sets[key] = map[string]*node{}
	}
	sets[key][n.uid] = n
}

func drop(sets map[string]map[string]*node, key, uid string) {
	if delete(sets[key], uid); len(sets[key]) == 0 {
		delete(sets, key)
	}
}

// terminating reports whether a namespace is being deleted.
func (g *graph) terminating(namespace string) bool { return g.namespaces[namespace] != nil }

func (g *graph) dependentsOf(uid string) []*node { return inOrder(g.dependents[uid]) }

func (g *graph) sorted() []*node { return inOrder(g.nodes) }

// inOrder returns objects in a deterministic order.
func inOrder(set map[string]*node) []*node {
	out := make([]*node, 0, len(set))
	for _, n := range set {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *node) int {
		return cmp.Or(strings.Compare(a.kind.Group, b.kind.Group), strings.Compare(a.kind.Resource, b.kind.Resource),
			strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
	return out
}

func ownersOf(metadata document.Value) []owner {
	var out []owner
	for _, o := range metadata.Get("ownerReferences").Items() {
		blocks, _ := o.Get("blockOwnerDeletion").Bool()
		out = append(out, owner{
			o.Get("apiVersion").StringOr(""), o.Get("kind").StringOr(""), o.Get("name").StringOr(""), o.Get("uid").StringOr(""), blocks,
		})
	}
	return out
}
