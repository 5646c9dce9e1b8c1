//go:build !js

package cluster

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// secretIssuer is the issuer of the tokens in Secrets of type kubernetes.io/service-account-token, which a
// kube-controller-manager signs. They have no audience and do not expire.
const secretIssuer = "kubernetes/serviceaccount"

// accountClaim precedes the names of the claims of such a token.
const accountClaim = "kubernetes.io/serviceaccount/"

// The labels of a Secret with a token: the day of its last use, and since when it has not been used and is invalid.
const (
	lastUsedLabel     = "kubernetes.io/legacy-token-last-used"
	invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since"
)

// secretTokenUser returns the user of a token in a Secret (pkg/serviceaccount, legacy.go). The Secret must have
// the token, and its service account must exist. The Secret is labelled with the day of this use.
func (c *Cluster) secretTokenUser(ctx context.Context, token string, claims document.Value) (User, error) {
	subject := claims.Get("sub").StringOr("")
	namespace := claims.Get(accountClaim + "namespace").StringOr("")
	secretName := claims.Get(accountClaim + "secret.name").StringOr("")
	name := claims.Get(accountClaim + "service-account.name").StringOr("")
	uid := claims.Get(accountClaim + "service-account.uid").StringOr("")
	for _, claim := range [...]struct{ name, value string }{
		{"sub", subject}, {"namespace", namespace}, {"secretName", secretName}, {"serviceAccountName", name}, {"serviceAccountUID", uid},
	} {
		if claim.value == "" {
			return User{}, errors.New(claim.name + " claim is missing")
		}
	}
	user := accountUser(namespace, name, uid)
	if subject != user.Name {
		return User{}, errors.New("sub claim is invalid")
	}
	secret, st := c.coreObject(ctx, "secrets", namespace, secretName)
	if st != nil || hasMeta(secret, "deletionTimestamp") {
		//lint:ignore ST1005 the words of kube-apiserver
		return User{}, errors.New("Token has been invalidated")
	}
	stored, _ := base64.StdEncoding.DecodeString(secret.Lookup("data", "token").StringOr(""))
	if subtle.ConstantTimeCompare(stored, []byte(token)) == 0 {
		//lint:ignore ST1005 the words of kube-apiserver
		return User{}, errors.New("Token does not match server's copy")
	}
	account, st := c.coreObject(ctx, "serviceaccounts", namespace, name)
	switch {
	case st != nil:
		return User{}, st
	case hasMeta(account, "deletionTimestamp"):
		return User{}, fmt.Errorf("ServiceAccount %s/%s has been deleted", namespace, name)
	case meta(account, "uid") != uid:
		return User{}, fmt.Errorf("ServiceAccount UID (%s) does not match claim (%s)", meta(account, "uid"), uid)
	}
	c.labelUse(ctx, secret)
	if secret.Lookup("metadata", "labels", invalidSinceLabel).StringOr("") != "" {
		return User{}, fmt.Errorf("the token in secret %s/%s for service account %s/%s has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '%s' label from the secret to temporarily allow use of this token",
			namespace, secretName, namespace, name, invalidSinceLabel)
	}
	return user, nil
}

// labelUse labels a Secret with today's date, unless it has that label or, from a server whose clock is ahead,
// tomorrow's. A token is valid even if that fails.
func (c *Cluster) labelUse(ctx context.Context, secret document.Value) {
	now := c.config.Now().UTC()
	today, tomorrow := now.Format(time.DateOnly), now.AddDate(0, 0, 1).Format(time.DateOnly)
	if used := secret.Lookup("metadata", "labels", lastUsedLabel).StringOr(""); used == today || used == tomorrow {
		return
	}
	metadata := document.NewObject().With("uid", secret.Lookup("metadata", "uid")).
		With("labels", document.NewObject().With(lastUsedLabel, document.NewString(today)))
	q := &Request{
		Verb: Patch, Format: MergePatch, Version: "v1", Resource: "secrets", Namespace: meta(secret, "namespace"), Name: meta(secret, "name"),
		Body: document.NewObject().With("metadata", metadata).JSON(),
	}
	_, _ = c.do(ctx, q.AsServer())
}
