package document

import "testing"

// TestYAMLKeysThatAreNumbers: numeric keys are converted to text like in the API server's
// YAML decoder, and refused if it refuses them.
func TestYAMLKeysThatAreNumbers(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{"{.inf: a, -.inf: b, .nan: c}", `{"-.inf":"b",".inf":"a",".nan":"c"}`, "an infinity or NaN as a key keeps its text"},
		{"{1: a, 0x1F: b, 1e2: c}", `{"1":"a","100":"c","31":"b"}`, "other numbers are printed"},
		{"{12345678901234567890: a}", "", "an integer beyond int64 is refused"},
	} {
		d, err := ParseYAML([]byte(c.in), Options{})
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: %s is read as %s", c.why, c.in, d.Root)
			}
			continue
		}
		if err != nil || d.Root.String() != c.want {
			t.Errorf("%s: %s is read as %v, %v", c.why, c.in, d, err)
		}
	}
}

// TestYAMLOverriddenMergeKeyIsDuplicate: an overridden merge key is listed as a duplicate, as
// in the API server's warnings, but is not an error if duplicates are refused.
func TestYAMLOverriddenMergeKeyIsDuplicate(t *testing.T) {
	const in = "a: &l {one: v, two: w}\nb: {<<: *l, two: z}\n"
	const want = `{"a":{"one":"v","two":"w"},"b":{"one":"v","two":"z"}}`
	for _, how := range []Duplicates{DuplicatesRefused, DuplicatesLast} {
		d, err := ParseYAML([]byte(in), Options{Duplicates: how})
		if err != nil || d.Root.String() != want {
			t.Fatalf("duplicates %d: %v, %v", how, d, err)
		}
		if listed := len(d.Duplicates); listed != int(how) {
			t.Errorf("duplicates %d: %d are listed", how, listed)
		} else if listed == 1 && d.Duplicates[0].Position.Line != 2 {
			t.Errorf("the duplicate is at line %d", d.Duplicates[0].Position.Line)
		}
	}
}
