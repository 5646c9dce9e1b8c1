package kinds

// clusterRoleStrategy is the strategy of rbac.authorization.k8s.io/v1 ClusterRole.
var clusterRoleStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "clusterroles",
	Name:           segmentName,
	CreateOnUpdate: true,
}

// roleStrategy is the strategy of rbac.authorization.k8s.io/v1 Role.
var roleStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "roles",
	Name:           segmentName,
	CreateOnUpdate: true,
}
