// Package etcd implements [store.Store] on etcd, where kube-apiserver stores its objects.
// Several stores over the same etcd and prefix see each other's writes in reads and watches.
//
// A value is stored under the prefix followed by its key. The revision of an item is the
// ModRevision of its key in etcd. It is set when the value is read and is not part of the
// stored bytes. Writes are transactions that compare ModRevision, so that no write is lost or
// applied twice, regardless of the number of writing processes. Other programs may read the
// keys under the prefix but must not write them.
//
// A cluster whose objects are in etcd, with a cache that serves its lists and watches:
//
//	client, err := etcd.Dial(etcd.Access{Endpoints: []string{"http://127.0.0.1:2379"}})
//	…
//	objects := etcd.New(client, etcd.Options[*cluster.Record]{
//		Prefix: "/patchlab", Encode: (*cluster.Record).Encode, Decode: cluster.DecodeRecord, Unreadable: cluster.UnreadableRecord,
//		Equal: cluster.Equal, UID: (*cluster.Record).UID, Lifetime: (*cluster.Record).Lifetime,
//	})
//	cached := store.NewCache(objects, store.CacheOptions[*cluster.Record]{Size: (*cluster.Record).Size})
//	c, err := cluster.New(cluster.Config{Store: cached, Shared: true})
//
// The package is a module of its own, because etcd's client depends on gRPC, protobuf and zap,
// which users of the other packages do not need.
package etcd
