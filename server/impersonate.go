package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// The headers with which a client impersonates another user (kubectl --as, client-go's
// rest.ImpersonationConfig).
const (
	impersonateUser  = "Impersonate-User"
	impersonateUID   = "Impersonate-Uid"
	impersonateGroup = "Impersonate-Group"
	impersonateExtra = "Impersonate-Extra-"
)

const (
	authenticatedGroup   = "system:authenticated"
	serviceAccountPrefix = "system:serviceaccount:"
)

// sender returns who sent a request: the user of the service account token, or Options.User.
func (s *Server) sender(r *http.Request) cluster.User {
	if account, ok := r.Context().Value(userKey{}).(cluster.User); ok {
		return account
	}
	return s.options.User
}

// impersonated returns the user that the sender of a request wants to be; ok is false if it does not
// impersonate anyone. Without authorization, every client may impersonate any user.
func impersonated(r *http.Request) (u cluster.User, ok bool, err error) {
	u = cluster.User{Name: r.Header.Get(impersonateUser), UID: r.Header.Get(impersonateUID), Groups: r.Header.Values(impersonateGroup)}
	for name, values := range r.Header {
		if key, ok := strings.CutPrefix(name, impersonateExtra); ok {
			if decoded, err := url.PathUnescape(key); err == nil {
				key = decoded
			}
			if u.Extra == nil {
				u.Extra = map[string][]string{}
			}
			u.Extra[strings.ToLower(key)] = values
		}
	}
	if u.Name == "" {
		if len(u.Groups) > 0 || u.UID != "" || u.Extra != nil {
			return u, false, badRequest("a request that impersonates groups, a UID or extra fields must also impersonate a user")
		}
		return u, false, nil
	}
	if namespace, ok := serviceAccountNamespace(u.Name); ok && len(u.Groups) == 0 {
		u.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
	}
	if u.Name != "system:anonymous" {
		u.Groups = withGroup(u.Groups, authenticatedGroup)
	}
	return u, true, nil
}

// serviceAccountNamespace returns the namespace in the user name of a service account; ok is false if
// the name is not one. A name that no service account can have is that of an ordinary user.
func serviceAccountNamespace(user string) (namespace string, ok bool) {
	account, isAccount := strings.CutPrefix(user, serviceAccountPrefix)
	namespace, name, ok := strings.Cut(account, ":")
	return namespace, isAccount && ok && names.DNSLabel(namespace) == "" && names.DNSSubdomain(name) == ""
}

// withGroup returns groups including group.
func withGroup(groups []string, group string) []string {
	for _, g := range groups {
		if g == group {
			return groups
		}
	}
	return append(groups[:len(groups):len(groups)], group)
}
