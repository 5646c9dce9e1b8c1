//go:build js

package kinds

import "github.com/patchlab-dev/patchlab/schema"

// hasJSONText returns false in a browser, where messages show all texts quoted: the two forms differ in rare characters
// only.
func hasJSONText(*schema.FieldError) bool { return false }
