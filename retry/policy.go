package retry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// Kind is a kind of error, which determines the delay before a retry.
type Kind int

const (
	// Stop is an error that a retry would encounter again.
	Stop Kind = iota
	// Conflict is a write with a resourceVersion that is not the latest (409). A conflict of
	// server-side apply with other field managers is of kind Stop: it remains until the
	// configuration changes or the apply is forced.
	Conflict
	// Busy is a server that asks the client to retry later: 429, a timeout (504), or an
	// internal error with Retry-After.
	Busy
	// Unavailable is a server that does not respond: 503, a connection refused or reset, or a timeout
	// of the client, such as that of rest.Config.
	Unavailable
)

// String returns the kind's name for logs and metrics.
func (k Kind) String() string {
	names := [...]string{"stop", "conflict", "busy", "unavailable"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// KindOf returns the kind of a client-go error. An error because a context has ended, such as that
// of the call, is of kind Stop.
func KindOf(err error) Kind {
	var network net.Error
	switch {
	case err == nil, hasContextError(err):
		return Stop
	case apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict):
		return Stop
	case apierrors.IsConflict(err):
		return Conflict
	case apierrors.IsServiceUnavailable(err), utilnet.IsConnectionRefused(err), utilnet.IsConnectionReset(err), utilnet.IsProbableEOF(err):
		return Unavailable
	case apierrors.IsTooManyRequests(err), apierrors.IsServerTimeout(err), apierrors.IsTimeout(err):
		return Busy
	case errors.As(err, &network) && network.Timeout():
		return Unavailable
	}
	if _, ok := apierrors.SuggestsClientDelay(err); ok {
		return Busy
	}
	return Stop
}

// hasContextError reports whether an error is that of a context or wraps it. Unlike errors.Is, it does not
// take the timeouts of packages net and net/http for context.DeadlineExceeded.
func hasContextError(err error) bool {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return hasContextError(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), hasContextError)
	}
	return err == context.Canceled || err == context.DeadlineExceeded
}

// Policy determines how often a call is repeated and the delays. The zero value has the
// defaults given for the fields.
type Policy struct {
	// Attempts is the maximum number of calls, including the first. The default is 10.
	Attempts int
	// Conflict, Busy and Unavailable are the delays after errors of these kinds. The
	// default of Conflict is client-go's DefaultRetry (10 ms with jitter). That of Busy
	// begins with 100 ms and doubles up to 10 s; a longer Retry-After takes precedence.
	// That of Unavailable is one second. Steps is ignored; Attempts applies to all kinds.
	Conflict, Busy, Unavailable wait.Backoff
	// KindOf classifies an error. The default is the function [KindOf].
	KindOf func(error) Kind
	// OnRetry, unless nil, is called before each delay, for logs and metrics.
	OnRetry func(Attempt)
}

// Attempt is a failed call that will be repeated.
type Attempt struct {
	Number int // of the failed call, from 1
	Kind   Kind
	Wait   time.Duration
	Err    error
}

// GaveUpError reports that the last of the permitted attempts failed, with an error for which
// a further attempt would be made.
type GaveUpError struct {
	Attempts int
	Err      error // of the last attempt
}

func (e *GaveUpError) Error() string {
	return fmt.Sprintf("gave up after %d attempts: %v", e.Attempts, e.Err)
}

// Unwrap returns the error of the last attempt.
func (e *GaveUpError) Unwrap() error { return e.Err }

// Do calls f until it succeeds, fails with an error of kind Stop, reaches the maximum
// number of attempts ([*GaveUpError]), or ctx ends. An error of kind Stop is returned
// unchanged. If ctx ends during a delay, the error wraps both the context's error and that
// of the last attempt.
//
// A call whose response was lost (Busy with a timeout, Unavailable) may have had an effect: an f
// that creates an object has to expect that it already exists.
func (p Policy) Do(ctx context.Context, f func(context.Context) error) error {
	p = p.withDefaults()
	for n := 1; ; n++ {
		err := f(ctx)
		if err == nil {
			return nil
		}
		kind := p.KindOf(err)
		if kind == Stop {
			return err
		}
		if n >= p.Attempts {
			return &GaveUpError{Attempts: n, Err: err}
		}
		d := p.wait(kind, err)
		if p.OnRetry != nil {
			p.OnRetry(Attempt{Number: n, Kind: kind, Wait: d, Err: err})
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w, after %w", ctx.Err(), err)
		}
	}
}

// wait returns the next delay for a kind; a longer Retry-After takes precedence.
func (p *Policy) wait(kind Kind, err error) time.Duration {
	b := &p.Unavailable
	switch kind {
	case Conflict:
		b = &p.Conflict
	case Busy:
		b = &p.Busy
	}
	d := b.Step()
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		d = max(d, time.Duration(seconds)*time.Second)
	}
	return d
}

func (p Policy) withDefaults() Policy {
	if p.Attempts <= 0 {
		p.Attempts = 10
	}
	if p.Conflict == (wait.Backoff{}) {
		p.Conflict = retry.DefaultRetry
	}
	if p.Busy == (wait.Backoff{}) {
		p.Busy = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.1, Cap: 10 * time.Second}
	}
	if p.Unavailable == (wait.Backoff{}) {
		p.Unavailable = wait.Backoff{Duration: time.Second, Factor: 1, Jitter: 0.1}
	}
	if p.KindOf == nil {
		p.KindOf = KindOf
	}
	for _, b := range []*wait.Backoff{&p.Conflict, &p.Busy, &p.Unavailable} {
		b.Steps = p.Attempts // a backoff without steps does not increase
	}
	return p
}
