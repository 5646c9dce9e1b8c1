package defaults_test

import (
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// TestUpdateAgreesWithFullComputation: skipping the parts shared with the live object does
// not change the result, whether they share nodes, as after a patch, or not.
func TestUpdateAgreesWithFullComputation(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := defaults.For("")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []*schema.Kind
	for k := range catalog.Kinds() {
		if k.Type().Map != nil && k.Type().Map.Field("metadata") != nil {
			kinds = append(kinds, k)
		}
	}
	compared, inMemory := 0, 0
	for seed := range uint64(3000) {
		k := kinds[seed%uint64(len(kinds))]
		g := generate.New(seed, generate.Options{Odd: seed%3 == 0, Depth: 5 + int(seed%4), Breadth: 3})
		live, ok := stored(rules, k, g.Object(k))
		if !ok {
			continue
		}
		next := g.Mutate(live, k.Type())
		if seed%2 == 0 {
			if next, err = patch.Strategic(live, g.StrategicPatch(live, k.Type()), k.Type(), patch.Options{}); err != nil {
				continue
			}
		}
		compared++
		for _, from := range []defaults.Source{defaults.FromJSON, defaults.FromTree, defaults.FromTree | defaults.InMemory} {
			want, unknown, wantErr := defaults.Decode(k, next, from)
			got, err := defaults.DecodeUpdate(k, next, live, from)
			if !document.Identical(got.Value, want) || fmt.Sprint(got.Problems, err) != fmt.Sprint(unknown, wantErr) {
				t.Fatalf("seed %d: decoded\n%s %v %v, want\n%s %v %v", seed, got.Value, got.Problems, err, want, unknown, wantErr)
			}
			if err == nil && got.Stored {
				if from&defaults.InMemory != 0 {
					inMemory++
				}
				if again, _, err := defaults.Decode(k, got.Value, defaults.FromTree); err != nil || !document.SameNode(again, got.Value) {
					t.Fatalf("seed %d: stored and read again\n%s\nis\n%s %v", seed, got.Value, again, err)
				}
			}
			if err == nil {
				checkDefaultsAreDecoded(t, rules, k, got)
				if got, want := rules.ApplyUpdate(k, want, live, defaults.Options{}), rules.Apply(k, want, defaults.Options{}); !document.Identical(got, want) {
					t.Fatalf("seed %d: filled\n%s, want\n%s", seed, got, want)
				}
			}
		}
	}
	if compared < 1000 || inMemory < 500 {
		t.Errorf("only %d objects were compared, and %d were as they are stored", compared, inMemory)
	}
}

// checkDefaultsAreDecoded checks that decoding leaves the defaults of an object unchanged if it
// leaves the object unchanged.
func checkDefaultsAreDecoded(t *testing.T, rules *defaults.Rules, k *schema.Kind, decoded defaults.Decoded) {
	t.Helper()
	filled := rules.Apply(k, decoded.Value, defaults.Options{})
	if again, _, err := defaults.Decode(k, filled, defaults.FromTree); decoded.Stored && (err != nil || !document.Identical(again, filled)) {
		t.Errorf("with defaults\n%s\nis decoded as\n%s %v", filled, again, err)
	}
}

// stored returns v decoded and defaulted. ok is false if decoding and defaulting are not
// idempotent for it, so that it cannot be a live object.
func stored(rules *defaults.Rules, k *schema.Kind, v document.Value) (document.Value, bool) {
	v, _, err := defaults.Decode(k, v, defaults.FromTree)
	if err != nil {
		return v, false
	}
	v = rules.Apply(k, v, defaults.Options{})
	again, _, err := defaults.Decode(k, v, defaults.FromTree)
	return v, err == nil && document.SameNode(again, v) && document.SameNode(rules.Apply(k, v, defaults.Options{}), v)
}
