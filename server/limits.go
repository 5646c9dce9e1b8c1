package server

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/patchlab-dev/patchlab/cluster"
)

const (
	// smallBody is how much of every body is read without counting it.
	smallBody = 64 << 10
	// bodyMemory bounds what all bodies together hold beyond that, in bytes.
	bodyMemory = 256 << 20
)

// errBusy is the answer to a request for which there is no room now.
var errBusy = &cluster.Status{
	Code: http.StatusTooManyRequests, Reason: "TooManyRequests",
	Message: "Too many requests, please try again later.",
	Details: &cluster.StatusDetails{RetryAfterSeconds: 1},
}

// slots bounds how many requests of a kind are processed at once. A slot is held
// from the end of the body to the begin of the answer, so that clients that send
// or read slowly keep none.
type slots chan struct{}

// admit takes a slot for a request, or answers it with errBusy.
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

// leave gives the slot of a request back, if it has one.
func (w *writer) leave() {
	if w.slot != nil {
		<-w.slot
		w.slot = nil
	}
}

// budget bounds the bytes that requests hold together.
type budget struct {
	mu   sync.Mutex
	free int
}

func newBudget(bytes int) *budget { return &budget{free: bytes} }

// take reports whether there were n bytes left, which then are taken.
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

// errTooLarge is the answer to a body above the limit, in kube-apiserver's words.
var errTooLarge = &cluster.Status{
	Code: http.StatusRequestEntityTooLarge, Reason: cluster.ReasonTooLarge,
	Message: "Request entity too large: limit is 3145728",
}

// readAll reads the body of a request. The buffer grows as the bytes come, not
// with the length that the client announces, and what exceeds a small body counts
// against the server's budget until the request is answered.
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
			return nil, badRequest("the body of the request could not be read: " + err.Error())
		}
	}
}
