//go:build !js

package cluster

import (
	"context"
	"time"
)

// CompactEvery discards the history of the store at each interval, up to the revision at the interval
// before: a past revision can be listed and watched for at least one interval and at most two.
// Later requests for it get 410. kube-apiserver does the same to etcd, but goes on to serve watches
// from its cache. CompactEvery returns when ctx is done. A failure is ignored: the next interval
// discards what is left. With an interval of 0 or less nothing is discarded, as by kube-apiserver,
// and CompactEvery returns at once.
func (c *Cluster) CompactEvery(ctx context.Context, interval time.Duration) {
	if interval <= 0 {
		return
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var before int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if before > 0 {
			_ = c.store.Compact(ctx, before)
		}
		if revision, err := c.store.Revision(ctx); err == nil {
			before = revision
		}
	}
}
