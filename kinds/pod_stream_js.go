//go:build js

package kinds

import "github.com/patchlab-dev/patchlab/schema"

// StreamOptions knows no streams: in a browser there are none to open.
func StreamOptions(string) *schema.Kind { return nil }
