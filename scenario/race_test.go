package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
)

// raceOf returns a scenario in which actors change a ConfigMap concurrently.
func raceOf(t *testing.T, changes string) *Race {
	t.Helper()
	s, err := Parse([]byte(`scenario: patchlab.dev/v1
actors: [{name: maker}, {name: a}, {name: b}, {name: c}, {name: d}]
steps:
- actor: maker
  do: create
  body: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: cm}
    data: {count: "0"}
race:
`+changes), "f")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRace(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func explore(t *testing.T, r *Race, s Strategy, o RaceOptions) *RaceReport {
	t.Helper()
	report, err := r.Explore(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const twoFields = "- {actor: a, set: {data: {a: '1'}}}\n- {actor: b, set: {data: {b: '1'}}}\n"

const finalizers = "- {actor: a, add: {.metadata.finalizers: [x.io/a]}}\n- {actor: b, add: {.metadata.finalizers: [x.io/b]}}\n"

const counter = "- {actor: a, add: {.data.count: 1}}\n- {actor: b, add: {.data.count: 1}}\n"

// TestRacesLoseUpdates: of the six orders of two reads and two writes, four have both reads before a
// write.
func TestRacesLoseUpdates(t *testing.T) {
	for _, c := range []struct {
		why, race                       string
		strategy                        Strategy
		interleavings, losing, refusing int
		shortest                        string
	}{
		{"an update of stale data overwrites the other field", twoFields, BlindUpdate, 6, 4, 0, "a reads, b reads, a writes 200, b writes 200"},
		{"an update with a stale resourceVersion is refused", twoFields, Optimistic, 6, 0, 4, ""},
		{"a refused update is retried", twoFields, Retry, 6, 0, 0, ""},
		{"a patch of its own field needs no test", twoFields, TestedPatch, 6, 0, 0, ""},
		{"an apply needs no read", twoFields, OwnFields, 2, 0, 0, ""},
		{"a merge patch has no field of the other", twoFields, BlindPatch, 6, 0, 0, ""},
		{"an update of stale data drops the other finalizer", finalizers, BlindUpdate, 6, 4, 0, "a reads, b reads, a writes 200, b writes 200"},
		{"a merge patch has the whole list of finalizers", finalizers, BlindPatch, 6, 4, 0, "a reads, b reads, a writes 200, b writes 200"},
		{"a resourceVersion protects the list", finalizers, Optimistic, 6, 0, 4, ""},
		{"a finalizer is added again after a conflict", finalizers, Retry, 6, 0, 0, ""},
		{"a patch cannot test that a list is absent", finalizers, TestedPatch, 6, 4, 0, "a reads, b reads, a writes 200, b writes 200"},
		{"an apply adds its finalizer to those of others, without a read", finalizers, OwnFields, 2, 0, 0, ""},
		{"an item that both add is there once", strings.ReplaceAll(finalizers, "x.io/b", "x.io/a"), BlindPatch, 6, 0, 0, ""},
		{"items of one actor are kept", "- {actor: a, add: {.metadata.finalizers: [x.io/a]}}\n- {actor: a, add: {.metadata.finalizers: [x.io/b, x.io/c]}}\n- {actor: b, set: {data: {b: '1'}}}\n", OwnFields, 3, 0, 0, ""},
		{"several items are one patch", "- {actor: a, add: {.metadata.finalizers: [x.io/a, x.io/b]}}\n- {actor: b, set: {data: {b: '1'}}}\n", TestedPatch, 6, 0, 0, ""},
		{"a counter loses increments by blind updates", counter, BlindUpdate, 6, 4, 0, "a reads, b reads, a writes 200, b writes 200"},
		{"a counter with optimistic updates", counter, Optimistic, 6, 0, 4, ""},
		{"a counter with retries", counter, Retry, 6, 0, 0, ""},
		{"a counter with a tested patch", counter, TestedPatch, 6, 0, 4, ""},
		{"a patch cannot test that a field is absent", strings.ReplaceAll(counter, ".data.count", ".data.missing"), TestedPatch, 6, 4, 0, "a reads, b reads, a writes 200, b writes 200"},
		{"applying another manager's field conflicts", counter, OwnFields, 6, 0, 6, ""},
		{"two actors apply the same value, and one increment is lost", strings.ReplaceAll(counter, ".data.count", ".data.missing"), OwnFields, 6, 4, 2, "a reads, b reads, a writes 200, b writes 200"},
		{"both set the same value, and nothing is lost", "- {actor: a, set: {data: {a: '1'}}}\n- {actor: b, set: {data: {a: '2'}}}\n", BlindUpdate, 6, 0, 0, ""},
		{"one actor does not race with itself", "- {actor: a, add: {.data.count: 1}}\n- {actor: a, add: {.data.count: 1}}\n", BlindUpdate, 1, 0, 0, ""},
		{"fields applied earlier are kept", "- {actor: a, set: {data: {a: '1'}}}\n- {actor: a, set: {data: {b: '1'}}}\n- {actor: b, set: {data: {c: '1'}}}\n", OwnFields, 3, 0, 0, ""},
	} {
		r := explore(t, raceOf(t, c.race), c.strategy, RaceOptions{})
		var events []string
		for _, ev := range r.Shortest {
			text := ev.Actor + " reads"
			if ev.Write {
				text = fmt.Sprint(ev.Actor, " writes ", ev.Code)
			}
			events = append(events, text)
		}
		if shortest := strings.Join(events, ", "); !r.Exhaustive || r.Interleavings != c.interleavings || r.Losing != c.losing || r.Refusing != c.refusing || shortest != c.shortest {
			t.Errorf("%s (%s): exhaustive %t, %d interleavings, %d lose, %d refused, shortest %q; want %d, %d, %d, %q", c.why, c.strategy,
				r.Exhaustive, r.Interleavings, r.Losing, r.Refusing, shortest, c.interleavings, c.losing, c.refusing, c.shortest)
		}
	}
}

// A change that is refused however often it is tried ends, and so does an exploration whose context is done.
func TestRetriesEnd(t *testing.T) {
	for _, set := range []string{"{metadata: {resourceVersion: '7'}}", "{metadata: {uid: other}}"} {
		r := explore(t, raceOf(t, "- {actor: a, set: "+set+"}\n- {actor: b, set: {data: {b: '1'}}}\n"), Retry, RaceOptions{})
		if r.Refusing != r.Interleavings {
			t.Errorf("%s: %d of %d interleavings refuse it", set, r.Refusing, r.Interleavings)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := raceOf(t, twoFields).Explore(ctx, BlindUpdate, RaceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// TestInterleavingsAreCountedByTheFormula: an exhaustive exploration has
// (n1+…+nk)!/(n1!…nk!) interleavings for actors with n1 to nk reads and writes.
func TestInterleavingsAreCountedByTheFormula(t *testing.T) {
	factorial := func(n int) *big.Int { return new(big.Int).MulRange(1, int64(n)) }
	for _, actors := range [][]int{{1, 1}, {2, 1}, {1, 1, 1}, {2, 2}, {3, 1}} {
		var changes strings.Builder
		total, denominator := 0, big.NewInt(1)
		for i, n := range actors {
			for range n {
				fmt.Fprintf(&changes, "- {actor: %c, add: {.data.count: 1}}\n", 'a'+i)
			}
			total += 2 * n
			denominator.Mul(denominator, factorial(2*n))
		}
		want := new(big.Int).Div(factorial(total), denominator)
		for _, s := range []Strategy{BlindUpdate, Optimistic, TestedPatch, OwnFields} {
			r := explore(t, raceOf(t, changes.String()), s, RaceOptions{})
			if !r.Exhaustive || big.NewInt(int64(r.Interleavings)).Cmp(want) != 0 || !want.IsUint64() || r.All != want.Uint64() {
				t.Errorf("%v, %s: %d explored of %d (exhaustive: %t), want %s", actors, s, r.Interleavings, r.All, r.Exhaustive, want)
			}
		}
		r := explore(t, raceOf(t, changes.String()), Retry, RaceOptions{Limit: 1 << 20})
		if want := retries(0, slices.Clone(actors), make([]int, len(actors))); !r.Exhaustive || r.Interleavings != want || r.Losing != 0 || r.Refusing != 0 {
			t.Errorf("%v, retry: %d explored (exhaustive: %t), %d lose, %d refused, want %d", actors, r.Interleavings, r.Exhaustive, r.Losing, r.Refusing, want)
		}
	}
}

// retries counts the interleavings of actors that read, write and retry. left holds their
// remaining changes, and read one more than the version that each has read, 0 for none. A
// write succeeds if no other write followed the read.
func retries(version int, left, read []int) int {
	n, over := 0, true
	for i := range left {
		if left[i] == 0 {
			continue
		}
		over = false
		l, r, v := slices.Clone(left), slices.Clone(read), version
		switch {
		case r[i] == 0:
			r[i] = version + 1
		case r[i] == version+1:
			r[i], v = 0, version+1
			l[i]--
		default:
			r[i] = 0
		}
		n += retries(v, l, r)
	}
	if over {
		return 1
	}
	return n
}

func TestInterleavingsBeyondLimitAreSampled(t *testing.T) {
	race := raceOf(t, counter+"- {actor: c, add: {.data.count: 1}}\n- {actor: d, add: {.data.count: 1}}\n")
	o := RaceOptions{Limit: 100, Draws: 500, Seed: 7}
	calls := 0
	o.Progress = func(done, of int) {
		if calls++; done > of || of != 500 {
			t.Errorf("progress %d of %d", done, of)
		}
	}
	r := explore(t, race, BlindUpdate, o)
	if r.Exhaustive || r.Interleavings != 500 || r.All != 2520 || r.Losing == 0 || len(r.Shortest) != 4 || calls == 0 {
		t.Errorf("exhaustive %t, %d of %d, %d lose, shortest %v, progress %d times", r.Exhaustive, r.Interleavings, r.All, r.Losing, r.Shortest, calls)
	}
	if again := explore(t, race, BlindUpdate, o); again.Losing != r.Losing {
		t.Errorf("the same seed draws others: %d lose, then %d", r.Losing, again.Losing)
	}
	if r := explore(t, race, Retry, RaceOptions{Limit: 2600, Draws: 50}); r.Exhaustive || r.Interleavings != 50 || r.Losing != 0 {
		t.Errorf("retries beyond the limit: exhaustive %t, %d explored", r.Exhaustive, r.Interleavings)
	}
}

// TestFewerLongInterleavingsAreDrawn: without a number, as many interleavings are drawn as have 100,000
// reads and writes, and the results do not depend on which objects were kept between them.
func TestFewerLongInterleavingsAreDrawn(t *testing.T) {
	var changes strings.Builder
	for i := range 400 {
		fmt.Fprintf(&changes, "- {actor: %c, set: {data: {a: '1'}}}\n", 'a'+i%4)
	}
	if r := explore(t, raceOf(t, changes.String()), OwnFields, RaceOptions{}); r.Interleavings != 250 || r.Losing != 0 {
		t.Errorf("%d interleavings, %d lose, want 250 and 0", r.Interleavings, r.Losing)
	}
	race := raceOf(t, counter+"- {actor: c, add: {.data.count: 1}}\n- {actor: d, set: {data: {d: '1'}}}\n")
	var reports []*RaceReport
	for _, most := range []int{mostObjects, 0} {
		e := &explorer{race: race, strategy: BlindUpdate, options: RaceOptions{Draws: 300, Seed: 3}, most: most, ctx: t.Context(), fields: map[*Change][]field{}}
		e.forget()
		if err := e.draw(); err != nil {
			t.Fatal(err)
		}
		reports = append(reports, &e.report)
	}
	if a, b := reports[0], reports[1]; a.Losing == 0 || a.Losing != b.Losing || !slices.Equal(a.Shortest, b.Shortest) {
		t.Errorf("with all objects kept %d lose, %v; with none %d, %v", a.Losing, a.Shortest, b.Losing, b.Shortest)
	}
}

// TestInterleavingCountDoesNotOverflow: the formula does not overflow for 40 changes by each of
// four actors, which have 320!/(80!)^4 orders.
func TestInterleavingCountDoesNotOverflow(t *testing.T) {
	var changes strings.Builder
	for i := range 160 {
		fmt.Fprintf(&changes, "- {actor: %c, add: {.data.count: 1}}\n", 'a'+i%4)
	}
	r := explore(t, raceOf(t, changes.String()), Retry, RaceOptions{Draws: 3})
	if r.All != math.MaxUint64 || r.Exhaustive || r.Losing != 0 {
		t.Errorf("%d orders, exhaustive %t, %d lose", r.All, r.Exhaustive, r.Losing)
	}
}

func TestInvalidRaces(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"one change", "scenario: patchlab.dev/v1\nactors: [{name: a}]\nrace: [{actor: a, set: {data: {}}}]\n", "has no race"},
		{"no object", "scenario: patchlab.dev/v1\nactors: [{name: a}]\nrace: [{actor: a, add: {.n: 1}}, {actor: a, add: {.n: 1}}]\n", "has no object for the race"},
		{"an addition to a value that is not a number", "scenario: patchlab.dev/v1\nobjects: ['{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {count: many}}']\nactors: [{name: a}]\nrace: [{actor: a, add: {.data.count: 1}}, {actor: a, add: {.n: 1}}]\n", `.data.count: a number cannot be added to the text "many"`},
		{"items for a field that is not a list", "scenario: patchlab.dev/v1\nobjects: ['{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: b}}']\nactors: [{name: a}]\nrace: [{actor: a, add: {.data.a: [c]}}, {actor: a, add: {.n: 1}}]\n", ".data.a: items cannot be added to a string"},
	} {
		s, err := Parse([]byte(c.text), "f")
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if _, err := NewRace(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
	for _, c := range []struct{ race, want string }{
		{"{actor: z, set: {a: 1}}", `unknown actor "z"`},
		{"{actor: a}", "a change must have set (a merge patch) or add"},
		{"{actor: a, add: {.n: x}}", "the values of add must be integers or lists of scalars"},
		{"{actor: a, add: {.n: []}}", "the values of add must be integers or lists of scalars"},
		{"{actor: a, add: {.n: [{a: b}]}}", "the values of add must be integers or lists of scalars"},
		{"{actor: a, add: {'.l[0]': 1}}", "goes through a list"},
		{"{actor: a, swap: 1}", `a change has no field "swap"`},
	} {
		if _, err := Parse([]byte("scenario: patchlab.dev/v1\nactors: [{name: a}]\nrace: ["+c.race+"]\n"), "f"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.race, err, c.want)
		}
	}
}

// TestDefaultsAreNotLostUpdates: defaults that the API server adds to list items are not lost
// updates.
func TestDefaultsAreNotLostUpdates(t *testing.T) {
	data, err := os.ReadFile("../testdata/races/rollout.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(data, "rollout.yaml")
	if err != nil {
		t.Fatal(err)
	}
	race, err := NewRace(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for strategy, losing := range map[Strategy]int{BlindUpdate: 4, Optimistic: 0, Retry: 0} {
		if r := explore(t, race, strategy, RaceOptions{}); r.Losing != losing {
			t.Errorf("%s loses an update in %d orders, want %d: %+v", strategy, r.Losing, losing, r.Lost)
		}
	}
}

// TestLostIsWhatShortestLoses: the values of the lost fields are those after the events that are shown, and
// not those at the end of an interleaving that goes on.
func TestLostIsWhatShortestLoses(t *testing.T) {
	for _, c := range []struct{ why, race, want string }{
		{"a third actor increments the counter later", counter + "- {actor: c, add: {.data.count: 1}}\n", `4: [.data.count 2 1]`},
		{"a third actor overwrites what was lost, so that another field is the first", "- {actor: a, set: {data: {a: '1', x: '1'}}}\n- {actor: b, set: {data: {b: '1'}}}\n- {actor: b, set: {data: {x: '2'}}}\n", `4: [.data.a 1 nothing]`},
	} {
		r := explore(t, raceOf(t, c.race), BlindUpdate, RaceOptions{})
		got := fmt.Sprint(len(r.Shortest), ": ")
		for _, l := range r.Lost {
			got += fmt.Sprintf("[%s %s %s]", l.Path, l.Want.StringOr("nothing"), l.Got.StringOr("nothing"))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestRaceRefuses: a strategy that does not exist, and a sum that is no int64, are errors and not
// interleavings without lost updates.
func TestRaceRefuses(t *testing.T) {
	r := raceOf(t, counter)
	if _, err := r.Explore(t.Context(), "optimistically", RaceOptions{}); err == nil || !strings.Contains(err.Error(), `unknown strategy "optimistically"`) {
		t.Errorf("a strategy that does not exist: %v", err)
	}
	for _, by := range []string{"9223372036854775807", "-9223372036854775808"} {
		add := "- {actor: a, add: {.data.count: " + by + "}}\n"
		s, err := Parse([]byte("scenario: patchlab.dev/v1\nactors: [{name: a}]\nobjects: ['{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: shop}}']\nrace:\n"+add+add), "f")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewRace(t.Context(), s); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("adding %s twice: %v", by, err)
		}
	}
}

// TestUnknownAction: a step that was not parsed may have any action.
func TestUnknownAction(t *testing.T) {
	steps := []Step{{Actor: "a", Do: "applly", Body: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"}}
	results, err := Run(t.Context(), &Scenario{Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0]; got.Code != 0 || !errors.Is(got.Err, ErrInvalid) || !strings.Contains(got.Err.Error(), `unknown action "applly"`) {
		t.Errorf("%d, %v", got.Code, got.Err)
	}
}
