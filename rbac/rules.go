package rbac

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// all is the name in a rule that matches every verb, group, resource or path.
const all = "*"

// action is what has to be authorized: a verb on a resource or on a non-resource URL.
type action struct {
	verb                 string
	group, resource, sub string
	namespace, name      string
	// nonResource is set for a non-resource URL, whose path may be empty in a review.
	nonResource bool
	path        string
}

// target returns the resource with its subresource, as rules name it.
func (a *action) target() string {
	if a.sub == "" {
		return a.resource
	}
	return a.resource + "/" + a.sub
}

// place returns what the action is for, in kube-apiserver's words.
func (a *action) place() string {
	if a.nonResource {
		return fmt.Sprintf("path %q", a.path)
	}
	scope := "at the cluster scope"
	if a.namespace != "" {
		scope = fmt.Sprintf("in the namespace %q", a.namespace)
	}
	return fmt.Sprintf("resource %q in API group %q %s", a.target(), a.group, scope)
}

// rule is a rule of a role (rbac.authorization.k8s.io/v1 PolicyRule).
type rule struct {
	verbs, groups, resources, names, paths []string
}

func ruleOf(v document.Value) rule {
	return rule{
		verbs: v.Get("verbs").Strings(), groups: v.Get("apiGroups").Strings(), resources: v.Get("resources").Strings(),
		names: v.Get("resourceNames").Strings(), paths: v.Get("nonResourceURLs").Strings(),
	}
}

// allows reports whether the rule allows an action. A rule with resource names does not allow an
// action without a name, such as a list.
func (r *rule) allows(a *action) bool {
	if !has(r.verbs, a.verb) {
		return false
	}
	if a.nonResource {
		return r.allowsPath(a.path)
	}
	return has(r.groups, a.group) && r.hasResource(a.target(), a.sub) && (len(r.names) == 0 || slices.Contains(r.names, a.name))
}

func has(texts []string, text string) bool {
	return slices.Contains(texts, all) || slices.Contains(texts, text)
}

func (r *rule) hasResource(target, sub string) bool {
	return has(r.resources, target) || sub != "" && slices.Contains(r.resources, all+"/"+sub)
}

// allowsPath reports whether the rule names a path, or a beginning of it that ends in "*".
func (r *rule) allowsPath(path string) bool {
	return slices.ContainsFunc(r.paths, func(p string) bool {
		return p == path || strings.HasSuffix(p, all) && strings.HasPrefix(path, strings.TrimRight(p, all))
	})
}

// covers reports whether the rule allows everything that another one does, which has one verb, and
// one group and resource or one path.
func (r *rule) covers(one *rule) bool {
	if !has(r.verbs, one.verbs[0]) {
		return false
	}
	if len(one.paths) > 0 {
		return r.allowsPath(one.paths[0])
	}
	_, sub, _ := strings.Cut(one.resources[0], "/")
	return has(r.groups, one.groups[0]) && r.hasResource(one.resources[0], sub) &&
		(len(r.names) == 0 || len(one.names) > 0 && slices.Contains(r.names, one.names[0]))
}

// single returns the parts of a rule: rules with one verb, and one group, resource and name or one
// path.
func (r *rule) single() iter.Seq[rule] {
	return func(yield func(rule) bool) {
		names := [][]string{nil}
		if len(r.names) > 0 {
			names = nil
			for i := range r.names {
				names = append(names, r.names[i:i+1])
			}
		}
		for i := range r.groups {
			for j := range r.resources {
				for k := range r.verbs {
					for _, name := range names {
						if !yield(rule{verbs: r.verbs[k : k+1], groups: r.groups[i : i+1], resources: r.resources[j : j+1], names: name}) {
							return
						}
					}
				}
			}
		}
		for i := range r.paths {
			for k := range r.verbs {
				if !yield(rule{verbs: r.verbs[k : k+1], paths: r.paths[i : i+1]}) {
					return
				}
			}
		}
	}
}
