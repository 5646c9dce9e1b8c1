package kinds

// limitRangeStrategy is the strategy of v1 LimitRange.
var limitRangeStrategy = Strategy{
	Group:          "",
	Resource:       "limitranges",
	Name:           subdomainName,
	GenerateName:   true,
	CreateOnUpdate: true,
}
