package cluster

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// Subresources that are actions: a create changes or deletes the parent object, or returns an
// object that is not stored.
const (
	subBinding  = "binding"
	subEviction = "eviction"
	subToken    = "token"
)

// act performs an action subresource.
func (c *Cluster) act(ctx context.Context, t *task) (*Response, *Status) {
	switch {
	case t.ep.sub == subEviction:
		return c.evict(ctx, t)
	case t.ep.sub == subToken:
		return c.issueToken(ctx, t)
	}
	name := t.Name
	if t.ep.sub == "" { // the bindings resource, which predates the subresource
		name = meta(t.body, "name")
	} else if name != meta(t.body, "name") {
		return nil, badRequest("name in URL does not match name in Binding object")
	}
	return c.bind(ctx, t, name)
}

// isAction reports whether a create at the endpoint is an action.
func (e *endpoint) isAction() bool {
	switch e.sub {
	case subBinding, subEviction, subToken:
		return true
	}
	return e.sub == "" && e.kind.Builtin && e.kind.Group == "" && e.kind.Resource == "bindings"
}

// done returns the response to an action that has no result object: a Status of success.
func done() *Response {
	var b document.ObjectBuilder
	b.Set("kind", document.NewString("Status"))
	b.Set("apiVersion", document.NewString("v1"))
	b.Set("metadata", document.NewObject())
	b.Set("status", document.NewString("Success"))
	b.Set("code", document.NewInt(201))
	return &Response{Code: 201, Object: b.Object()}
}

var podResource = groupResource{resource: "pods"}

// bind assigns a pod to a node (registry/core/pod/storage, BindingREST).
func (c *Cluster) bind(ctx context.Context, t *task, name string) (*Response, *Status) {
	target := t.body.Get("target")
	if kind := target.Get("kind").StringOr(""); kind != "" && kind != "Node" {
		return nil, plainError(errors.New(`target.kind: Unsupported value: ` + strconv.Quote(kind) + `: supported values: "Node", "<empty>"`))
	}
	node := target.Get("name").StringOr("")
	if node == "" {
		return nil, plainError(errors.New("target.name: Required value"))
	}
	assign := func(pod document.Value) (document.Value, error) {
		switch spec := pod.Get("spec"); {
		case hasMeta(pod, "deletionTimestamp"):
			return pod, errors.New("pod " + name + " is being deleted, cannot be assigned to a host")
		case spec.Get("nodeName").StringOr("") != "":
			return pod, errors.New("pod " + name + " is already assigned to node " + strconv.Quote(spec.Get("nodeName").StringOr("")))
		case spec.Get("schedulingGates").Len() > 0:
			return pod, errors.New("pod " + name + " has non-empty .spec.schedulingGates")
		}
		pod = pod.Set(document.NewString(node), "spec", "nodeName").Remove("status", "nominatedNodeName")
		for _, part := range []string{"annotations", "labels"} {
			for key, value := range t.body.Get("metadata").Get(part).Members() {
				pod = pod.Set(value, "metadata", part, key)
			}
		}
		return withPodScheduled(pod, formatTime(t.now)), nil
	}
	pods, _ := c.kinds.Resource("", "v1", "pods")
	key := (&endpoint{kind: pods, strategy: c.strategy(pods)}).key(t.Namespace, name)
	var refused error
	change := func(current store.Item[*Record]) (*Record, error) {
		object := current.Value.tree()
		uid, version := meta(t.body, "uid"), meta(t.body, "resourceVersion")
		if uid != "" && uid != meta(object.Value, "uid") || version != "" && version != strconv.FormatInt(current.Revision, 10) {
			refused = errors.New("the preconditions of the binding are not met")
			return nil, refused
		}
		if object.Value, refused = assign(object.Value); refused != nil {
			return nil, refused
		}
		return newRecord(object, document.Value{}), nil
	}
	var err error
	if t.dryRun() {
		var item store.Item[*Record]
		if item, err = c.store.Get(ctx, key, store.GetOptions{}); err == nil {
			_, err = change(item)
		}
	} else {
		_, err = c.store.Update(ctx, key, store.UpdateOptions{}, change)
	}
	switch {
	case refused != nil:
		return nil, conflict(groupResource{resource: "pods/binding"}, name, refused.Error())
	case errors.Is(err, store.ErrNotFound):
		return nil, notFound(podResource, name)
	case err != nil:
		return nil, internalError(err)
	}
	return done(), nil
}

