// Package rbac authorizes the requests to a cluster by the Roles and ClusterRoles in it, as
// kube-apiserver does with --authorization-mode=RBAC. A [Cluster] around a cluster authorizes its
// requests and answers access reviews. [Configure] adds to the configuration of the cluster the checks
// that depend on the objects: that an update creates nothing which its user may not create, and that
// nobody grants rights without having them.
//
// Every request is decided by the roles and bindings that are stored at that time. Members of the
// group system:masters may do everything, and requests without a user, such as those of
// controllers in the same process, are not checked. doc/rbac.md lists what differs from
// kube-apiserver.
package rbac
