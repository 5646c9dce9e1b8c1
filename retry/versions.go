package retry

import (
	"container/list"
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Versions caches the last known version of a bounded number of objects by a key such as
// namespace/name, with its age. It is created by [NewVersions] and safe for concurrent use.
type Versions[T any] struct {
	capacity int
	maxAge   time.Duration
	now      func() time.Time

	mu    sync.Mutex
	byKey map[string]*list.Element
	used  *list.List // of *version[T], the most recently used first
}

type version[T any] struct {
	key   string
	value T
	seen  time.Time
}

// NewVersions returns an empty cache for at most capacity objects, and at least one. Entries older
// than maxAge are dropped; 0 means no limit. now is the clock; nil is time.Now.
func NewVersions[T any](capacity int, maxAge time.Duration, now func() time.Time) *Versions[T] {
	if now == nil {
		now = time.Now
	}
	return &Versions[T]{capacity: max(capacity, 1), maxAge: maxAge, now: now, byKey: map[string]*list.Element{}, used: list.New()}
}

// Put stores the version of an object that was read or written.
func (c *Versions[T]) Put(key string, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		e.Value = &version[T]{key, value, c.now()}
		c.used.MoveToFront(e)
		return
	}
	c.byKey[key] = c.used.PushFront(&version[T]{key, value, c.now()})
	if c.used.Len() > c.capacity {
		c.remove(c.used.Back())
	}
}

// Get returns the cached version and its age.
func (c *Versions[T]) Get(key string) (value T, age time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return value, 0, false
	}
	v := e.Value.(*version[T])
	if age = c.now().Sub(v.seen); c.maxAge > 0 && age > c.maxAge {
		c.remove(e)
		return value, 0, false
	}
	c.used.MoveToFront(e)
	return v.value, age, true
}

// Forget removes an object, for example after a conflict.
func (c *Versions[T]) Forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.remove(e)
	}
}

func (c *Versions[T]) remove(e *list.Element) {
	c.used.Remove(e)
	delete(c.byKey, e.Value.(*version[T]).key)
}

// Observed reports whether a status is up to date: its observedGeneration is not older than
// the object's generation.
func Observed(object metav1.Object, observedGeneration int64) bool {
	return observedGeneration >= object.GetGeneration()
}

// WaitObserved gets an object at an interval until its controller has observed its
// generation, and returns the object. observed returns status.observedGeneration. It ends
// early with an error of get or of ctx.
func WaitObserved[T metav1.Object](ctx context.Context, interval time.Duration, get func(context.Context) (T, error), observed func(T) int64) (T, error) {
	var out T
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		var err error
		if out, err = get(ctx); err != nil {
			return false, err
		}
		return Observed(out, observed(out)), nil
	})
	return out, err
}