// withPodScheduled sets the pod's PodScheduled condition to True.
func withPodScheduled(pod document.Value, now string) document.Value {
	var conditions document.ListBuilder
	for _, old := range pod.Lookup("status", "conditions").Items() {
		if old.Get("type").StringOr("") != "PodScheduled" {
			conditions.Append(old)
		}
	}
	conditions.Append(document.NewObject().
		With("type", document.NewString("PodScheduled")).With("status", document.NewString("True")).
		With("lastProbeTime", document.NewNull()).With("lastTransitionTime", document.NewString(now)))
	return pod.Set(conditions.List(), "status", "conditions")
}

// evict deletes a pod if its PodDisruptionBudget allows the disruption
// (registry/core/pod/storage, EvictionREST).
func (c *Cluster) evict(ctx context.Context, t *task) (*Response, *Status) {
	if name := meta(t.body, "name"); name != t.Name {
		return nil, badRequest("name in URL does not match name in Eviction object: " + t.Name + " != " + name)
	}
	live, err := c.store.Get(ctx, t.ep.key(t.Namespace, t.Name), store.GetOptions{})
	if err != nil {
		return nil, c.storeStatus(t.ep, t.Name, err)
	}
	pod := live.Value.tree().Value
	phase := pod.Lookup("status", "phase").StringOr("")
	if phase == "Running" && !hasMeta(pod, "deletionTimestamp") {
		if st := c.checkBudget(ctx, t, pod); st != nil {
			return nil, st
		}
	}
	deletion := *t.Request
	deletion.Verb, deletion.Subresource, deletion.Format = Delete, "", JSON
	deletion.Document, deletion.Body = nil, nil
	if options := t.body.Get("deleteOptions"); options.Kind() == document.Object {
		deletion.Document = &document.Document{Root: options}
	}
	if _, st := c.do(ctx, &deletion); st != nil {
		return nil, st
	}
	return done(), nil
}

// checkBudget checks the pod's PodDisruptionBudget and records the disruption in its status.
func (c *Cluster) checkBudget(ctx context.Context, t *task, pod document.Value) *Status {
	budgets, st := c.do(ctx, &Request{Verb: List, Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Namespace: t.Namespace})
	if st != nil {
		return st
	}
	var budget document.Value
	for _, b := range budgets.Object.Get("items").Items() {
		if !selectsLabels(b.Lookup("spec", "selector"), pod) {
			continue
		}
		if budget.Exists() {
			//lint:ignore ST1005 the API server answers with this sentence
			return internalError(errors.New("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."))
		}
		budget = b
	}
	if !budget.Exists() {
		return nil
	}
	name, status := meta(budget, "name"), budget.Get("status")
	number := func(key string) int64 { n, _ := status.Get(key).Int(); return n }
	switch allowed := number("disruptionsAllowed"); {
	case number("observedGeneration") < metaInt(budget, "generation"):
		return overBudget("The disruption budget "+name+" is still being processed by the server.", 10)
	case allowed < 0:
		return refused(groupResource{"policy", "poddisruptionbudget"}, name, "pdb disruptions allowed is negative")
	case allowed == 0 && number("currentHealthy") <= number("desiredHealthy"):
		return overBudget("The disruption budget "+name+" needs "+strconv.FormatInt(number("desiredHealthy"), 10)+" healthy pods and has "+
			strconv.FormatInt(number("currentHealthy"), 10)+" currently", 0)
	case allowed == 0:
		return overBudget("The disruption budget "+name+" does not allow evicting pods currently", 0)
	case t.dryRun():
		return nil
	default:
		status = document.NewObject().With("disruptionsAllowed", document.NewInt(allowed-1)).
			With("disruptedPods", document.NewObject().With(t.Name, document.NewString(formatTime(t.now))))
		body := document.NewObject().With("metadata", document.NewObject().With("resourceVersion", budget.Lookup("metadata", "resourceVersion"))).With("status", status)
		_, st := c.do(ctx, &Request{
			Verb: Patch, Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Namespace: t.Namespace, Name: name, Subresource: subStatus,
			Format: MergePatch, Body: body.JSON(), Options: Options{FieldManager: "kube-apiserver"},
		})
		return st
	}
}

