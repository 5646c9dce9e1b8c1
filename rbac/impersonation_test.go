package rbac_test

import (
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// A user needs the verb impersonate for each part of the identity that it takes, and then has the
// rights of the impersonated user only. The messages are those of kube-apiserver 1.36.3.
func TestImpersonation(t *testing.T) {
	const (
		group  = "rbac.authorization.k8s.io"
		user   = `configmaps is forbidden: User "imp" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "shop"`
		bobs   = `configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "shop"`
		anyone = `{"apiGroups":[""],"resources":["users"],"verbs":["impersonate"]}`
	)
	for _, c := range []struct {
		why   string
		rules string
		as    cluster.User
		want  string
	}{
		{"without a role", ``, cluster.User{Name: "bob"}, user},
		{"all rights on other things", `{"apiGroups":[""],"resources":["configmaps"],"verbs":["*"]}`, cluster.User{Name: "bob"}, user},
		{"any user", anyone, cluster.User{Name: "bob", Groups: []string{"system:authenticated"}}, bobs},
		{"another user", `{"apiGroups":[""],"resources":["users"],"resourceNames":["eve"],"verbs":["impersonate"]}`, cluster.User{Name: "bob"}, user},
		{"a group as well", anyone, cluster.User{Name: "bob", Groups: []string{"system:masters"}}, user},
		{"a group that is allowed", anyone + `,{"apiGroups":[""],"resources":["groups"],"resourceNames":["devs"],"verbs":["impersonate"]}`,
			cluster.User{Name: "bob", Groups: []string{"devs"}}, bobs},
		{"a uid", anyone, cluster.User{Name: "bob", UID: "1"}, user},
		{"an extra field", anyone, cluster.User{Name: "bob", Extra: map[string][]string{"a": {"b"}}}, user},
		{"an extra field that is allowed", anyone + `,{"apiGroups":["authentication.k8s.io"],"resources":["userextras/a"],"resourceNames":["b"],"verbs":["impersonate"]}`,
			cluster.User{Name: "bob", Extra: map[string][]string{"a": {"b"}}}, bobs},
		{"a service account", anyone, cluster.User{Name: "system:serviceaccount:shop:x"},
			`configmaps is forbidden: User "imp" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "shop"`},
		{"a name that no service account can have is that of a user", anyone, cluster.User{Name: "system:serviceaccount:shop:UP"},
			`configmaps is forbidden: User "system:serviceaccount:shop:UP" cannot list resource "configmaps" in API group "" in the namespace "shop"`},
		{"a service account that is allowed", `{"apiGroups":[""],"resources":["serviceaccounts"],"resourceNames":["x"],"verbs":["impersonate"]}`,
			cluster.User{Name: "system:serviceaccount:shop:x", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}},
			`configmaps is forbidden: User "system:serviceaccount:shop:x" cannot list resource "configmaps" in API group "" in the namespace "shop"`},
	} {
		t.Run(c.why, func(t *testing.T) {
			cl := newCluster(t)
			for resource, body := range map[string]string{
				"clusterroles": `{"metadata":{"name":"imp"},"rules":[` + c.rules + `]}`,
				"clusterrolebindings": `{"metadata":{"name":"imp"},"roleRef":{"apiGroup":"` + group + `","kind":"ClusterRole","name":"imp"},
					"subjects":[{"apiGroup":"` + group + `","kind":"User","name":"imp"}]}`,
			} {
				if _, err := cl.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Group: group, Version: "v1", Resource: resource, Body: []byte(body)}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := cl.Do(t.Context(), &cluster.Request{Verb: cluster.List, Version: "v1", Resource: "configmaps", Namespace: "shop",
				User: c.as, Impersonator: cluster.User{Name: "imp", Groups: []string{"system:authenticated"}}})
			var st *cluster.Status
			if !errors.As(err, &st) || st.Message != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			want := `forbidden: User "bob" cannot get path "/metrics"`
			if c.want == user {
				want = `forbidden: User "imp" cannot impersonate-on:user-info:get path "/metrics"`
			}
			err = cl.AuthorizePath(t.Context(), c.as, cluster.User{Name: "imp", Groups: []string{"system:authenticated"}}, "get", "/metrics")
			if c.as.Name == "bob" && (!errors.As(err, &st) || st.Message != want) {
				t.Errorf("for a path: %v, want %s", err, want)
			}
		})
	}
}
