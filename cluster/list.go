package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

func (c *Cluster) get(ctx context.Context, r *Request, ep *endpoint) (*Reading, *Status) {
	if st := checkNameParameter(r.Name); st != nil {
		return nil, st
	}
	least, err := versionParameter(r.ResourceVersion)
	switch {
	case err != nil && ep.strategy.Uncached:
		return nil, badListVersion(err)
	case err != nil:
		return nil, plainError(err)
	}
	item, err := c.store.Get(ctx, ep.key(r.Namespace, r.Name), store.GetOptions{MinRevision: least, Cached: r.ResourceVersion != ""})
	if err != nil {
		return nil, c.readStatus(ep, r.Name, err, !ep.strategy.Uncached)
	}
	if ep.sub != subScale {
		shown, st := c.shown(ep.kind, item.Value, item.Revision)
		return &Reading{Kind: ep.kind, Object: shown}, st
	}
	read, st := c.read(ep.kind, versioned(item.Value.tree(), item.Revision))
	if st != nil {
		return nil, st
	}
	scale, found, st := ep.scaleOf(read.Value)
	if st == nil && !found && !ep.kind.Builtin {
		st = internalError(errors.New("the spec replicas field " + strconv.Quote(ep.kind.Scale.SpecReplicasPath) + " does not exist"))
	}
	return &Reading{Kind: ep.kind, Value: scale}, st
}

func (c *Cluster) list(ctx context.Context, r *Request, ep *endpoint) (*Reading, *Status) {
	s, st := c.selection(r, ep)
	if st != nil {
		return nil, st
	}
	page, st := c.page(ctx, r, ep, s)
	if st != nil {
		return nil, st
	}
	reading := &Reading{Kind: ep.kind, Metadata: listMetadata(ep, page), Items: make([]Shown, len(page.Items))}
	for i, item := range page.Items {
		if reading.Items[i], st = c.shown(ep.kind, item.Value, item.Revision); st != nil {
			return nil, notListed(ep.kind, st)
		}
	}
	return reading, nil
}

// notListed returns the error of a list with an object that cannot be read. kube-apiserver
// cannot fill its cache then, and asks the client to try again.
func notListed(k *schema.Kind, st *Status) *Status {
	var undeclared *undeclaredError
	if !errors.As(st.Err, &undeclared) {
		return st
	}
	return &Status{Code: 429, Reason: ReasonTooManyRequests, Err: st.Err, Details: &StatusDetails{RetryAfterSeconds: 1},
		Message: "storage is (re)initializing: failed to list " + k.APIVersion() + ", Kind=" + k.Kind + ": " + st.Message}
}

// listMetadata returns the metadata of a list. Lists of custom resources include an empty
// continue token; those of a kind that cannot be watched (ComponentStatus), which
// kube-apiserver computes, have no resourceVersion.
func listMetadata(ep *endpoint, page store.Page[*Record]) document.Value {
	var metadata document.ObjectBuilder
	if slices.Contains(ep.kind.Verbs, "watch") {
		metadata.SetString("resourceVersion", strconv.FormatInt(page.Revision, 10))
	}
	if page.Continue != "" || !ep.kind.Builtin {
		metadata.Set("continue", document.NewString(page.Continue))
	}
	if page.Remaining > 0 {
		metadata.Set("remainingItemCount", document.NewInt(page.Remaining))
	}
	return metadata.Object()
}

func listOf(ep *endpoint, metadata, items document.Value) document.Value {
	var b document.ObjectBuilder
	b.Set("kind", document.NewString(ep.kind.ListKind))
	b.Set("apiVersion", document.NewString(ep.kind.APIVersion()))
	b.Set("metadata", metadata)
	b.Set("items", items)
	return b.Object()
}

