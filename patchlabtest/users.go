package patchlabtest

import (
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/cluster"
)

// admin is the user of clients without impersonation.
func admin() cluster.User {
	return cluster.User{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}}
}

// ConfigFor returns a config for a client that impersonates a user, such as "ada" or
// "system:serviceaccount:NAMESPACE:NAME". The groups that Kubernetes adds to authenticated
// users and service accounts are added. It panics if the name is empty, which would be the
// administrator of [Server.Config]; the user of requests without credentials is "system:anonymous".
func (s *Server) ConfigFor(user string, groups ...string) *rest.Config {
	if user == "" {
		panic("patchlabtest: ConfigFor requires the name of a user")
	}
	config := s.Config()
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return config
}

// Clock is a clock that advances only when [Clock.Advance] is called. Its method Now is for
// [Options].Now.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock at the given time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
