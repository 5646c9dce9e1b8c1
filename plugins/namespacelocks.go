package plugins

import "sync"

// namespaceLocks has a lock for each namespace in which one is held or waited for. The zero value has none.
type namespaceLocks struct {
	mu sync.Mutex // guards of and the users of each lock
	of map[string]*namespaceLock
}

type namespaceLock struct {
	sync.Mutex
	users int // the calls that hold it or wait for it
}

// lock locks a namespace until unlock is called.
func (l *namespaceLocks) lock(namespace string) (unlock func()) {
	l.mu.Lock()
	lock := l.of[namespace]
	if lock == nil {
		if l.of == nil {
			l.of = map[string]*namespaceLock{}
		}
		lock = &namespaceLock{}
		l.of[namespace] = lock
	}
	lock.users++
	l.mu.Unlock()
	lock.Lock()
	return func() {
		lock.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if lock.users--; lock.users == 0 {
			delete(l.of, namespace)
		}
	}
}
