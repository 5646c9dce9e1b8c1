//go:build js

package kinds

import "github.com/patchlab-dev/patchlab/schema"

// StreamOptions returns nil: a browser cannot open the streams of subresources such as exec.
func StreamOptions(string) *schema.Kind { return nil }
