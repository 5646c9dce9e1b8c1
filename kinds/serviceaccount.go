package kinds

// serviceAccountStrategy is the strategy of v1 ServiceAccount.
var serviceAccountStrategy = Strategy{
	Resource:      "serviceaccounts",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	ReturnDeleted: true,
}

// warnServiceAccount warns about an annotation when it is added, from Kubernetes 1.32 on.
func warnServiceAccount(a *advice, object, old field) {
	const enforce = "kubernetes.io/enforce-mountable-secrets"
	annotation := object.get("metadata.annotations").key(enforce)
	if a.check.kind.Since("1.32") && annotation.Exists() && !old.get("metadata.annotations").key(enforce).Exists() {
		a.warn(annotation, "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets")
	}
}
