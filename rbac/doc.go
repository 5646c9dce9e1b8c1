// Package rbac authorizes the requests to a cluster by the Roles and ClusterRoles in it, as
// kube-apiserver does with --authorization-mode=RBAC. It answers access reviews, and refuses to
// grant rights that the requesting user does not have: [Configure] adds that to the configuration of a
// cluster, and a [Cluster] around the cluster authorizes its requests.
//
// Every request is decided by the roles and bindings that are stored at that time. Members of the
// group system:masters may do everything, and requests without a user, such as those of
// controllers in the same process, are not checked. doc/rbac.md lists what differs from
// kube-apiserver.
package rbac
