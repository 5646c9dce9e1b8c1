package document

// MarshalJSON returns the value's printed form, so that a Value may be part of
// what encoding/json encodes. An absent value is null; the option omitzero
// leaves it out.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Exists() {
		return []byte("null"), nil
	}
	return v.JSON(), nil
}

// UnmarshalJSON reads one JSON value as Parse does, of any size. An error is a
// *SyntaxError, and v keeps what it was.
func (v *Value) UnmarshalJSON(data []byte) error {
	d, err := Parse(data, Options{MaxBytes: -1})
	if err != nil {
		return err
	}
	*v = d.Root
	return nil
}
