//go:build js && !complete

package kinds

// validations is empty in the page, see validations.go.
var validations [0]validation
