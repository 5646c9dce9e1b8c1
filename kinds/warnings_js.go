//go:build js && !complete

package kinds

// warnings is empty in the page, see warnings.go.
var warnings [0]warning
