package server

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/patchlab-dev/patchlab/cluster"
)

const (
	// smallBody is the number of bytes of each body that do not count against bodyMemory.
	smallBody = 64 << 10
	// bodyMemory is the maximum total size of all bodies beyond that, in bytes.
	bodyMemory = 256 << 20
)

// errBusy is the response when a limit is reached: 429 (Too Many Requests).
var errBusy = &cluster.Status{
	Code: http.StatusTooManyRequests, Reason: cluster.ReasonTooManyRequests,
	Message: "Too many requests, please try again later.",
	Details: &cluster.StatusDetails{RetryAfterSeconds: 1},
}

// slots limits the number of requests that are processed concurrently. A request has a slot
// from the end of its body to the beginning of its response, so that clients that send or read
// slowly do not occupy one.
type slots chan struct{}

// admit acquires a slot for a request, or answers it with errBusy.
func (s *Server) admit(w *writer, r *http.Request, free slots) bool {
	select {
	case free <- struct{}{}:
		w.slot = free
		return true
	default:
		s.fail(w, r, errBusy)
		return false
	}
}

// leave releases the slot of a request, if it has one.
func (w *writer) leave() {
	if w.slot != nil {
		<-w.slot
		w.slot = nil
	}
}

// budget limits the number of bytes that all requests hold together.
type budget struct {
	mu   sync.Mutex
	free int
}

func newBudget(bytes int) *budget { return &budget{free: bytes} }

// take acquires n bytes and reports whether they were available.
func (b *budget) take(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.free {
		return false
	}
	b.free -= n
	return true
}

func (b *budget) give(n int) {
	if n > 0 {
		b.mu.Lock()
		b.free += n
		b.mu.Unlock()
	}
}

// errTooLarge is the response to a body above the limit, with kube-apiserver's message.
var errTooLarge = &cluster.Status{
	Code: http.StatusRequestEntityTooLarge, Reason: cluster.ReasonTooLarge,
	Message: "Request entity too large: limit is 3145728",
}

// readAll reads the body of a request. The buffer grows with the received bytes, and not to
// the announced length. What exceeds smallBody counts against the server's budget until the
// request is answered.
func (s *Server) readAll(w *writer, r *http.Request) ([]byte, error) {
	body := http.MaxBytesReader(w, r.Body, maxBody)
	data := make([]byte, 0, min(max(r.ContentLength+1, 512), smallBody))
	for {
		if len(data) == cap(data) {
			size := min(2*cap(data), maxBody+1)
			if more := size - max(smallBody, cap(data)); more > 0 {
				if !s.bodies.take(more) {
					return nil, errBusy
				}
				w.held += more
			}
			data = append(make([]byte, 0, size), data...)
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		var tooLarge *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case errors.As(err, &tooLarge):
			return nil, errTooLarge
		case err != nil:
			return nil, badRequest("failed to read the request body: " + err.Error())
		}
	}
}
