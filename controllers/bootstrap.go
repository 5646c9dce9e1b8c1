package controllers

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // the bootstrap roles
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
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

// bootstrapRoles holds the ClusterRoles, Roles and their bindings that a kube-apiserver v1.36.3 with
// authorization by roles creates when it starts, one per line.
//
//go:embed roles.jsonl.gz
var bootstrapRoles []byte

// roles returns bootstrapRoles as starters.
func roles() ([]starter, error) {
	z, err := gzip.NewReader(bytes.NewReader(bootstrapRoles))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var out []starter
	for line := range strings.Lines(string(text)) {
		d, err := document.Parse([]byte(line), document.Options{})
		if err != nil {
			return nil, err
		}
		resource := strings.ToLower(d.Root.Get("kind").StringOr("")) + "s"
		out = append(out, starter{"rbac.authorization.k8s.io", "v1", resource, d.Root.Lookup("metadata", "namespace").StringOr(""), line})
	}
	return out, nil
}

// Bootstrap creates the objects that every cluster has from the beginning: system namespaces,
// the Service kubernetes and the system priority classes. With withRoles it also creates the
// roles and bindings with which kube-apiserver begins. Existing objects are not changed.
func Bootstrap(ctx context.Context, c *cluster.Cluster, withRoles bool) error {
	all := starters
	if withRoles {
		more, err := roles()
		if err != nil {
			return err
		}
		all = append(all[:len(all):len(all)], more...)
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
	_, rest, _ := strings.Cut(body, `"metadata":{`)
	_, rest, _ = strings.Cut(rest, `"name":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}
