package patchlab

import "github.com/patchlab-dev/patchlab/document"

// manifestHint returns no advice in the playground, which has none of the commands that it names.
func (w *write) manifestHint(FieldError, *locator) string { return "" }

// unmerged returns no notes in the playground, which compares a manifest with its result on the page.
func (w *write) unmerged(document.Value) []Note { return nil }

// resetFields returns no notes in the playground, which explains such a field.
func (w *write) resetFields(document.Value) []Note { return nil }

// hookHint returns no advice either.
func (w *write) hookHint() string { return "" }
