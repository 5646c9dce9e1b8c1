package kinds

// clusterRoleBindingStrategy is the strategy of rbac.authorization.k8s.io/v1 ClusterRoleBinding.
var clusterRoleBindingStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "clusterrolebindings",
	Name:           segmentName,
	CreateOnUpdate: true,
}

// roleBindingStrategy is the strategy of rbac.authorization.k8s.io/v1 RoleBinding.
var roleBindingStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "rolebindings",
	Name:           segmentName,
	CreateOnUpdate: true,
}
