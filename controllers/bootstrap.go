package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
)

// starter is an object that every cluster has from the beginning.
type starter struct{ group, version, resource, namespace, body string }

// starters are the objects that kube-apiserver creates when it starts: the system namespaces,
// the Service kubernetes, and the priority classes of system pods
// (k8s.io/kubernetes/pkg/controlplane and plugin rest/scheduling).
var starters = []starter{
	systemNamespace("default"), systemNamespace("kube-node-lease"), systemNamespace("kube-public"), systemNamespace("kube-system"),
	{"", "v1", "services", "default", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"kubernetes",
		"labels":{"component":"apiserver","provider":"kubernetes"}},"spec":{"type":"ClusterIP","clusterIP":"10.96.0.1",
		"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster","sessionAffinity":"None",
		"ports":[{"name":"https","port":443,"protocol":"TCP","targetPort":6443}]}}`},
	priorityClass("system-cluster-critical", 2000000000, "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."),
	priorityClass("system-node-critical", 2000001000, "Used for system critical pods that must not be moved from their current node."),
}

func systemNamespace(name string) starter {
	return starter{"", "v1", "namespaces", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + name + `"}}`}
}

func priorityClass(name string, value int, description string) starter {
	return starter{"scheduling.k8s.io", "v1", "priorityclasses", "", fmt.Sprintf(
		`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":%q},"value":%d,"description":%q}`, name, value, description)}
}

// clusterRoles are kube-apiserver's user-facing roles, and the binding of cluster-admin to the
// group system:masters.
var clusterRoles = []starter{
	clusterRole("cluster-admin", `{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},{"nonResourceURLs":["*"],"verbs":["*"]}`, ""),
	clusterRole("admin", "", "rbac.authorization.k8s.io/aggregate-to-admin"),
	clusterRole("edit", "", "rbac.authorization.k8s.io/aggregate-to-edit"),
	clusterRole("view", "", "rbac.authorization.k8s.io/aggregate-to-view"),
	{"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "", `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
		"metadata":{"name":"cluster-admin","labels":{"kubernetes.io/bootstrapping":"rbac-defaults"},"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},
		"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"system:masters"}]}`},
}

// clusterRole returns a ClusterRole with rules, or one that aggregates the rules of the roles
// with a label.
func clusterRole(name, rules, aggregates string) starter {
	aggregation := ""
	if aggregates != "" {
		aggregation = `"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"` + aggregates + `":"true"}}]},`
	}
	return starter{"rbac.authorization.k8s.io", "v1", "clusterroles", "", `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
		"metadata":{"name":"` + name + `","labels":{"kubernetes.io/bootstrapping":"rbac-defaults"},"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},` +
		aggregation + `"rules":[` + rules + `]}`}
}

// Bootstrap creates the objects that every cluster has from the beginning: system namespaces,
// the Service kubernetes and the system priority classes. With roles it also creates the
// user-facing ClusterRoles. Existing objects are not changed.
func Bootstrap(ctx context.Context, c *cluster.Cluster, roles bool) error {
	all := starters
	if roles {
		all = append(all[:len(all):len(all)], clusterRoles...)
	}
	for _, o := range all {
		// A create of an existing Service fails because of its cluster IP before its name is
		// checked. kube-apiserver, too, gets the object first.
		existing := cluster.Request{Group: o.group, Version: o.version, Resource: o.resource, Namespace: o.namespace, Name: nameIn(o.body)}
		if _, err := c.Do(ctx, &existing); err == nil {
			continue
		}
		_, err := c.Do(ctx, &cluster.Request{
			Verb: cluster.Create, Group: o.group, Version: o.version, Resource: o.resource, Namespace: o.namespace,
			Body: []byte(o.body), UserAgent: "kube-apiserver", User: cluster.User{Name: "system:apiserver", Groups: []string{"system:masters"}},
		})
		var status *cluster.Status
		if errors.As(err, &status) && status.Reason == cluster.ReasonAlreadyExists {
			continue
		}
		if err != nil {
			return fmt.Errorf("creating %s %s: %w", o.resource, strings.Trim(o.namespace+"/"+nameIn(o.body), "/"), err)
		}
	}
	return nil
}

// nameIn returns the name in the body of a starter.
func nameIn(body string) string {
	_, rest, _ := strings.Cut(body, `"name":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}
