package kinds

// horizontalPodAutoscalerStrategy is the strategy of autoscaling/v1 HorizontalPodAutoscaler.
var horizontalPodAutoscalerStrategy = Strategy{
	Group:       "autoscaling",
	Resource:    "horizontalpodautoscalers",
	Name:        subdomainName,
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
}
