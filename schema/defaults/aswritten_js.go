//go:build js

package defaults

// textOrder is false in browsers, see aswritten.go.
const textOrder = false
