package fieldmanager_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

func TestObserverReceivesDecisions(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var live fieldmanager.Object
	var err error
	for _, c := range []struct {
		why             string
		update          bool
		manager, spec   string
		force, conflict bool
		want            []string
	}{
		{"a first apply", false, "a", `{"note":"x","ports":[{"port":1},{"port":2}]}`, false, false, []string{
			`.spec.note: apply/own added by a`, `.spec.ports[0].port: apply/own added by a`, `.spec.ports[1].port: apply/own added by a`}},
		{"an apply of the same value", false, "b", `{"note":"x"}`, false, false, []string{
			`.spec.note: apply/own kept by b`, `.spec.note: apply/share kept by a`}},
		{"an apply of another value is refused", false, "b", `{"note":"y"}`, false, true, []string{`.spec.note: apply/conflict refused by a`}},
		{"the same apply with force", false, "b", `{"note":"y"}`, true, false, []string{
			`.spec.note: apply/own replaced by b`, `.spec.note: apply/transfer taken over by a`}},
		{"an apply without an item", false, "a", `{"ports":[{"port":2}]}`, false, false, []string{
			`.spec.ports[0]: apply/prune removed by a`, `.spec.ports[0].port: apply/own kept by a`}},
		{"an update of another manager's field", true, "u", `{"note":"z","ports":[{"port":2}]}`, false, false, []string{
			`.spec.note: update/track replaced by u`, `.spec.note: update/transfer taken over by b`}},
	} {
		var heard []string
		o := m.Observed(func(d fieldmanager.Decision) {
			if d.At[0] == document.FieldStep("spec") {
				heard = append(heard, d.At.String()+": "+string(d.Rule)+" "+d.Outcome.String()+" by "+d.Owner.Manager)
			}
		})
		var after fieldmanager.Object
		if c.update {
			after, err = o.Update(live, object(c.spec), fieldmanager.UpdateOptions{FieldManager: c.manager, Time: now})
		} else {
			after, err = o.Apply(live, object(c.spec), fieldmanager.ApplyOptions{FieldManager: c.manager, Force: c.force, Time: now})
		}
		if (err != nil) != c.conflict {
			t.Fatalf("%s: %v", c.why, err)
		}
		if err == nil {
			live = after
		}
		slices.Sort(heard)
		slices.Sort(c.want)
		if !slices.Equal(heard, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, strings.Join(heard, "\n"), strings.Join(c.want, "\n"))
		}
	}
	var rules []string
	quiet := m.Observed(func(d fieldmanager.Decision) { rules = append(rules, string(d.Rule)) })
	if _, err := quiet.Update(fieldmanager.Object{Value: document.NewObject()}, object(`{}`), fieldmanager.UpdateOptions{FieldManager: "u", Time: now}); err != nil || !slices.Equal(rules, []string{"update/quiet"}) {
		t.Errorf("an object without managers: %v, %v", rules, err)
	}
}

func TestDecisionAsJSON(t *testing.T) {
	m := managerOf("")
	live := deployed(m)
	var decisions []fieldmanager.Decision
	m = m.Observed(func(d fieldmanager.Decision) { decisions = append(decisions, d) })
	if _, err := m.Apply(live, parsed(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Time: time.Unix(0, 0)}); err == nil {
		t.Fatal("no conflict")
	}
	const want = `[{"rule":"apply/conflict","outcome":"refused","path":".spec.replicas","at":".spec.replicas",` +
		`"owner":{"manager":"alice","operation":"Apply","apiVersion":"apps/v1"},"old":3,"new":5}]`
	text, err := json.Marshal(decisions)
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	var again []fieldmanager.Decision
	if err := json.Unmarshal(text, &again); err != nil || again[0].Outcome != decisions[0].Outcome || again[0].Owner != decisions[0].Owner {
		t.Errorf("read back as %v, %v", again, err)
	}
}
