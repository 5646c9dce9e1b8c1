package etcdtest

import (
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
)

// Records returns a store of cluster objects as patchlab-etcd opens it. The caller
// closes it.
func Records(t testing.TB, endpoints []string, prefix string) store.Store[*cluster.Record] {
	t.Helper()
	s := etcd.New(Client(t, endpoints), etcd.Options[*cluster.Record]{
		Prefix: prefix, Encode: (*cluster.Record).Encode, Decode: cluster.DecodeRecord, Unreadable: cluster.UnreadableRecord,
		Equal: cluster.Equal, UID: (*cluster.Record).UID, Lifetime: (*cluster.Record).Lifetime,
	})
	return store.NewCache(s, store.CacheOptions[*cluster.Record]{Size: (*cluster.Record).Size})
}
