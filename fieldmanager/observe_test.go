package fieldmanager_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
)

func TestObserverHearsWhy(t *testing.T) {
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
		{"everything is new", false, "a", `{"note":"x","ports":[{"port":1},{"port":2}]}`, false, false, []string{
			`.spec.note: apply/own added by a`, `.spec.ports[0].port: apply/own added by a`, `.spec.ports[1].port: apply/own added by a`}},
		{"the same value", false, "b", `{"note":"x"}`, false, false, []string{
			`.spec.note: apply/own kept by b`, `.spec.note: apply/share kept by a`}},
		{"another value is refused", false, "b", `{"note":"y"}`, false, true, []string{`.spec.note: apply/conflict refused by a`}},
		{"and then forced", false, "b", `{"note":"y"}`, true, false, []string{
			`.spec.note: apply/own replaced by b`, `.spec.note: apply/transfer taken over by a`}},
		{"an item is left out", false, "a", `{"ports":[{"port":2}]}`, false, false, []string{
			`.spec.ports[0]: apply/prune removed by a`, `.spec.ports[0].port: apply/own kept by a`}},
		{"an update changes a field of another", true, "u", `{"note":"z","ports":[{"port":2}]}`, false, false, []string{
			`.spec.note: update/track replaced by `, `.spec.note: update/transfer taken over by b`}},
	} {
		var heard []string
		o := m.Observed(func(d patch.Decision) {
			if d.Path[0] == document.FieldStep("spec") {
				heard = append(heard, d.Path.String()+": "+string(d.Rule)+" "+d.Outcome.String()+" by "+d.Manager)
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
	quiet := m.Observed(func(d patch.Decision) { rules = append(rules, string(d.Rule)) })
	if _, err := quiet.Update(fieldmanager.Object{Value: document.NewObject()}, object(`{}`), fieldmanager.UpdateOptions{FieldManager: "u", Time: now}); err != nil || !slices.Equal(rules, []string{"update/quiet"}) {
		t.Errorf("an object that nobody manages: %v, %v", rules, err)
	}
}
