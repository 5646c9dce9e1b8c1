package document

// MarshalJSON implements json.Marshaler with the value's printed form. An absent value is
// null; use the option omitzero to omit it.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Exists() {
		return []byte("null"), nil
	}
	return v.JSON(), nil
}

// UnmarshalJSON implements json.Unmarshaler like Parse, without a size limit. An error is a
// *SyntaxError and leaves v unchanged.
func (v *Value) UnmarshalJSON(data []byte) error {
	d, err := Parse(data, Options{MaxBytes: -1})
	if err != nil {
		return err
	}
	*v = d.Root
	return nil
}
