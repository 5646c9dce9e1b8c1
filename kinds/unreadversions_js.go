//go:build js

package kinds

// unreadVersions is empty in a browser, where the weight of these names matters more than the message about an object
// in such a version, which is refused in any case.
var unreadVersions []string
