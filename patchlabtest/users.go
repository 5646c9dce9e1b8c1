package patchlabtest

import (
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/cluster"
)

// admin is the user of a client that impersonates nobody.
func admin() cluster.User {
	return cluster.User{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}}
}

// ConfigFor returns a config for a client that acts as another user, by
// impersonation: a name such as "ada", or "system:serviceaccount:NAMESPACE:NAME".
// The groups of all users, and those of service accounts, come by themselves.
func (s *Server) ConfigFor(user string, groups ...string) *rest.Config {
	config := s.Config()
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return config
}

// Clock is a clock that moves only when it is told to. Its method Now is for
// [Options].Now.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at a time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
