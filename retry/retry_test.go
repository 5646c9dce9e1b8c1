package retry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/patchlab-dev/patchlab/retry"
)

var maps = schema.GroupResource{Resource: "configmaps"}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		why  string
		err  error
		want retry.Kind
	}{
		{"no error", nil, retry.Stop},
		{"a stale resourceVersion", apierrors.NewConflict(maps, "a", errors.New("modified")), retry.Conflict},
		{"an apply that conflicts with other managers", apierrors.NewApplyConflict([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Field: ".data.a"}}, "conflict"), retry.Stop},
		{"the name already exists", apierrors.NewAlreadyExists(maps, "a"), retry.Stop},
		{"too many requests", apierrors.NewTooManyRequests("later", 1), retry.Busy},
		{"the server has timed out", apierrors.NewTimeoutError("etcd", 0), retry.Busy},
		{"the server asks to try again", apierrors.NewServerTimeout(maps, "get", 0), retry.Busy},
		{"an internal error with Retry-After", apierrors.NewGenericServerResponse(500, "get", maps, "a", "", 3, true), retry.Busy},
		{"unavailable", apierrors.NewServiceUnavailable("down"), retry.Unavailable},
		{"nothing listens", sent(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), retry.Unavailable},
		{"the connection was reset", sent(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), retry.Unavailable},
		{"the connection ended", sent(io.EOF), retry.Unavailable},
		{"no such host", sent(&net.OpError{Op: "dial", Err: &net.DNSError{Name: "a", IsNotFound: true}}), retry.Stop},
		{"not found", apierrors.NewNotFound(maps, "a"), retry.Stop},
		{"the caller's context has ended", context.DeadlineExceeded, retry.Stop},
	} {
		if got := retry.KindOf(c.err); got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}

// sent returns the error of a client whose request failed as given.
func sent(err error) error {
	return &url.Error{Op: "Get", URL: "http://127.0.0.1:1/api", Err: err}
}

// TestKindOfTimeouts: errors.Is finds context.DeadlineExceeded in the timeouts of a client too.
func TestKindOfTimeouts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	_, slow := (&http.Client{Timeout: time.Millisecond}).Get(server.URL)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, ended := http.DefaultClient.Do(request)
	for _, c := range []struct {
		why  string
		err  error
		want retry.Kind
	}{
		{"the client's timeout", slow, retry.Unavailable},
		{"the end of the call's context", ended, retry.Stop},
		{"the end of the call's context, beside another error", errors.Join(errors.New("a"), ended), retry.Stop},
	} {
		if got := retry.KindOf(c.err); got != c.want {
			t.Errorf("%s (%v): got %v, want %v", c.why, c.err, got, c.want)
		}
	}
}

func TestNamesOfKinds(t *testing.T) {
	for kind, want := range map[retry.Kind]string{retry.Stop: "stop", retry.Unavailable: "unavailable", retry.Unavailable + 1: "unknown", -1: "unknown"} {
		if got := kind.String(); got != want {
			t.Errorf("%d: %s, want %s", int(kind), got, want)
		}
	}
}

