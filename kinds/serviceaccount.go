package kinds

// serviceAccountStrategy is the strategy of v1 ServiceAccount.
var serviceAccountStrategy = Strategy{
	Group:         "",
	Resource:      "serviceaccounts",
	Name:          subdomainName,
	ReturnDeleted: true,
}
