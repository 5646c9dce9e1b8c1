//go:build js

package kinds

// warnings is empty in browsers, see warnings.go.
var warnings [0]warning
