package names

import "strings"

// serviceAccountPrefix begins the user names of service accounts.
const serviceAccountPrefix = "system:serviceaccount:"

// ServiceAccount returns the namespace and the name of the service account that a user name stands
// for; ok is false for other users, and for names that no service account can have
// (apiserver/pkg/authentication/serviceaccount, SplitUsername).
func ServiceAccount(user string) (namespace, name string, ok bool) {
	account, isAccount := strings.CutPrefix(user, serviceAccountPrefix)
	namespace, name, _ = strings.Cut(account, ":")
	return namespace, name, isAccount && DNSLabel(namespace) == "" && DNSSubdomain(name) == ""
}

// ServiceAccountUser returns the user name of a service account.
func ServiceAccountUser(namespace, name string) string {
	return serviceAccountPrefix + namespace + ":" + name
}

// DefaultServiceAccount is the service account of pods that name none.
const DefaultServiceAccount = "default"

// The user without credentials, and the groups to which the API server assigns users
// (apiserver/pkg/authentication/user). Members of Superusers may do everything.
const (
	Anonymous       = "system:anonymous"
	Superusers      = "system:masters"
	Authenticated   = "system:authenticated"
	Unauthenticated = "system:unauthenticated"
	Nodes           = "system:nodes"
)

// TokenExtra begins the names of the extra fields that a credential adds to its user, such as
// TokenExtra+"node-name", the node of the pod that a token is bound to.
const TokenExtra = "authentication.kubernetes.io/"

// ServiceAccountGroups returns the groups of the service accounts in a namespace, apart from
// Authenticated.
func ServiceAccountGroups(namespace string) []string {
	return []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
}

// Node returns the name of the node that a user is: system:node:NAME. ok is false for other users.
func Node(user string) (name string, ok bool) {
	name, ok = strings.CutPrefix(user, "system:node:")
	if !ok || DNSSubdomain(name) != "" {
		return "", false
	}
	return name, true
}
