package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
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

// user returns the user of a request: the impersonated one, that of the service account token, or
// Options.User. There is no authorization, so every client may impersonate any user.
func (s *Server) user(r *http.Request) (cluster.User, error) {
	u := cluster.User{Name: r.Header.Get(impersonateUser), UID: r.Header.Get(impersonateUID), Groups: r.Header.Values(impersonateGroup)}
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
			return u, badRequest("a request that impersonates groups, a UID or extra fields must also impersonate a user")
		}
		if account, ok := r.Context().Value(userKey{}).(cluster.User); ok {
			return account, nil
		}
		return s.options.User, nil
	}
	if namespace, _, ok := strings.Cut(strings.TrimPrefix(u.Name, serviceAccountPrefix), ":"); ok && len(u.Groups) == 0 && strings.HasPrefix(u.Name, serviceAccountPrefix) {
		u.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
	}
	if u.Name != "system:anonymous" {
		u.Groups = withGroup(u.Groups, authenticatedGroup)
	}
	return u, nil
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
