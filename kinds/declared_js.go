//go:build js

package kinds

import "github.com/patchlab-dev/patchlab/internal/engine/podresources"

// The rules of declared.go as they are before Kubernetes 1.37.

func (c *check) distinctItem(item field, key string, seen *seenTexts) { c.distinct(item, key, seen) }

func (c *check) declaredDriverName(f field) { c.csiDriverName(f) }

func (c *check) unmetSegment(f field, part, why string, _ int, _ bool) { c.unmetText(f, part, why) }

func (c *check) declaredRequests(_, _ field) {}

func (c *check) declaredResponse(field) {}

func (c *check) extendedName(f field) {
	if !podresources.IsExtended(f.text()) {
		c.invalid(f, notExtended)
	}
}
