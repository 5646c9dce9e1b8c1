//go:build !js

package cluster

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/kinds"
)

// Issuer is the usual issuer of service account tokens and audience of the API, as kubeadm
// configures them.
const Issuer = "https://kubernetes.default.svc.cluster.local"

// issuer returns the issuer of the cluster's tokens.
func (c *Cluster) issuer() string {
	if c.config.Tokens == nil {
		return Issuer
	}
	return c.config.Tokens.Issuer()
}

// leeway is how far the clocks of two servers may differ, and how long the tokens of a service
// account remain valid whose deletion has begun.
const leeway = time.Minute

// ErrNotIssued is the error of [Cluster.Authenticate] for a text that is neither in
// [Config.StaticTokens] nor a token of a service account, or is one of another issuer.
var ErrNotIssued = errors.New(invalidToken)

// Authenticate returns the user of one of [Config.StaticTokens] or of a service account token that
// the cluster has issued, and those of the given audiences that the token is for; without audiences,
// that of the API is meant. The token is one of a TokenRequest, or of a Secret of type
// kubernetes.io/service-account-token, which gets a label with the day. An error has the words of a TokenReview: the token
// is malformed or has expired, or its service account or the object that it is bound to was deleted. It is [ErrNotIssued] if
// the cluster has not issued the token. Without [Config.Tokens] no token of a service account is valid.
func (c *Cluster) Authenticate(ctx context.Context, token string, audiences ...string) (User, []string, error) {
	if user, ok := c.config.StaticTokens[token]; ok {
		if len(audiences) > 0 && !slices.Contains(audiences, c.issuer()) {
			return User{}, nil, ErrNotIssued
		}
		return user, []string{c.issuer()}, nil
	}
	claims := tokenClaims(token)
	check := c.tokenUser
	switch issuer := claims.Get("iss").StringOr(""); {
	case c.config.Tokens == nil:
		return User{}, nil, ErrNotIssued
	case issuer == c.issuer():
	case issuer == secretIssuer:
		check = c.secretTokenUser
	default:
		return User{}, nil, ErrNotIssued
	}
	user, granted, err := c.authenticate(ctx, token, claims, audiences, check)
	if err != nil {
		return User{}, nil, fmt.Errorf("[%s, %w]", invalidToken, err)
	}
	return user, granted, nil
}

// authenticate checks a token in the order of kube-apiserver (pkg/serviceaccount, jwt.go). A token
// without audiences is for the API. check returns the user of a token with a valid signature.
func (c *Cluster) authenticate(ctx context.Context, token string, claims document.Value, audiences []string, check userOfToken) (User, []string, error) {
	if err := c.config.Tokens.Verify(token); err != nil {
		return User{}, nil, err
	}
	intended := claims.Get("aud").Strings()
	if len(intended) == 0 {
		intended = []string{c.issuer()}
	}
	if len(audiences) == 0 {
		audiences = []string{c.issuer()}
	}
	granted := slices.DeleteFunc(slices.Clone(audiences), func(a string) bool { return !slices.Contains(intended, a) })
	if len(granted) == 0 {
		return User{}, nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", intended, audiences)
	}
	user, err := check(ctx, token, claims)
	return user, granted, err
}

// userOfToken returns the user that the claims of a token name, or why the token is no longer valid.
type userOfToken func(ctx context.Context, token string, claims document.Value) (User, error)

// tokenClaims returns the claims of a JSON Web Token without checking its signature; absent if it
// is not one.
func tokenClaims(token string) document.Value {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return document.Value{}
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return document.Value{}
	}
	claims, err := document.Parse(text, document.Options{})
	if err != nil {
		return document.Value{}
	}
	return claims.Root
}

func (c *Cluster) checkTimes(claims document.Value) error {
	now := c.config.Now()
	at := func(claim string) time.Time {
		seconds, _ := claims.Get(claim).Int()
		return time.Unix(seconds, 0)
	}
	switch {
	case now.Add(leeway).Before(at("nbf")):
		return errors.New("service account token is not valid yet")
	case now.Add(-leeway).After(at("exp")):
		return errors.New("service account token has expired")
	}
	return nil
}

