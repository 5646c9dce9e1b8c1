//go:build js

package kinds

// Reviews are not offered in a browser: without their validation, the complete engine is smaller.

func validateSelfSubjectAccessReview(*check, field, field)  {}
func validateSubjectAccessReview(*check, field, field)      {}
func validateLocalSubjectAccessReview(*check, field, field) {}
