//go:build !js

package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/store"
)

// leakedAfter is the age from which on an IPAddress without its Service is deleted: a request that has created one may
// still be creating the Service until then (pkg/registry/core/service/ipallocator/controller).
const leakedAfter = time.Minute

// deleteLeaked deletes the IPAddresses that API servers have created for Services that do not exist or do not have the IP.
func (c *Cluster) deleteLeaked(ctx context.Context) error {
	s := kinds.Find(func(s *kinds.Strategy) bool { return s.RecordsAddresses })
	page, err := c.store.List(ctx, scopeOf(s), store.ListOptions[*Record]{})
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		record := item.Value.tree().Value
		namespace, name, ok := kinds.RecordedService(record)
		created, err := time.Parse(time.RFC3339, meta(record, "creationTimestamp"))
		if !ok || err != nil || c.config.Now().Sub(created) <= leakedAfter {
			continue
		}
		service, err := c.store.Get(ctx, c.addresses.scope+namespace+"/"+name, store.GetOptions{})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		ip := meta(record, "name")
		if err == nil && slices.Contains(allocatedIPs(service.Value.tree().Value), ip) {
			continue
		}
		r, uid := c.recordRequest(Delete, ip), meta(record, "uid")
		r.Deletion.UID = &uid
		if _, st := c.do(ctx, r); st != nil && st.Code != 404 && st.Code != 409 {
			return st
		}
	}
	return nil
}
