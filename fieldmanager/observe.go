package fieldmanager

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
)

// The rules that an observer is told; doc/ownership.md explains them.
const (
	RuleOwn       patch.Rule = "apply/own"        // the configuration names the field
	RuleShare     patch.Rule = "apply/share"      // so does another manager, with the same value
	RulePrune     patch.Rule = "apply/prune"      // the configuration names the field no more
	RulePruneKept patch.Rule = "apply/prune-kept" // no more, but somebody else owns it or what it stands in
	RuleConflict  patch.Rule = "apply/conflict"   // another manager owns the field
	RuleTransfer  patch.Rule = "apply/transfer"   // and loses it by force
	RuleDrop      patch.Rule = "apply/drop"       // an owner loses a field that is gone
	RuleKubectl   patch.Rule = "apply/kubectl"    // kubectl goes on from its client-side apply
	RuleFirst     patch.Rule = "apply/first"      // nobody was known to own what the object has
	RuleTrack     patch.Rule = "update/track"     // the update changed the field
	RuleTaken     patch.Rule = "update/transfer"  // so that who owned it does no more
	RuleGone      patch.Rule = "update/drop"      // an owner loses a field that is gone
	RuleQuiet     patch.Rule = "update/quiet"     // nobody manages the object, so nothing is tracked
	RuleReset     patch.Rule = "update/reset"     // the client asks to forget all managers
	RuleCap       patch.Rule = "update/cap"       // too many managers: the oldest are put together
)

// Observed returns a manager that tells an observer what it decides, by rules.
// Only this project's own engine tells of single fields. The observer is called
// before Apply or Update returns, by the goroutine that called it; a failed apply
// tells of its conflicts.
func (m *Manager) Observed(o patch.Observer) *Manager {
	c := *m
	c.observer = o
	return &c
}

// A witness gathers what the engine reports during one call.
type witness struct {
	m      *Manager
	update bool
	facts  []fact
}

type fact struct {
	rule   structured.Rule
	fields fieldset.Set
	entry  entry
}

// watch returns the types for a call of the engine, and who hears of it.
func (m *Manager) watch(update bool) (*structured.Types, *witness) {
	if m.observer == nil {
		return &m.types, nil
	}
	w := &witness{m: m, update: update}
	types := m.types
	types.Report = func(r structured.Rule, fields fieldset.Set, e entry) {
		if !fields.Empty() {
			w.facts = append(w.facts, fact{r, fields, e})
		}
	}
	return &types, w
}

// outcomes say what becomes of fields by a rule. Kept stands for what the values
// tell: added, replaced or kept.
var outcomes = [...]struct {
	apply, update patch.Rule
	outcome       patch.Outcome
}{
	structured.Own:       {RuleOwn, "", patch.Kept},
	structured.Share:     {RuleShare, "", patch.Kept},
	structured.Prune:     {RulePrune, "", patch.Removed},
	structured.PruneKept: {RulePruneKept, "", patch.Kept},
	structured.Clash:     {RuleConflict, "", patch.Refused},
	structured.Transfer:  {RuleTransfer, RuleTaken, patch.TakenOver},
	structured.Drop:      {RuleDrop, RuleGone, patch.Removed},
	structured.Track:     {"", RuleTrack, patch.Kept},
}

// tell tells the observer the facts, in the order in which they were reported,
// with the values before and after. Metadata that the server fills in is left out.
func (w *witness) tell(before, after document.Value) {
	if w == nil {
		return
	}
	for _, f := range w.facts {
		fields := f.fields.Minus(serverFields())
		if o := outcomes[f.rule]; o.outcome == patch.Kept {
			fields = fields.Leaves()
		}
		structured.Locate(w.m.types.Type, fields, []document.Value{before, after}, func(_ document.Path, at []document.Value, where []document.Path) {
			w.m.observer(w.decision(f, at, where))
		})
	}
}

// tellConflicts tells the observer of the conflicts that an apply is refused for.
func (w *witness) tellConflicts(found structured.Conflicts, live, config document.Value) {
	if w == nil {
		return
	}
	w.facts = nil
	for _, c := range found {
		w.facts = append(w.facts, fact{structured.Clash, c.Fields, c.Entry})
	}
	w.tell(live, config)
}

func (w *witness) decision(f fact, at []document.Value, where []document.Path) patch.Decision {
	o := outcomes[f.rule]
	d := patch.Decision{Rule: o.apply, Outcome: o.outcome, Old: at[0], New: at[1], Manager: f.entry.Manager, Path: slices.Clone(where[1])}
	if w.update {
		d.Rule = o.update
	}
	if !at[1].Exists() {
		d.Path = slices.Clone(where[0])
	}
	if d.Outcome == patch.Kept && f.rule != structured.PruneKept {
		switch {
		case !d.Old.Exists():
			d.Outcome = patch.Added
		case !d.New.Exists():
			d.Outcome = patch.Removed
		case !document.Equal(d.Old, d.New):
			d.Outcome = patch.Replaced
		}
	}
	return d
}

// note tells the observer of a rule that is about the whole object.
func (m *Manager) note(r patch.Rule, o patch.Outcome, manager string) {
	if m.observer != nil {
		m.observer(patch.Decision{Rule: r, Outcome: o, Manager: manager})
	}
}
