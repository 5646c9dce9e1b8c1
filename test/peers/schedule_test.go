package peers

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robfig/cron/v3"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// schedulePieces are parts of random schedules: those of valid ones, and others.
var schedulePieces = []string{"*", "?", "0", "1", "5", "7", "12", "23", "24", "31", "32", "59", "60", "-", "/", ",", "jan", "DEC", "sun", "sat", "x", "+1", "99999999999999999999"}

func schedule(r *rand.Rand) string {
	words := []string{"@daily", "@hourly", "@every 1h30m", "@every 1x", "@every ", "@sometimes", "@Daily", "TZ=UTC 0 * * * *", "CRON_TZ=Nowhere/City 0 * * * *", "TZ=UTC @daily", " "}
	if r.IntN(12) == 0 {
		return words[r.IntN(len(words))]
	}
	fields := make([]string, 4+r.IntN(3))
	for i := range fields {
		for range 1 + r.IntN(5)*r.IntN(2) {
			fields[i] += schedulePieces[r.IntN(len(schedulePieces))]
		}
	}
	return strings.Join(fields, " ")
}

// TestSchedules compares what package kinds says about schedules with the library with which
// kube-apiserver parses them.
func TestSchedules(t *testing.T) {
	const cases, seed = 20_000, 1
	catalog, err := schema.Builtin(schema.DefaultVersion)
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := catalog.Kind(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"})
	strategy := kinds.For(kind)
	r, refused := rand.New(rand.NewPCG(seed, seed)), 0
	for range cases {
		text := schedule(r)
		spec := document.NewObject().With("schedule", document.NewString(text))
		want := ""
		if _, err := cron.ParseStandard(text); err != nil {
			want = err.Error()
			refused++
		}
		got := ""
		for _, e := range strategy.Validate(kind, "", document.NewObject().With("spec", spec), document.Value{}) {
			if e.Field == "spec.schedule" && !strings.HasPrefix(e.Detail, "cannot use TZ") {
				got = e.Detail
			}
		}
		if got != want {
			t.Fatalf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
	if refused < cases/10 || refused > cases*99/100 {
		t.Errorf("%d of %d schedules were refused", refused, cases)
	}
}