// TestEachKindHasItsOwnDelay: each kind has its own delay, and a longer Retry-After takes precedence.
func TestEachKindHasItsOwnDelay(t *testing.T) {
	for _, c := range []struct {
		why         string
		err         error
		least, most time.Duration
	}{
		{"short delays after conflicts", apierrors.NewConflict(maps, "a", nil), 40 * time.Millisecond, 50 * time.Millisecond},
		{"doubled delays for busy servers", apierrors.NewTooManyRequests("", 0), 1500 * time.Millisecond, 1700 * time.Millisecond},
		{"Retry-After is obeyed", apierrors.NewTooManyRequests("", 7), 28 * time.Second, 28 * time.Second},
		{"constant delays for unavailable servers", apierrors.NewServiceUnavailable(""), 4 * time.Second, 4500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, calls, retries, waits := time.Now(), 0, 0, time.Duration(0)
			p := retry.Policy{Attempts: 5, OnRetry: func(a retry.Attempt) {
				retries++
				waits += a.Wait
				if a.Number != retries || a.Kind != retry.KindOf(c.err) || a.Err != c.err {
					t.Errorf("%s: retry %d is reported as %+v", c.why, retries, a)
				}
			}}
			err := p.Do(t.Context(), func(context.Context) error {
				calls++
				return c.err
			})
			var gaveUp *retry.GaveUpError
			if !errors.As(err, &gaveUp) || gaveUp.Attempts != 5 || !errors.Is(err, c.err) || calls != 5 || retries != 4 {
				t.Errorf("%s: %d calls, %d retries, %v", c.why, calls, retries, err)
			}
			if took := time.Since(begin); took < c.least || took > c.most || took != waits {
				t.Errorf("%s: it took %v, want %v to %v, and %v were reported", c.why, took, c.least, c.most, waits)
			}
		})
	}
}

// TestAttemptsWithoutAPolicy: a policy without a number of attempts has the documented one.
func TestAttemptsWithoutAPolicy(t *testing.T) {
	for _, attempts := range []int{0, -1} {
		synctest.Test(t, func(t *testing.T) {
			err := retry.Policy{Attempts: attempts}.Do(t.Context(), func(context.Context) error { return apierrors.NewConflict(maps, "a", nil) })
			if gaveUp := (*retry.GaveUpError)(nil); !errors.As(err, &gaveUp) || gaveUp.Attempts != 10 {
				t.Errorf("with %d: %v", attempts, err)
			}
		})
	}
	if err := (retry.Policy{Attempts: 1}).Do(t.Context(), func(context.Context) error { return apierrors.NewConflict(maps, "a", nil) }); err == nil || !strings.Contains(err.Error(), "gave up after 1 attempts") {
		t.Errorf("with 1: %v", err)
	}
}

func TestContextEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		err := retry.Policy{}.Do(ctx, func(context.Context) error { return apierrors.NewServiceUnavailable("down") })
		if !errors.Is(err, context.DeadlineExceeded) || !apierrors.IsServiceUnavailable(err) {
			t.Errorf("got %v", err)
		}
	})
}

func TestChangeMayRefuse(t *testing.T) {
	refused, puts := apierrors.NewConflict(maps, "a", errors.New("the caller's own")), 0
	_, err := retry.Update(t.Context(), retry.Policy{},
		func(context.Context) (*metav1.ObjectMeta, error) { return &metav1.ObjectMeta{}, nil },
		func(*metav1.ObjectMeta) error { return refused },
		func(_ context.Context, o *metav1.ObjectMeta) (*metav1.ObjectMeta, error) { puts++; return o, nil })
	if !errors.Is(err, refused) || puts != 0 {
		t.Errorf("got %v and %d puts", err, puts)
	}
}

func TestCompareAndSwapReturnsConflicts(t *testing.T) {
	puts := 0
	_, err := retry.CompareAndSwap(t.Context(), retry.Policy{}, "7", &metav1.ObjectMeta{}, func(_ context.Context, o *metav1.ObjectMeta) (*metav1.ObjectMeta, error) {
		if puts++; o.ResourceVersion != "7" {
			t.Errorf("the version is %q", o.ResourceVersion)
		}
		return nil, apierrors.NewConflict(maps, "a", nil)
	})
	if !apierrors.IsConflict(err) || puts != 1 {
		t.Errorf("got %v after %d puts", err, puts)
	}
}