// tokenUser returns the user of a token that a TokenRequest has issued (pkg/serviceaccount, claims.go). Its
// service account and the object that the token is bound to must still exist.
func (c *Cluster) tokenUser(ctx context.Context, _ string, claims document.Value) (User, error) {
	if err := c.checkTimes(claims); err != nil {
		return User{}, err
	}
	bound := claims.Get("kubernetes.io")
	namespace := bound.Get("namespace").StringOr("")
	account := bound.Get("serviceaccount")
	name, uid := account.Get("name").StringOr(""), account.Get("uid").StringOr("")
	object, st := c.coreObject(ctx, "serviceaccounts", namespace, name)
	switch {
	case st != nil:
		return User{}, st
	case meta(object, "uid") != uid:
		return User{}, fmt.Errorf("service account UID (%s) does not match claim (%s)", meta(object, "uid"), uid)
	case c.isGone(object):
		return User{}, fmt.Errorf("service account %s/%s has been deleted", namespace, name)
	}
	if err := c.checkBound(ctx, namespace, bound); err != nil {
		return User{}, err
	}
	user := accountUser(namespace, name, uid)
	user.Extra = map[string][]string{names.TokenExtra + "credential-id": {"JTI=" + claims.Get("jti").StringOr("")}}
	for _, kind := range [...]string{"pod", "node"} {
		if ref := bound.Get(kind); ref.Exists() {
			user.Extra[names.TokenExtra+kind+"-name"] = []string{ref.Get("name").StringOr("")}
			if uid := ref.Get("uid").StringOr(""); uid != "" { // the node of a pod may not exist
				user.Extra[names.TokenExtra+kind+"-uid"] = []string{uid}
			}
		}
	}
	return user, nil
}

// accountUser returns the user of requests by a service account.
func accountUser(namespace, name, uid string) User {
	return User{
		Name: names.ServiceAccountUser(namespace, name), UID: uid,
		Groups: append(names.ServiceAccountGroups(namespace), names.Authenticated),
	}
}

// checkBound checks that the object that a token is bound to still exists. The node of a token
// that is bound to a pod is not checked.
func (c *Cluster) checkBound(ctx context.Context, namespace string, bound document.Value) error {
	for _, b := range [...]struct{ claim, resource, namespace, what string }{
		{"secret", "secrets", namespace, "service account secret ref claim"},
		{"pod", "pods", namespace, "service account pod ref claim"},
		{"node", "nodes", "", "service account node ref claim"},
	} {
		ref := bound.Get(b.claim)
		if !ref.Exists() || b.claim == "node" && bound.Get("pod").Exists() {
			continue
		}
		object, st := c.coreObject(ctx, b.resource, b.namespace, ref.Get("name").StringOr(""))
		if st != nil || c.isGone(object) {
			return errors.New("service account token has been invalidated")
		}
		if was, is := ref.Get("uid").StringOr(""), meta(object, "uid"); was != is {
			return fmt.Errorf("%s UID (%s) does not match %s (%s)", b.claim, is, b.what, was)
		}
	}
	return nil
}

// isGone reports whether the deletion of an object began longer ago than the leeway.
func (c *Cluster) isGone(object document.Value) bool {
	at, err := time.Parse(time.RFC3339, meta(object, "deletionTimestamp"))
	return err == nil && at.Before(c.config.Now().Add(-leeway))
}

// tokenStatus returns the status of a TokenReview. As in kube-apiserver, fields of the sent status
// that the result does not set are kept.
func (c *Cluster) tokenStatus(ctx context.Context, spec, sent document.Value) document.Value {
	user, audiences, err := c.Authenticate(ctx, spec.Get("token").StringOr(""), spec.Get("audiences").Strings()...)
	if err != nil {
		return withTokenError(sent, err.Error())
	}
	if sent.Kind() != document.Object {
		sent = document.NewObject()
	}
	return sent.With("authenticated", document.NewBool(true)).
		With("user", kinds.UserInfo(user)).With("audiences", document.NewStrings(audiences...))
}

// signed returns the token with the given claims. Without [Config.Tokens] it has the form of a
// JSON Web Token but no signature.
func (c *Cluster) signed(claims document.Value) (string, *Status) {
	if c.config.Tokens == nil {
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(claims.JSON()) + ".", nil
	}
	token, err := c.config.Tokens.Sign(claims.JSON())
	if err != nil {
		return "", internalError(fmt.Errorf("failed to generate token: %w", err))
	}
	return token, nil
}
