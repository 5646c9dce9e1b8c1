//go:build !js

package cluster

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/store"
)

// The default and minimum lifetime of a service account token, in seconds.
const (
	tokenLifetime    = 3600
	minTokenLifetime = 600
)

// issueToken returns a TokenRequest with a token for a service account (registry/core/
// serviceaccount/storage, TokenREST). The token is a JSON Web Token.
func (c *Cluster) issueToken(ctx context.Context, t *task, request fieldmanager.Object) (*Response, *Status) {
	account, st := c.tokenAccount(ctx, t)
	if st != nil {
		return nil, st
	}
	text := document.NewString
	seconds, given := t.body.Lookup("spec", "expirationSeconds").Int()
	if !given {
		seconds = tokenLifetime
	}
	audiences := t.body.Lookup("spec", "audiences")
	if audiences.Len() == 0 {
		audiences = document.NewList(text(c.issuer()))
	}
	metadata := request.Value.Get("metadata").With("name", text(t.Name)).With("namespace", text(t.Namespace)).
		With("creationTimestamp", text(formatTime(t.now)))
	if t.tokensHaveUID() {
		metadata = metadata.With("uid", text(account.UID()))
	}
	request.Value = request.Value.With("metadata", metadata).
		With("status", document.NewObject().With("token", text("")).With("expirationTimestamp", document.NewNull())).
		Set(document.NewInt(seconds), "spec", "expirationSeconds").Set(audiences, "spec", "audiences")
	if st := checkLifetime(seconds); st != nil {
		return nil, st
	}
	if _, st := t.admit(request, fieldmanager.Object{}); st != nil {
		return nil, st
	}
	claim, st := c.tokenClaim(ctx, t, account)
	if st != nil {
		return nil, st
	}
	ends := t.now.Add(time.Duration(seconds) * time.Second)
	issued := document.NewInt(t.now.Unix())
	claims := document.NewObject().With("aud", audiences).With("exp", document.NewInt(ends.Unix())).With("iat", issued).
		With("iss", text(c.issuer())).With("jti", text(c.config.UID())).With("kubernetes.io", claim).With("nbf", issued).
		With("sub", text(names.ServiceAccountUser(t.Namespace, t.Name)))
	token, st := c.signed(claims)
	if st != nil {
		return nil, st
	}
	status := document.NewObject().With("token", text(token)).With("expirationTimestamp", text(formatTime(ends)))
	return &Response{Code: 201, Object: request.Join().With("status", status), Warnings: t.warnings}, nil
}

// tokensHaveUID reports whether a TokenRequest has a uid, that of the service account, as from
// Kubernetes 1.34 on.
func (t *task) tokensHaveUID() bool { return t.kinds.Catalog().Since("1.34") }

// tokenAccount returns the service account of a TokenRequest, whose name and uid must be those
// of the request, if it has any.
func (c *Cluster) tokenAccount(ctx context.Context, t *task) (*Record, *Status) {
	resource := groupResource{group: "authentication.k8s.io", resource: "TokenRequest"}
	if name := meta(t.body, "name"); name != "" && name != t.Name {
		return nil, invalid(resource, t.Name, []Cause{invalidValue("metadata.name", strconv.Quote(name), "must match the service account name if specified")})
	}
	account, err := c.store.Get(ctx, t.ep.key(t.Namespace, t.Name), store.GetOptions{})
	if err != nil {
		return nil, storeStatus(t.ep, t.Name, err)
	}
	if uid := meta(t.body, "uid"); uid != "" && t.tokensHaveUID() && uid != account.Value.UID() {
		return nil, conflict(resource, t.Name, "the UID in the token request ("+uid+") does not match the UID of the service account ("+account.Value.UID()+")")
	}
	return account.Value, nil
}

func checkLifetime(seconds int64) *Status {
	why := ""
	switch {
	case seconds < minTokenLifetime:
		why = "may not specify a duration less than 10 minutes"
	case seconds > 1<<32:
		why = "may not specify a duration larger than 2^32 seconds"
	default:
		return nil
	}
	return invalid(groupResource{group: "authentication.k8s.io", resource: "TokenRequest"}, "",
		[]Cause{invalidValue("spec.expirationSeconds", strconv.FormatInt(seconds, 10), why)})
}

// tokenClaim returns the claim "kubernetes.io" of a token: the service account, and the object
// that the token is bound to. For a pod, its node is added.
func (c *Cluster) tokenClaim(ctx context.Context, t *task, account *Record) (document.Value, *Status) {
	text := document.NewString
	reference := func(name, uid string) document.Value {
		r := document.NewObject().With("name", text(name))
		if uid == "" {
			return r
		}
		return r.With("uid", text(uid))
	}
	claim := document.NewObject().With("namespace", text(t.Namespace)).With("serviceaccount", reference(t.Name, account.UID()))
	ref := t.body.Lookup("spec", "boundObjectRef")
	if ref.Kind() != document.Object {
		return claim, nil
	}
	kind, name := ref.Get("kind").StringOr(""), ref.Get("name").StringOr("")
	bound, st := c.boundObject(ctx, t, ref.Get("apiVersion").StringOr(""), kind, name)
	if st != nil {
		return claim, st
	}
	if uid := ref.Get("uid").StringOr(""); uid != "" && uid != meta(bound, "uid") {
		return claim, conflict(groupResource{resource: kind}, name, "the UID in the bound object reference ("+uid+
			") does not match the UID in record. The object might have been deleted and then recreated")
	}
	claim = claim.With(strings.ToLower(kind), reference(name, meta(bound, "uid")))
	if node := bound.Lookup("spec", "nodeName").StringOr(""); kind == "Pod" && node != "" {
		uid := ""
		if object, st := c.coreObject(ctx, "nodes", "", node); st == nil {
			uid = meta(object, "uid")
		}
		claim = claim.With("node", reference(node, uid))
	}
	return claim, nil
}

// boundObject returns the object that a token is to be bound to: a pod of the service account, a
// secret or a node, in any version.
func (c *Cluster) boundObject(ctx context.Context, t *task, apiVersion, kind, name string) (document.Value, *Status) {
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, version = "", apiVersion
	}
	if strings.Contains(version, "/") { // a malformed apiVersion counts as none
		group, version = "", ""
	}
	resources := map[string]string{"Pod": "pods", "Secret": "secrets", "Node": "nodes"}
	resource, known := resources[kind]
	if group != "" || !known {
		return document.Value{}, badRequest("cannot bind token to object of type " + group + "/" + version + ", Kind=" + kind)
	}
	namespace := t.Namespace
	if kind == "Node" {
		namespace = ""
	}
	object, st := c.coreObject(ctx, resource, namespace, name)
	if st == nil && kind == "Pod" && object.Lookup("spec", "serviceAccountName").StringOr("") != t.Name {
		return object, badRequest("cannot bind token for serviceaccount " + strconv.Quote(t.Name) + " to pod running with different serviceaccount name.")
	}
	return object, st
}

// coreObject reads an object of the core group.
func (c *Cluster) coreObject(ctx context.Context, resource, namespace, name string) (document.Value, *Status) {
	if st := checkNameParameter(name); st != nil {
		return document.Value{}, st
	}
	resp, st := c.do(ctx, &Request{Verb: Get, Version: "v1", Resource: resource, Namespace: namespace, Name: name})
	if st != nil {
		return document.Value{}, st
	}
	return resp.Object, nil
}
