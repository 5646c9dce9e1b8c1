package aggregation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
)

// The times of kube-apiserver's availability controllers (k8s.io/kube-aggregator/pkg/controllers/status).
const (
	checkInterval = 30 * time.Second
	firstRecheck  = 5 * time.Millisecond
	answerTime    = 5 * time.Second
	// attempts is the number of concurrent requests of a check, of which one has to succeed.
	attempts = 5
)

// The status of a condition.
const (
	statusTrue    = "True"
	statusFalse   = "False"
	statusUnknown = "Unknown"
)

// availableType is the type of the condition.
const availableType = "Available"

// condition is the condition Available of an APIService.
type condition struct{ status, reason, message string }

var (
	localAvailability = condition{statusTrue, "Local", "Local APIServices are always available"}
	allPassed         = condition{statusTrue, "Passed", "all checks passed"}
)

// availability returns the condition Available of an APIService, which may be absent.
func availability(object document.Value) document.Value {
	for _, c := range object.Lookup("status", "conditions").Items() {
		if c.Get("type").StringOr("") == availableType {
			return c
		}
	}
	return document.Value{}
}

// isIn reports whether an APIService has the condition.
func (c condition) isIn(object document.Value) bool {
	has := availability(object)
	return condition{has.Get("status").StringOr(""), has.Get("reason").StringOr(""), has.Get("message").StringOr("")} == c
}

// setIn returns an APIService with the condition. Its lastTransitionTime changes only with its status.
func (c condition) setIn(object document.Value, now time.Time) document.Value {
	set := document.NewObject().With("type", document.NewString(availableType)).With("status", document.NewString(c.status)).
		With("lastTransitionTime", document.NewString(now.UTC().Format(time.RFC3339))).
		With("reason", document.NewString(c.reason)).With("message", document.NewString(c.message))
	var conditions document.ListBuilder
	found := false
	for _, other := range object.Lookup("status", "conditions").Items() {
		if found || other.Get("type").StringOr("") != availableType {
			conditions.Append(other)
			continue
		}
		found = true
		if other.Get("status").StringOr("") == c.status {
			set = set.With("lastTransitionTime", other.Get("lastTransitionTime"))
		}
		conditions.Append(set)
	}
	if !found {
		conditions.Append(set)
	}
	return object.Set(conditions.List(), "status", "conditions")
}

// report sets the condition of an APIService, unless it has it, or connects to another service than the registration of
// which the condition was found.
func (a *Aggregator) report(ctx context.Context, of registration, c condition) error {
	request := apiServices.request(cluster.Get)
	request.Name = of.name
	got, err := a.cluster.Do(ctx, request)
	if err != nil {
		return err
	}
	now := registrationOf(got.Object)
	if (of.service != nil || now.service != nil) && !now.connectsAs(of) || c.isIn(got.Object) {
		return nil
	}
	request.Verb, request.Subresource = cluster.Update, "status"
	request.Document = &document.Document{Root: c.setIn(got.Object, a.cluster.Now())}
	_, err = a.cluster.Do(ctx, request)
	return err
}

// check determines whether the service of an APIService is available, and sets the condition. It returns an error if
// the service does not answer, so that it is soon asked again.
func (b *Backend) check(ctx context.Context) error {
	r := b.current.Load()
	c, ok := b.aggregator.checkService(ctx, *r.service)
	var failed error
	if ok {
		if r.err != nil {
			return r.err // kube-apiserver then leaves the condition as it is
		}
		if failed = b.askAll(ctx, r); failed != nil {
			c = condition{statusFalse, "FailedDiscoveryCheck", failed.Error()}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(b.aggregator.report(ctx, r.registration, c), failed)
}

// checkService looks for what the service needs in the cluster. ok is true if nothing is missing.
func (a *Aggregator) checkService(ctx context.Context, s serviceReference) (c condition, ok bool) {
	if a.options.Service != nil {
		return allPassed, true
	}
	service, err := a.service(ctx, s)
	switch {
	case isNotFound(err):
		return condition{statusFalse, "ServiceNotFound", fmt.Sprintf("service/%s in %q is not present", s.name, s.namespace)}, false
	case err != nil:
		return condition{statusUnknown, "ServiceAccessError", fmt.Sprintf("service/%s in %q cannot be checked due to: %v", s.name, s.namespace, err)}, false
	case service.Lookup("spec", "type").StringOr("") != "ClusterIP":
		return allPassed, true
	}
	port, listens := kinds.ServicePortName(service, int64(s.port))
	if !listens {
		return condition{statusFalse, "ServicePortError", fmt.Sprintf("service/%s in %q is not listening on port %d", s.name, s.namespace, s.port)}, false
	}
	slices, err := a.endpointSlices(ctx, s)
	switch {
	case err != nil:
		return condition{statusUnknown, "EndpointsAccessError", fmt.Sprintf("service/%s in %q cannot be checked due to: %v", s.name, s.namespace, err)}, false
	case len(slices) == 0:
		return condition{statusFalse, "EndpointsNotFound", fmt.Sprintf("cannot find endpointslices for service/%s in %q", s.name, s.namespace)}, false
	case len(readyAddresses(slices, port)) == 0:
		return condition{statusFalse, "MissingEndpoints", fmt.Sprintf("endpointslices for service/%s in %q have no addresses with port name %q", s.name, s.namespace, port)}, false
	}
	return allPassed, true
}

// askAll requests the discovery document of the version several times at once, because the endpoints of a service may
// differ. It returns nil with the first success, otherwise the last error. The other requests run to their end, so that the
// service sees no broken connections.
func (b *Backend) askAll(ctx context.Context, r *connection) error {
	results := make(chan error, attempts)
	for range attempts {
		go func() { results <- b.ask(ctx, r) }()
	}
	var last error
	for range attempts {
		if last = <-results; last == nil {
			return nil
		}
	}
	return last
}

// ask requests the discovery document of the version, which every API server has.
func (b *Backend) ask(ctx context.Context, r *connection) error {
	location, err := b.aggregator.locate(ctx, *r.service)
	if err != nil {
		return err
	}
	location.Path = r.path()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location.String(), nil)
	if err != nil {
		return err
	}
	setUser(request.Header, aggregatorUser(true))
	client := &http.Client{
		Transport: r.transport, Timeout: answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
		if response.StatusCode < 200 || response.StatusCode > 299 {
			err = fmt.Errorf("bad status from %v: %d", location, response.StatusCode)
		}
	}
	if err != nil {
		r.transport.CloseIdleConnections()
		return fmt.Errorf("failing or missing response from %v: %w", location, err)
	}
	return nil
}

func isNotFound(err error) bool {
	var status *cluster.Status
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}
