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

// Superusers is the group whose members may do everything.
const Superusers = "system:masters"

// Node returns the name of the node that a user is: system:node:NAME. ok is false for other users.
func Node(user string) (name string, ok bool) {
	name, ok = strings.CutPrefix(user, "system:node:")
	if !ok || DNSSubdomain(name) != "" {
		return "", false
	}
	return name, true
}
