package rbac_test

import (
	"context"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/rbac"
)

// A user may do what a role allows, and may not grant more.
func ExampleCluster() {
	var config cluster.Config
	if err := rbac.Configure(&config); err != nil {
		log.Fatal(err)
	}
	inner, err := cluster.New(config)
	if err != nil {
		log.Fatal(err)
	}
	defer inner.Close()
	c := rbac.Cluster{Cluster: inner}
	create := func(user, group, resource, body string) error {
		_, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Group: group, Version: "v1", Resource: resource,
			Namespace: "shop", Body: []byte(body), User: cluster.User{Name: user}})
		return err
	}
	const roles = "rbac.authorization.k8s.io"
	// A request without a user is one of the process itself, and is not checked.
	for _, o := range []struct{ resource, body string }{
		{"roles", `{"metadata":{"name":"writer"},"rules":[{"apiGroups":["","` + roles + `"],"resources":["configmaps","roles"],"verbs":["create"]}]}`},
		{"rolebindings", `{"metadata":{"name":"ada"},"roleRef":{"apiGroup":"` + roles + `","kind":"Role","name":"writer"},"subjects":[{"apiGroup":"` + roles + `","kind":"User","name":"ada"}]}`},
	} {
		if err := create("", roles, o.resource, o.body); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(create("ada", "", "configmaps", `{"metadata":{"name":"a"}}`))
	fmt.Println(create("ada", "", "secrets", `{"metadata":{"name":"a"}}`))
	fmt.Println(create("ada", roles, "roles", `{"metadata":{"name":"more"},"rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]}`))
	// Output:
	// <nil>
	// secrets is forbidden: User "ada" cannot create resource "secrets" in API group "" in the namespace "shop"
	// roles.rbac.authorization.k8s.io "more" is forbidden: user "ada" (groups=[]) is attempting to grant RBAC permissions not currently held:
	// {APIGroups:[""], Resources:["secrets"], Verbs:["get"]}
}

// Review answers what 'kubectl auth can-i --as ada' asks.
func ExampleCluster_Review() {
	inner, err := cluster.New(cluster.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer inner.Close()
	c := rbac.Cluster{Cluster: inner}
	const group = "rbac.authorization.k8s.io"
	for _, o := range []struct{ resource, body string }{
		{"roles", `{"metadata":{"name":"reader"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}]}`},
		{"rolebindings", `{"metadata":{"name":"ada"},"roleRef":{"apiGroup":"` + group + `","kind":"Role","name":"reader"},"subjects":[{"apiGroup":"` + group + `","kind":"User","name":"ada"}]}`},
	} {
		if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Group: group, Version: "v1", Resource: o.resource,
			Namespace: "shop", Body: []byte(o.body)}); err != nil {
			log.Fatal(err)
		}
	}
	for _, resource := range []string{"configmaps", "secrets"} {
		asked := document.NewObject().With("verb", document.NewString("get")).
			With("resource", document.NewString(resource)).With("namespace", document.NewString("shop"))
		status, err := c.Review(context.Background(), cluster.User{Name: "ada"}, document.NewObject().With("resourceAttributes", asked))
		fmt.Println(status, err)
	}
	// Output:
	// {"allowed":true,"reason":"RBAC: allowed by RoleBinding \"ada/shop\" of Role \"reader\" to User \"ada\""} <nil>
	// {"allowed":false} <nil>
}
