package fieldmanager

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
)

// Rule is the name of a rule of field management, such as "apply/prune"; doc/ownership.md
// explains each. Names are stable.
type Rule string

// The rules of an apply.
const (
	RuleOwn       Rule = "apply/own"        // the configuration has the field, so its manager owns it
	RuleShare     Rule = "apply/share"      // another owner of the field has the same value
	RulePrune     Rule = "apply/prune"      // the configuration no longer has the field, and nobody else owns it
	RulePruneKept Rule = "apply/prune-kept" // the configuration no longer has the field, but it remains
	RuleConflict  Rule = "apply/conflict"   // another owner has the field with another value
	RuleTransfer  Rule = "apply/transfer"   // with force, the other owner loses the field
	RuleDrop      Rule = "apply/drop"       // an owner loses a field that no longer exists
	RuleKubectl   Rule = "apply/kubectl"    // kubectl overrides conflicts with its own client-side apply
	RuleFirst     Rule = "apply/first"      // the object had no managers: before-first-apply owns its fields
)

// The rules of an update.
const (
	RuleTrack Rule = "update/track"    // the update changed the field, so its manager owns it
	RuleTaken Rule = "update/transfer" // the previous owners lose the field
	RuleGone  Rule = "update/drop"     // an owner loses a field that no longer exists
	RuleQuiet Rule = "update/quiet"    // the object has no managers, so the update is not tracked
	RuleReset Rule = "update/reset"    // the request removes all managers
	RuleCap   Rule = "update/cap"      // too many managers: the oldest are merged into ancient-changes
	// RuleUntracked: the object does not match its type and is stored without managers, from
	// Kubernetes 1.37 on with those it had. Update then returns an error, and its caller reports
	// the decision.
	RuleUntracked Rule = "update/untracked"
)

// Decision is one decision of an apply or an update.
type Decision struct {
	// Rule is the rule that decided.
	Rule Rule `json:"rule"`
	// Outcome is the effect on the field.
	Outcome patch.Outcome `json:"outcome"`
	// Path is the path of the field in field sets; empty for a decision about the whole
	// object.
	Path document.Path `json:"path"`
	// At is the path of the field with list indices: in the new object or, if it no longer
	// exists, in the live one.
	At document.Path `json:"at"`
	// Owner identifies the managedFields entry concerned.
	Owner Owner `json:"owner"`
	// Old and New are the values before and after; absent if there is none. For a conflict,
	// New is the value in the configuration.
	Old document.Value `json:"old,omitzero"`
	New document.Value `json:"new,omitzero"`
}

// Observer receives decisions.
type Observer func(Decision)

// Observed returns a Manager that passes its decisions to an observer, in the same
// goroutine and before Apply or Update returns. An apply that is refused for conflicts
// reports these. Decisions about single fields require patchlab's own engine.
func (m *Manager) Observed(o Observer) *Manager {
	c := *m
	c.observer = o
	return &c
}

// recorder collects the engine's reports during one call, for an observer. Methods of a nil
// recorder do nothing.
type recorder struct {
	m       *Manager
	self    Owner // of the request
	update  bool
	reports []report
}

type report struct {
	rule   structured.Rule
	fields fieldset.Set
	owner  Owner
}

// record returns the types for a call of the engine and, if there is an observer, a
// recorder of its reports.
func (m *Manager) record(self Owner, update bool) (*structured.Types, *recorder) {
	if m.observer == nil {
		return &m.types, nil
	}
	r := &recorder{m: m, self: self, update: update}
	types := m.types
	types.Report = func(rule structured.Rule, fields fieldset.Set, about entry) {
		if fields.Empty() {
			return
		}
		owner := ownerOf(&about)
		if rule == structured.Track {
			owner = self
		}
		r.reports = append(r.reports, report{rule, fields, owner})
	}
	return &types, r
}

// decisions maps the engine's rules to rules and outcomes. Kept is replaced by added,
// replaced or removed depending on the values.
var decisions = [...]struct {
	apply, update Rule
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

// publish passes the reported fields to the observer, in the order of the reports. Metadata
// that the server sets is omitted.
func (r *recorder) publish(before, after document.Value) {
	if r == nil {
		return
	}
	for _, f := range r.reports {
		fields := f.fields.Minus(serverFields())
		if decisions[f.rule].outcome == patch.Kept {
			fields = fields.Leaves()
		}
		structured.Locate(r.m.types.Type, fields, []document.Value{before, after}, func(p document.Path, at []document.Value, where []document.Path) bool {
			d := r.decision(f, at[0], at[1])
			d.Path, d.At = p, where[1]
			if !d.New.Exists() {
				d.At = where[0]
			}
			r.m.observer(d)
			return true
		})
	}
}

// publishConflicts passes the conflicts of a refused apply to the observer, and nothing
// else.
func (r *recorder) publishConflicts(found structured.Conflicts, live, config document.Value) {
	if r == nil {
		return
	}
	r.reports = nil
	for i := range found {
		r.reports = append(r.reports, report{structured.Clash, found[i].Fields, ownerOf(&found[i].Entry)})
	}
	r.publish(live, config)
}

// decision returns the decision about a field with the values before and after.
func (r *recorder) decision(f report, before, after document.Value) Decision {
	rule := decisions[f.rule]
	d := Decision{Rule: rule.apply, Outcome: rule.outcome, Owner: f.owner, Old: before, New: after}
	if r.update {
		d.Rule = rule.update
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

// note passes a decision about the whole object to the observer.
func (m *Manager) note(r Rule, o patch.Outcome, owner Owner) {
	if m.observer != nil {
		m.observer(Decision{Rule: r, Outcome: o, Owner: owner})
	}
}
