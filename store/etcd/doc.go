// Package etcd is the [store.Store] on etcd, where kube-apiserver keeps its
// objects. Several stores over one etcd and prefix answer as one: what one of
// them writes, the others read and watch.
//
// A value lies under the store's prefix and its key. The revision of an item
// is its key's ModRevision in etcd; it is set when the value is read and never
// stored. Writes are transactions that compare ModRevision, so that no write
// is lost and none takes effect twice, however many processes write. The keys
// under the prefix belong to the store: other programs may read and not write
// them.
//
// The package is a module of its own: etcd's client brings gRPC, protobuf and
// zap, which programs that import the rest of patchlab do not need.
package etcd