// page returns the items of a list. A resourceVersion with a limit and without
// resourceVersionMatch means Exact, for compatibility, and a deletecollection always has a limit in
// kube-apiserver, unless a field selector names the only object. With resourceVersion "0", which
// kube-apiserver serves from its cache, the limit is ignored.
func (c *Cluster) page(ctx context.Context, r *Request, ep *endpoint, s *selection) (store.Page[*Record], *Status) {
	var none store.Page[*Record]
	if r.Continue != "" && r.ResourceVersion != "" && r.ResourceVersion != "0" {
		if err := store.CheckContinue(r.Continue); err != nil {
			return none, storeStatus(ep, "", err)
		}
		return none, badRequest("specifying resource version is not allowed when using continue")
	}
	at, err := versionParameter(r.ResourceVersion)
	if err != nil {
		return none, badListVersion(err)
	}
	o := store.ListOptions[*Record]{Revision: at, Limit: r.Limit, Continue: r.Continue, Cached: r.ResourceVersion != ""}
	limited := (r.Limit > 0 || r.Verb == DeleteCollection) && !s.single
	if at > 0 && (r.ResourceVersionMatch == matchExact || r.ResourceVersionMatch == "" && limited) {
		o.Match = store.Exact
	}
	if r.ResourceVersion == "0" && !ep.strategy.Uncached {
		o.Limit = 0
	}
	if r.Continue != "" {
		o.Revision, o.Match = 0, store.NotOlderThan
	}
	var unread *Status // of an object that cannot be read, whether it is selected or not
	if !s.all() {
		o.Filter = func(item store.Item[*Record]) bool {
			matches, st := c.matches(s, ep.kind, item.Value)
			if unread == nil {
				unread = st
			}
			return st == nil && matches
		}
	}
	page, err := c.store.List(ctx, s.scope, o)
	if unread != nil {
		return none, notListed(ep.kind, unread)
	}
	if err != nil {
		delegated := s.single && r.Limit > 0 && r.ResourceVersionMatch == ""
		return none, c.readStatus(ep, "", err, !delegated && !ep.strategy.Uncached)
	}
	return page, nil
}

// readStatus is storeStatus for a read, whose message about a version that is too old differs from
// that of a watch. If kube-apiserver would answer from its cache, a resourceVersion that is not
// reached yet may be asked for again.
func (c *Cluster) readStatus(ep *endpoint, name string, err error, cached bool) *Status {
	st := storeStatus(ep, name, err)
	if errors.Is(err, store.ErrFuture) && !cached {
		st.Details.RetryAfterSeconds = 0
	}
	if errors.Is(err, store.ErrCompacted) && st.Continue == "" {
		st.Message = "The resourceVersion for the provided list is too old."
	}
	return st
}

// storeStatus converts an error of the store to a Status.
func storeStatus(ep *endpoint, name string, err error) *Status {
	var st *Status
	var future *store.FutureError
	var compacted *store.CompactedError
	var size *store.SizeError
	var unavailable *store.UnavailableError
	var key *store.InvalidKeyError
	switch {
	case errors.As(err, &st):
		return st
	case errors.As(err, &unavailable):
		return unavailableStatus(unavailable)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Status{Code: 504, Reason: ReasonTimeout, Details: &StatusDetails{}, Err: err,
			Message: "Timeout: request did not complete within requested timeout - " + err.Error()}
	case errors.Is(err, store.ErrNotFound):
		return notFound(ep.what(), name)
	case errors.Is(err, store.ErrExists):
		return alreadyExists(ep.what(), name)
	case errors.As(err, &future):
		return &Status{Code: 504, Reason: ReasonTimeout, Message: "Timeout: " + future.Error(), Err: err,
			Details: &StatusDetails{RetryAfterSeconds: 1, Causes: []Cause{{Type: causeTooLargeRV, Message: "Too large resource version"}}}}
	case errors.As(err, &compacted) && compacted.Continue != "":
		st := expired("The provided continue parameter is too old to display a consistent list result. You can start a new list without the " +
			"continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the " +
			"provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first " +
			"chunk was returned and now may show up in the list.")
		st.Continue = compacted.Continue
		return st
	case errors.As(err, &compacted):
		return expired(compacted.Error())
	case errors.As(err, &size):
		return plainError(size)
	case errors.Is(err, store.ErrTooLarge):
		return plainError(store.ErrTooLarge)
	case errors.Is(err, store.ErrInvalidContinue):
		st = badRequest(err.Error())
		st.Err = err
		return st
	case errors.As(err, &key): // the namespace is "." or "..", which only storage refuses
		return plainError(errors.New("invalid key: " + strconv.Quote(strings.TrimSuffix(strings.TrimPrefix(key.Key, "/registry"), "/"))))
	}
	return internalError(err)
}
