package schema

// metaTypes are the types of apimachinery's metav1 whose values occur in messages, LabelSelector,
// OwnerReference, ManagedFieldsEntry and ObjectMeta, each with its fields in the order of the Go type.
func metaTypes() [][]string {
	return [][]string{
		{"matchLabels", "matchExpressions"},
		{"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"},
		{"manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"},
		{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
			"deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers", "managedFields"},
	}
}
