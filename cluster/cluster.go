package cluster

import (
	"context"
	"time"
)

// Config says how a cluster works. The zero value is a cluster of the newest
// Kubernetes version in memory.
type Config struct {
	// Version is the Kubernetes minor version, such as "1.36"; "" is the newest.
	Version string
	// Now tells the time of writes; nil is time.Now.
	Now func() time.Time
	// UID makes the uid of a new object; nil makes random ones.
	UID func() string
	// Suffix makes the end of a generated name; nil makes random ones of five
	// characters, as the API server does.
	Suffix func() string
}

// Cluster answers requests over a store. It is safe for concurrent use.
type Cluster struct {
	config Config
}

// New returns an empty cluster.
func New(config Config) (*Cluster, error) {
	return &Cluster{config: config}, nil
}

// Do answers a request. An error is always a [*Status].
func (c *Cluster) Do(ctx context.Context, r *Request) (*Response, error) {
	return nil, &Status{Code: 501, Message: r.Verb.String() + " is not served yet"}
}
