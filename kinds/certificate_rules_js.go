//go:build js

package kinds

func (c *check) certificateRequest(field) {}

func (c *check) trustBundle(field) {}

func (c *check) issued(_, _ field) {}