func TestBatchIsBounded(t *testing.T) {
	for _, c := range []struct {
		concurrency, want int
	}{{4, 4}, {1, 1}, {0, 1}, {-1, 1}, {100, 50}} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			failed := errors.New("failed")
			var seen []int
			begin := time.Now()
			errs := retry.Batch(t.Context(), make([]int, 50), c.concurrency, func(context.Context, int) error {
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				defer now.Add(-1)
				time.Sleep(time.Second)
				return failed
			}, func(done, of int) {
				if of != 50 {
					t.Errorf("progress: %d of %d", done, of)
				}
				seen = append(seen, done)
			})
			rounds := (50 + c.want - 1) / c.want
			if took := time.Since(begin); most.Load() != int64(c.want) || took != time.Duration(rounds)*time.Second {
				t.Errorf("concurrency %d: %d calls at a time in %v, want %d in %d s", c.concurrency, most.Load(), took, c.want, rounds)
			}
			if len(errs) != 50 || len(seen) != 50 || !slices.IsSorted(seen) || seen[49] != 50 {
				t.Errorf("%d errors, progress %v", len(errs), seen)
			}
			for i, err := range errs {
				if !errors.Is(err, failed) {
					t.Errorf("item %d: %v", i, err)
				}
			}
		})
	}
}

func TestBatchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	errs := retry.Batch(ctx, []string{"a", "b", "c"}, 1, func(context.Context, string) error {
		calls++
		cancel()
		return nil
	}, nil)
	if calls != 1 || errs[0] != nil || !errors.Is(errs[2], context.Canceled) {
		t.Errorf("%d calls, %v", calls, errs)
	}
}

func TestVersionsAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	c := retry.NewVersions[int](2, time.Minute, func() time.Time { return now })
	c.Put("a", 1)
	c.Put("b", 2)
	now = now.Add(40 * time.Second)
	if v, age, ok := c.Get("a"); v != 1 || age != 40*time.Second || !ok {
		t.Error(v, age, ok)
	}
	c.Put("c", 3) // b was the least recently used
	if _, _, ok := c.Get("b"); ok {
		t.Error("three versions are kept")
	}
	now = now.Add(40 * time.Second)
	if _, _, ok := c.Get("a"); ok {
		t.Error("a version of 80 s is kept")
	}
	c.Forget("c")
	if _, _, ok := c.Get("c"); ok {
		t.Error("a forgotten version is kept")
	}
	c.Put("d", 4)
	c.Put("e", 5)
	c.Put("d", 6)
	c.Put("f", 7) // e was the least recently used, because d was put again
	if v, _, ok := c.Get("d"); v != 6 || !ok {
		t.Errorf("the version that was put again is %d, %t", v, ok)
	}
	least := retry.NewVersions[int](0, 0, nil)
	least.Put("a", 1)
	if _, _, ok := least.Get("a"); !ok {
		t.Error("a cache for no objects does not keep one")
	}
}

func TestWaitObserved(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		why      string
		observed []int64 // what each get returns; an error after the last
		timeout  time.Duration
		want     error
		took     time.Duration
	}{
		{"observed before", []int64{3}, time.Hour, nil, 0},
		{"observed by the third get", []int64{1, 2, 3}, time.Hour, nil, 2 * time.Second},
		{"observed a later generation", []int64{4}, time.Hour, nil, 0},
		{"an error", []int64{1}, time.Hour, failed, time.Second},
		{"the end of the context", []int64{1, 1, 1, 1}, 1500 * time.Millisecond, context.DeadlineExceeded, 1500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
			defer cancel()
			begin, gets := time.Now(), 0
			object, err := retry.WaitObserved(ctx, time.Second, func(context.Context) (*metav1.ObjectMeta, error) {
				if gets++; gets > len(c.observed) {
					return nil, failed
				}
				return &metav1.ObjectMeta{Generation: 3}, nil
			}, func(*metav1.ObjectMeta) int64 { return c.observed[gets-1] })
			if took := time.Since(begin); !errors.Is(err, c.want) || took != c.took || err == nil && object == nil {
				t.Errorf("%s: %v, %v after %v, want %v after %v", c.why, object, err, took, c.want, c.took)
			}
		})
	}
}
