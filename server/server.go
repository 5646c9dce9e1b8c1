package server

import (
	"context"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// kube-apiserver's defaults (--max-requests-inflight, --max-mutating-requests-inflight).
const (
	maxBody        = 3 << 20
	requestTime    = 60 * time.Second
	defaultReads   = 400
	defaultWrites  = 200
	minWatch       = 30 * time.Minute
	longestWatch   = 24 * time.Hour
	readHeaderTime = 10 * time.Second
	readTime       = 60 * time.Second
	idleTime       = 3 * time.Minute
)

// Options configure a Server. The zero value serves every client.
type Options struct {
	// Token, if not empty, is the bearer token that every request must have, unless it has the
	// token of a service account; others are answered with 401. Health checks need no token. With an
	// Authorizer, a request without any token is one of the user system:anonymous instead.
	Token string
	// TokenOptional allows requests without any token, as if Token were empty. Token is then a valid token
	// where VerifyTokens refuses others.
	TokenOptional bool
	// VerifyTokens refuses a bearer token that is neither Token nor that of a service account (401).
	// Without it, a server without Token ignores such tokens. The token of a service account that
	// is no longer valid is always refused.
	VerifyTokens bool
	// Tokens are those of the cluster ([cluster.Config]), whose public key is published at
	// /openid/v1/jwks; nil publishes none.
	Tokens *Tokens
	// ClientCAs are the authorities whose certificates authenticate clients over TLS: the common name
	// is the user, the organizations are its groups. A request without Token needs such a certificate
	// if Token is set. Certificates of other authorities are answered with 401. nil ignores them all.
	ClientCAs *x509.CertPool
	// Authorizer decides about the requests that do not reach the cluster; nil allows them.
	Authorizer Authorizer
	// Aggregation forwards requests for the versions of extension API servers, and has their discovery documents and
	// the order of all versions. With nil, the server answers all requests itself.
	Aggregation *aggregation.Aggregator
	// Hosts are the names, in addition to localhost and IP addresses, that the Host header may
	// contain. Requests with other names are refused with 403, so that a web page cannot reach
	// the server by DNS rebinding.
	Hosts []string
	// User is the user of every request that has neither the token of a service account nor a client
	// certificate, and impersonates nobody. Without a name it is system:anonymous.
	User cluster.User
	// MaxReads and MaxWrites limit the number of reads and writes that are processed
	// concurrently, measured from the end of the request body to the beginning of the
	// response. Watches do not count. Further requests are answered with 429 and Retry-After.
	// 0 or less means kube-apiserver's default, 400 and 200.
	MaxReads, MaxWrites int
	// Now returns the time from which ages in tables are computed; nil is time.Now. The headers
	// Last-Modified and Expires of OpenAPI documents always have the real time.
	Now func() time.Time
	// Wrap returns the handler that Serve uses, given the server itself. It may, for example,
	// inject failures. nil uses the server itself.
	Wrap func(http.Handler) http.Handler
	// Store adds the metrics of the store to /metrics; nil leaves them out.
	Store *StoreMetrics
	// Health returns an error if the store of the cluster does not respond. /healthz, /livez
	// and /readyz then fail with 500, and so does their single check etcd. nil means that the
	// store cannot fail, like one in memory.
	Health func(context.Context) error
	// Log is called after every request, for a watch when it has ended; nil logs nothing. It
	// must be safe for concurrent use.
	Log func(Access)
}

// Access is the log entry of a request that has been answered.
type Access struct {
	Time time.Time
	// ID is the Audit-Id of the request, which is also a header of the response: the one that
	// the client sent, or a random one.
	ID                string
	Method, UserAgent string
	// URL is the path and the query. From is the address and port of the client.
	URL, From string
	// Code is the status code of the response, and Bytes the length of its body.
	Code  int
	Bytes int64
	// Took is the time from the request's header to the end of the response.
	Took time.Duration
	// Fault describes an internal error (panic) and its location; "" if there was none.
	Fault string
}

// Cluster is the part of [cluster.Cluster] that a server needs.
type Cluster interface {
	// Do answers a request. The error is a [*cluster.Status].
	Do(context.Context, *cluster.Request) (*cluster.Response, error)
	// Read answers a get, list or watch. The error is a [*cluster.Status].
	Read(context.Context, *cluster.Request) (*cluster.Reading, error)
	// Authenticate returns the user of a service account token, and the audiences that it is for.
	Authenticate(ctx context.Context, token string, audiences ...string) (cluster.User, []string, error)
	// Kinds returns the kinds that are currently served.
	Kinds() *schema.Registry
	// CatchUp waits until Kinds includes the kinds that other servers over the same store have defined
	// before the call.
	CatchUp(context.Context) error
}

// Authorizer decides about requests that do not reach a Cluster which itself refuses what the user of
// a request may not do: those for other paths than objects, and those that are refused before. As in
// kube-apiserver, a user who may not send a request does not learn what else is wrong with it.
type Authorizer interface {
	// Authorize returns the refusal of a request for objects, a [*cluster.Status]; nil if its user may
	// send it. The request has no body, and of the options only FieldSelector and WatchByPath.
	Authorize(context.Context, *cluster.Request) error
	// AuthorizePath returns the refusal of a request for another path; nil if the user may send it.
	// The verb is the method in lower case. The impersonator is the zero User if nobody impersonates
	// the user.
	AuthorizePath(ctx context.Context, u, impersonator cluster.User, verb, path string) error
}

// Server is an http.Handler for the complete API. It is safe for concurrent use.
type Server struct {
	cluster       Cluster
	options       Options
	reads, writes slots
	bodies        *budget
	metrics       *metrics
	documents     documents
	stopping      atomic.Bool
}

// New returns a server for the cluster.
func New(c Cluster, o Options) *Server {
	if o.User.Name == "" {
		o.User = cluster.User{Name: names.Anonymous, Groups: []string{names.Unauthenticated}}
	}
	if o.MaxReads <= 0 {
		o.MaxReads = defaultReads
	}
	if o.MaxWrites <= 0 {
		o.MaxWrites = defaultWrites
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{
		cluster: c, options: o, metrics: newMetrics(),
		reads: make(slots, o.MaxReads), writes: make(slots, o.MaxWrites), bodies: newBudget(bodyMemory),
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w := &writer{ResponseWriter: out}
	start := time.Now()
	defer s.finish(w, r, start)
	w.Header().Set("Cache-Control", "no-cache, private")
	w.Header().Set(auditID, requestID(r))
	var err error
	if w.limit, err = timeFor(r); err != nil {
		s.fail(w, r, err)
		return
	}
	public := s.options.Authorizer == nil || r.Method == http.MethodGet && strings.Count(r.URL.Path, "/") == 1
	if _, err := s.impersonate(r); err == nil && public && s.health(w, r) {
		return
	}
	if err := s.checkOrigin(r); err != nil {
		s.fail(w, r, err)
		return
	}
	r, authenticated := s.authenticate(w, r)
	if !authenticated {
		s.fail(w, r, &cluster.Status{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"})
		return
	}
	if r, err = s.impersonate(r); err != nil {
		w.Header().Set(contentTypeOptions, noSniff)
		s.fail(w, r, err)
		return
	}
	if s.options.Authorizer != nil {
		if err := s.authorizePath(r); err != nil {
			w.Header().Set(contentTypeOptions, noSniff)
			s.fail(w, r, err)
			return
		}
		if s.health(w, r) {
			return
		}
	}
	if !writes(r) && !isWatch(r) && !s.admit(w, r, s.reads) {
		return
	}
	s.route(w, r)
}

// auditID is the header with the identifier of a request, as in kube-apiserver.
const auditID = "Audit-Id"

// maxAuditID is the maximum length of an identifier from a client. Only letters, digits and
// hyphens are accepted, so that it cannot corrupt the log.
const maxAuditID = 64

// requestID returns the identifier that the client sent, or a random UUID as kube-apiserver does.
func requestID(r *http.Request) string {
	id := r.Header.Get(auditID)
	other := func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}
	if id == "" || len(id) > maxAuditID || strings.IndexFunc(id, other) >= 0 {
		return cluster.NewUID()
	}
	return id
}

// finish answers a panic with 500, and counts and logs the request.
func (s *Server) finish(w *writer, r *http.Request, start time.Time) {
	defer func() {
		w.leave()
		s.bodies.give(w.held)
	}()
	fault, broken := "", false
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p) // net/http then closes the connection without a log entry, as the handler wants
		}
		broken = w.code != 0
		s.metrics.panics.Add(1)
		fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
		if w.code == 0 {
			s.fail(w, r, &cluster.Status{
				Code: http.StatusInternalServerError, Reason: cluster.ReasonInternal,
				Message: "this request caused an internal error, which is a bug in patchlab: please report it with the request",
			})
		}
	}
	took := time.Since(start)
	s.metrics.observe(w, r, took)
	if s.options.Log != nil {
		s.options.Log(Access{
			Time: start, ID: w.Header().Get(auditID), Method: r.Method, URL: r.URL.RequestURI(), From: r.RemoteAddr, UserAgent: r.UserAgent(),
			Code: w.code, Bytes: w.bytes, Took: took, Fault: fault,
		})
	}
	if broken {
		panic(http.ErrAbortHandler) // closes the connection, because what was sent is not the whole response
	}
}

// authenticate reports whether the request has a valid token, if the server requires one. With the
// token of a service account or the certificate of a client, the request returned has that user.
func (s *Server) authenticate(w *writer, r *http.Request) (*http.Request, bool) {
	user, certified, invalid := s.certificateUser(r)
	if certified {
		return identity{user: user}.of(r), true
	}
	token, spaced := bearerToken(r)
	if token == "" {
		inProtocol, others, ok := protocolToken(r)
		if !ok {
			return r, false
		}
		if token = inProtocol; token != "" {
			r = withoutToken(r, others)
		}
	}
	if spaced {
		warn(w.Header(), []string{"the provided Authorization header contains extra space before the bearer token, and is ignored"})
	}
	open := s.options.Token == "" || s.options.TokenOptional
	switch {
	case token != "":
	case open || invalid != nil:
		return r, invalid == nil
	case s.options.Authorizer != nil: // which decides about them, as in kube-apiserver unless it allows everything
		return identity{user: cluster.User{Name: names.Anonymous, Groups: []string{names.Unauthenticated}}}.of(r), true
	default:
		return r, false
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1 {
		return r, true
	}
	user, _, err := s.cluster.Authenticate(r.Context(), token)
	switch {
	case errors.Is(err, cluster.ErrNotIssued):
		return r, open && !s.options.VerifyTokens && invalid == nil
	case err != nil: // a client whose account is gone must not become the one that Options.User is
		return r, false
	}
	return identity{user: user}.of(r), true
}

// bearerToken returns the bearer token of a request, "" for none. As in kube-apiserver, exactly one
// space precedes it, and what follows a second one is ignored.
func bearerToken(r *http.Request) (token string, spaced bool) {
	parts := strings.SplitN(strings.TrimSpace(r.Header.Get("Authorization")), " ", 3)
	if len(parts) < 2 || !strings.EqualFold(parts[0], "Bearer") {
		return "", false
	}
	return parts[1], parts[1] == ""
}

// writer is the http.ResponseWriter of a request. It records the response's status code and
// size, and the limits that the request occupies.
type writer struct {
	http.ResponseWriter
	code  int
	bytes int64
	// limit is the time limit of the request, unless it is a watch.
	limit time.Duration
	// slot is the limit in which the request has a slot, nil for none; held is the number of
	// bytes that its body takes of the budget.
	slot slots
	held int
	// kind holds the metric labels of the request, and conflict the kind of conflict with
	// which it was refused, "" for none.
	kind     requestKind
	conflict string
}

// WriteHeader begins the response and releases the request's slot. A code that HTTP does not have, of a webhook's refusal or
// of an extension API server, closes the connection, as in kube-apiserver.
func (w *writer) WriteHeader(code int) {
	if code < 100 || code > 999 {
		panic(http.ErrAbortHandler)
	}
	if w.code == 0 {
		w.code = code
	}
	w.leave()
	w.ResponseWriter.WriteHeader(code)
}

func (w *writer) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
