package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

// The limits of kube-apiserver, which apply where Options set none.
const (
	maxBody        = 3 << 20
	requestTime    = 60 * time.Second
	defaultReads   = 400
	defaultWrites  = 200
	minWatch       = 30 * time.Minute
	readHeaderTime = 10 * time.Second
	readTime       = 60 * time.Second
	idleTime       = 3 * time.Minute
)

// Options configure a Server. The zero value serves every client.
type Options struct {
	// Token, where it is not empty, has to come with every request as a bearer
	// token; other requests are answered 401. Health checks need none.
	Token string
	// Hosts are names, beside localhost and IP addresses, by which clients may
	// call the server in the Host header. Others are refused with 403, so that
	// a web page cannot reach the server by letting its own name resolve to it.
	Hosts []string
	// User is the user attributed to every request, as the server does not
	// authenticate users. CertificateSigningRequests record it. Without a name it is
	// system:anonymous.
	User cluster.User
	// MaxReads and MaxWrites bound how many requests that read and that write
	// are processed at once, from the end of the body to the begin of the answer.
	// Watches are not counted. More are answered 429 with Retry-After. 0 or less
	// is kube-apiserver's default, 400 and 200.
	MaxReads, MaxWrites int
	// Now is the clock from which ages in tables are computed; nil is time.Now.
	Now func() time.Time
	// Wrap returns the handler that Serve gives requests to, given the server itself,
	// such as one that fails some of them; nil is the server itself.
	Wrap func(http.Handler) http.Handler
	// Store counts the calls of the store for /metrics; nil leaves them out.
	Store *StoreMetrics
	// Log is called after every request, for a watch when it has ended; nil
	// logs nothing. It may be called from many goroutines.
	Log func(Access)
}

// Access is one request that was answered.
type Access struct {
	Time time.Time
	// ID is the Audit-Id of the request, which is returned as a header: the one that
	// the client sent, or a random one.
	ID                string
	Method, URL, From string
	UserAgent         string
	Code              int
	Bytes             int64
	Took              time.Duration
	// Fault is what went wrong in the server's own code and where, "" for nothing.
	Fault string
}

// Cluster is what a server asks of a cluster; [cluster.Cluster] is one.
type Cluster interface {
	// Do answers a request about objects. An error is a [*cluster.Status].
	Do(context.Context, *cluster.Request) (*cluster.Response, error)
	// Read answers a get, a list or a watch. An error is a [*cluster.Status].
	Read(context.Context, *cluster.Request) (*cluster.Reading, error)
	// Kinds are those that are served now.
	Kinds() *schema.Registry
}

// Server is an http.Handler for the whole API. It is safe for concurrent use.
type Server struct {
	cluster       Cluster
	options       Options
	reads, writes slots
	bodies        *budget
	metrics       *metrics
	documents     documents
	stopping      atomic.Bool
}

// New returns a server for a cluster.
func New(c Cluster, o Options) *Server {
	if o.User.Name == "" {
		o.User = cluster.User{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}
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
	if s.health(w, r) {
		return
	}
	if err := s.checkOrigin(r); err != nil {
		s.fail(w, r, err)
		return
	}
	if !s.authorized(r) {
		s.fail(w, r, &cluster.Status{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"})
		return
	}
	if !writes(r) && !isWatch(r) && !s.admit(w, r, s.reads) {
		return
	}
	s.route(w, r)
}

// auditID is the header that identifies a request in the log, as in kube-apiserver.
const auditID = "Audit-Id"

// maxAuditID is the longest identifier that is taken from a client. It has letters,
// digits and hyphens only, so that it cannot break the log.
const maxAuditID = 64

// requestID returns the identifier that the client sent, or a random one.
func requestID(r *http.Request) string {
	id := r.Header.Get(auditID)
	other := func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}
	if id == "" || len(id) > maxAuditID || strings.IndexFunc(id, other) >= 0 {
		return rand.Text()
	}
	return id
}

// finish turns a panic into a 500 and counts and logs the request.
func (s *Server) finish(w *writer, r *http.Request, start time.Time) {
	fault := ""
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		s.metrics.panics.Add(1)
		fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
		if w.code == 0 {
			s.fail(w, r, &cluster.Status{
				Code: http.StatusInternalServerError, Reason: cluster.ReasonInternal,
				Message: "this request caused a fault in the server, which is a bug: please report it with the request",
			})
		}
	}
	w.leave()
	s.bodies.give(w.held)
	took := time.Since(start)
	s.metrics.observe(w, r, took)
	if s.options.Log != nil {
		s.options.Log(Access{
			Time: start, ID: w.Header().Get(auditID), Method: r.Method, URL: r.URL.RequestURI(), From: r.RemoteAddr, UserAgent: r.UserAgent(),
			Code: w.code, Bytes: w.bytes, Took: took, Fault: fault,
		})
	}
}

func (s *Server) authorized(r *http.Request) bool {
	if s.options.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") &&
		subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(s.options.Token)) == 1
}

// writer counts what a handler writes, and knows what the request holds.
type writer struct {
	http.ResponseWriter
	code  int
	bytes int64
	// slot is the limit that counts the request, nil for none; held is the part of the
	// memory budget that its body uses.
	slot slots
	held int
	// kind is what the request is counted by, and conflict why it was refused
	// with a conflict, "" if it was not.
	kind     requestKind
	conflict string
}

// WriteHeader begins the answer, which ends the processing of the request.
func (w *writer) WriteHeader(code int) {
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

// Unwrap lets http.ResponseController reach the writer beneath.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
