package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

// impersonate returns the request with the user that it impersonates, or unchanged if it
// impersonates none. Without authorization, every client may impersonate any user.
func (s *Server) impersonate(r *http.Request) (*http.Request, error) {
	u := cluster.User{Name: r.Header.Get(impersonateUser), UID: r.Header.Get(impersonateUID), Groups: r.Header.Values(impersonateGroup)}
	for name, values := range r.Header {
		if key, ok := strings.CutPrefix(name, impersonateExtra); ok {
			key = strings.ToLower(key) // before escapes are decoded, which can preserve upper case
			if decoded, err := url.PathUnescape(key); err == nil {
				key = decoded
			}
			if u.Extra == nil {
				u.Extra = map[string][]string{}
			}
			u.Extra[key] = append(u.Extra[key], values...)
		}
	}
	if u.Name == "" {
		if len(u.Groups) > 0 || u.UID != "" || u.Extra != nil {
			return r, errNoUser(u)
		}
		return r, nil
	}
	u.Groups = impersonatedGroups(u, s.cluster.Kinds().Catalog().Since("1.36"))
	return identity{user: u, impersonator: s.identity(r).user}.of(r), nil
}

// errNoUser is the error for a request that impersonates groups, a UID or extra fields and no user. kube-apiserver
// writes these as a value of Go, and names the type.
func errNoUser(u cluster.User) *cluster.Status {
	return badRequest(fmt.Sprintf("requested &user.DefaultInfo{Name:\"\", UID:%q, Groups:%#v, Extra:%#v} without impersonating a user name", u.UID, u.Groups, u.Extra))
}

// impersonatedGroups returns the groups of an impersonated user. Those of a service account
// follow from its name unless the request sets groups, and in constrained impersonation (KEP-5284) those
// of a node from its name if the request sets nothing else (apiserver/pkg/endpoints/filters/impersonation).
func impersonatedGroups(u cluster.User, constrained bool) []string {
	groups := u.Groups
	if len(groups) == 0 {
		if namespace, _, ok := names.ServiceAccount(u.Name); ok {
			groups = names.ServiceAccountGroups(namespace)
		} else if _, ok := names.Node(u.Name); ok && constrained && u.UID == "" && u.Extra == nil {
			groups = []string{names.Nodes}
		}
	}
	switch {
	case u.Name == names.Anonymous:
		return withGroup(groups, names.Unauthenticated)
	case slices.Contains(groups, names.Unauthenticated):
		return groups
	}
	return withGroup(groups, names.Authenticated)
}

// identity is the user of a request, with the impersonator if there is one.
type identity struct {
	user cluster.User
	// impersonator is the zero User if nobody impersonates the user.
	impersonator cluster.User
}

// identityKey is the key of the context value that holds the identity of a request, if it is not
// Options.User.
type identityKey struct{}

func (i identity) of(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), identityKey{}, i))
}

// identity returns who sends a request: the impersonated user, that of the service account token, or
// Options.User.
func (s *Server) identity(r *http.Request) identity {
	if i, ok := r.Context().Value(identityKey{}).(identity); ok {
		return i
	}
	return identity{user: s.options.User}
}

// withGroup returns groups including group.
func withGroup(groups []string, group string) []string {
	if slices.Contains(groups, group) {
		return groups
	}
	return append(groups[:len(groups):len(groups)], group)
}
