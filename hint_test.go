package patchlab

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestQuoteHints(t *testing.T) {
	integer, number := &schema.Type{Scalar: schema.IntegerScalar}, &schema.Type{Scalar: schema.NumberScalar}
	for _, c := range []struct {
		why  string
		typ  *schema.Type
		text string
		want string
	}{
		{"an integer in quotes", integer, "3", "remove the quotes: 3"},
		{"a negative one", integer, "-3", "remove the quotes: -3"},
		{"a fraction, which is no integer without quotes either", integer, "1.5", ""},
		{"a fraction for a number", number, "1.5", "remove the quotes: 1.5"},
		{"less than one", number, "0.5", "remove the quotes: 0.5"},
		{"zero", integer, "0", "remove the quotes: 0"},
		{"what YAML reads as octal", integer, "010", ""},
		{"a word", integer, "many", ""},
	} {
		if got := quoteHint(c.typ, document.NewString(c.text)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestTooLargeForClientSideApply checks the advice on a manifest that does not fit in the last-applied
// annotation, as those of many CustomResourceDefinitions.
func TestTooLargeForClientSideApply(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := Named("large.yaml", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata: {text: "+strings.Repeat("x", 256<<10)+"}\n"))
	_, err = lab.ClientApply(nil, config, ApplyOptions{})
	var refused *Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "metadata.annotations: Too long: may not be more than 262144 bytes; "+
		"the last-applied annotation contains the whole manifest; 'kubectl apply --server-side' does not write it") {
		t.Errorf("%v", err)
	}
	if _, err := lab.Apply(nil, config, ApplyOptions{}); err != nil {
		t.Error(err)
	}
}

// TestKeptItemHint checks the advice on an item that is not in the manifest: somebody has changed
// the port, which is the key of the item, so the apply adds a second one with the same name.
func TestKeptItemHint(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const config = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80}
`
	created, err := lab.ClientApply(nil, Named("web.yaml", []byte(config)), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := lab.Patch(created.Object(), Named("patch.yaml", []byte(`[{op: replace, path: /spec/ports/0/port, value: 8080}]`)), PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, apply := range map[string]func(live, config Input, o ApplyOptions) (*Result, error){"server-side": lab.Apply, "client-side": lab.ClientApply} {
		_, err = apply(changed.Object(), Named("web.yaml", []byte(config)), ApplyOptions{})
		want := `spec.ports[1].name: Duplicate value: "http"; .spec.ports has fewer items in the manifest; ` +
			"the apply keeps others of the live object, whose owners 'patchlab blame LIVE --path .spec.ports' shows"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
