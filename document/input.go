package document

// Documents returns d as the only document, or no document if it is nil. It implements
// patchlab.Input.
func (d *Document) Documents() ([]*Document, error) {
	if d == nil {
		return nil, nil
	}
	return []*Document{d}, nil
}

// Documents returns the value as a document without text, or no document if it is absent.
// It implements patchlab.Input.
func (v Value) Documents() ([]*Document, error) {
	if !v.Exists() {
		return nil, nil
	}
	return []*Document{{Root: v}}, nil
}
