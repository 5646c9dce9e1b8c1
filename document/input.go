package document

// Documents returns the document itself. It makes a Document an input of the
// package patchlab.
func (d *Document) Documents() ([]*Document, error) { return []*Document{d}, nil }

// Documents returns the value as a document without a text, none for an absent
// value. It makes a Value an input of the package patchlab.
func (v Value) Documents() ([]*Document, error) {
	if !v.Exists() {
		return nil, nil
	}
	return []*Document{{Root: v}}, nil
}
