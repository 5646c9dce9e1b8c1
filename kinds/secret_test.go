package kinds

import (
	"encoding/json"
	"testing"
)

// TestNotObjectAgreesWithEncodingJSON compares the reasons with those of json.Unmarshal, with which
// kube-apiserver reads the values of Secrets for registries.
func TestNotObjectAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range []string{"", " ", "{}", `{"auths":{}}`, "null", `"a"`, "5", "true", "[]", ` [{}] `} {
		want := ""
		if err := json.Unmarshal([]byte(text), &map[string]any{}); err != nil {
			want = err.Error()
		}
		if got := notObject([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if notObject([]byte("{")) == "" {
		t.Error("an object without an end is accepted")
	}
}