func overBudget(why string, seconds int) *Status {
	return &Status{
		Code: 429, Reason: "TooManyRequests", Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		Details: &StatusDetails{RetryAfterSeconds: seconds, Causes: []Cause{{Type: "DisruptionBudget", Message: why}}},
	}
}

// selectsLabels reports whether a LabelSelector selects an object. An absent selector selects
// nothing, an empty one everything.
func selectsLabels(selector, object document.Value) bool {
	if selector.Kind() != document.Object {
		return false
	}
	labels := object.Get("metadata").Get("labels")
	for key, value := range selector.Get("matchLabels").Members() {
		if label := labels.Get(key); !label.Exists() || label.StringOr("") != value.StringOr("") {
			return false
		}
	}
	for _, e := range selector.Get("matchExpressions").Items() {
		r := labelRequirement{key: e.Get("key").StringOr("")}
		for _, v := range e.Get("values").Items() {
			r.values = append(r.values, v.StringOr(""))
		}
		switch e.Get("operator").StringOr("") {
		case "In":
			r.operator = "in"
		case "NotIn":
			r.operator = "notin"
		case "Exists":
			r.operator = "exists"
		default:
			r.operator = "absent"
		}
		if !r.matches(labels) {
			return false
		}
	}
	return true
}

// The default and minimum lifetime of a service account token, in seconds.
const (
	tokenLifetime    = 3600
	minTokenLifetime = 600
)

// issueToken returns a TokenRequest with a token for a service account. The token has the form
// of a JSON Web Token, but is not signed, and the server does not use it for authentication.
func (c *Cluster) issueToken(ctx context.Context, t *task) (*Response, *Status) {
	account, err := c.store.Get(ctx, t.ep.key(t.Namespace, t.Name), store.GetOptions{})
	if err != nil {
		return nil, c.storeStatus(t.ep, t.Name, err)
	}
	seconds, given := t.body.Lookup("spec", "expirationSeconds").Int()
	if !given {
		seconds = tokenLifetime
	}
	if seconds < minTokenLifetime || seconds > 1<<32 {
		why := "may not specify a duration less than 10 minutes"
		if seconds >= minTokenLifetime {
			why = "may not specify a duration larger than 2^32 seconds"
		}
		return nil, invalid(groupResource{group: "authentication.k8s.io", resource: "TokenRequest"}, "",
			[]Cause{invalidValue("spec.expirationSeconds", strconv.FormatInt(seconds, 10), why)})
	}
	uid, text := account.Value.UID(), document.NewString
	audiences := t.body.Lookup("spec", "audiences")
	if audiences.Len() == 0 {
		audiences = document.NewList(text("https://kubernetes.default.svc.cluster.local"))
	}
	ends := t.now.Add(time.Duration(seconds) * time.Second)
	claims := document.NewObject().With("aud", audiences).With("iss", text("patchlab")).
		With("sub", text("system:serviceaccount:"+t.Namespace+":"+t.Name)).
		With("iat", document.NewInt(t.now.Unix())).With("exp", document.NewInt(ends.Unix()))
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(claims.JSON()) + "."
	metadata := document.NewObject().With("name", text(t.Name)).With("namespace", text(t.Namespace)).With("uid", text(uid)).
		With("creationTimestamp", text(formatTime(t.now)))
	object := t.body.With("metadata", metadata).
		Set(document.NewInt(seconds), "spec", "expirationSeconds").Set(audiences, "spec", "audiences").
		With("status", document.NewObject().With("token", text(token)).With("expirationTimestamp", text(formatTime(ends))))
	return &Response{Code: 201, Object: object, Warnings: t.warnings}, nil
}

// notServed returns the error for a subresource that patchlab does not serve, such as log or
// exec.
func notServed(ep *endpoint, sub string) *Status {
	what := ep.what().String() + "/" + sub
	why := what + " is not served by patchlab"
	switch sub {
	case "attach", "exec", "log", "portforward", "proxy":
		why = "patchlab runs no containers and no nodes, so " + what + " is not served"
	}
	return &Status{Code: 404, Reason: ReasonNotFound, Details: &StatusDetails{}, Message: why}
}
