package clients

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestLeaderElectionHandsOver has candidates lead in turn, each for one term. Some
// leaders resign; others lose the connection to the server and must stop by themselves,
// after which their lease expires. There must never be two leaders.
func TestLeaderElectionHandsOver(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	const candidates, terms = 8, 7
	e := &election{t: t, ns: ns, over: make(chan struct{}), terms: terms}
	var g sync.WaitGroup
	for i := range candidates {
		g.Go(func() { e.candidacy(cfg, fmt.Sprintf("candidate-%d", i)) })
	}
	select {
	case <-e.over:
	case <-time.After(90 * time.Second):
		t.Errorf("only %d of %d terms began in 90 s", e.served.Load(), terms)
		e.end()
	}
	g.Wait()

	lease, err := kubernetes.NewForConfigOrDie(cfg).CoordinationV1().Leases(ns).Get(t.Context(), "lead", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if lease.Spec.LeaseTransitions == nil || *lease.Spec.LeaseTransitions < terms-1 {
		t.Errorf("the lease has %v transitions after %d terms", lease.Spec.LeaseTransitions, e.served.Load())
	}
}

type election struct {
	t       *testing.T
	ns      string
	leaders atomic.Int32
	served  atomic.Int32
	terms   int32
	once    sync.Once
	over    chan struct{}
}

func (e *election) end() { e.once.Do(func() { close(e.over) }) }

// candidacy runs a candidate until it has been elected and its term is over.
func (e *election) candidacy(cfg *rest.Config, name string) {
	var cut atomic.Bool
	own := rest.CopyConfig(cfg)
	own.Wrap(func(rt http.RoundTripper) http.RoundTripper { return severable{rt, &cut} })
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), klog.Logger{}))
	defer cancel()
	go func() {
		select {
		case <-e.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	var started atomic.Bool
	done := make(chan struct{})
	le, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: e.ns, Name: "lead"},
			Client:     kubernetes.NewForConfigOrDie(own).CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		},
		LeaseDuration:   3 * time.Second,
		RenewDeadline:   time.Second,
		RetryPeriod:     100 * time.Millisecond,
		ReleaseOnCancel: true,
		Name:            name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				defer close(done)
				started.Store(true)
				e.lead(ctx, cancel, &cut, name)
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		e.t.Error(err)
		e.end()
		return
	}
	le.Run(ctx)
	if started.Load() {
		<-done
	}
}

// lead is the work of a leader. It counts the leaders. Every third leader is
// disconnected from the server during its work; the others resign.
func (e *election) lead(ctx context.Context, resign func(), cut *atomic.Bool, name string) {
	if n := e.leaders.Add(1); n != 1 {
		e.t.Errorf("%s is leader, one of %d", name, n)
	}
	term := e.served.Add(1)
	if term >= e.terms {
		e.end()
	}
	if term%3 == 0 {
		cut.Store(true)
		<-ctx.Done()
		e.leaders.Add(-1)
		return
	}
	time.Sleep(50 * time.Millisecond)
	e.leaders.Add(-1)
	resign()
}

// severable is a RoundTripper whose connection can be cut.
type severable struct {
	http.RoundTripper
	cut *atomic.Bool
}

func (s severable) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.cut.Load() {
		return nil, errors.New("the connection is cut")
	}
	return s.RoundTripper.RoundTrip(r)
}
