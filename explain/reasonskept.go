package explain

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// keptByOwners adds the reasons for fields that an apply gave up and that remain.
func (e *explainer) keptByOwners() {
	for _, d := range e.Notes.managed {
		if d.Rule != fieldmanager.RulePruneKept || !d.New.Exists() {
			continue
		}
		e.itemKept(d, e.After.Managed)
		if e.has[d.Path.String()] {
			continue
		}
		r := Reason{Change: Change{Path: d.Path, Effect: Kept, Before: d.Old, After: d.New, top: -1}}
		r.OwnersBefore = ownersAt(e.Before.Managed, d.Path)
		r.OwnersAfter = ownersAt(e.After.Managed, d.Path)
		e.keepers(&r, e.After.Managed)
		e.migratedFrom(&r)
		e.add(r)
	}
}

// keepers determines who keeps a field that the applying manager gave up.
func (e *explainer) keepers(r *Reason, m fieldmanager.Managed) {
	r.KeptBy = slices.DeleteFunc(ownersAt(m, r.Path), e.self)
	r.Rule = RuleCoOwned
	if len(r.KeptBy) > 0 && r.Path[len(r.Path)-1].Kind() != document.StepKey {
		return
	}
	for _, entry := range m.Entries() {
		if !entry.Fields.Below(r.Path).Empty() && !e.self(entry.Owner) && !slices.ContainsFunc(r.KeptBy, entry.Same) {
			r.KeptBy = append(r.KeptBy, entry.Owner)
		}
	}
	r.Rule = RuleItemKept
	if len(r.KeptBy) == 0 {
		r.Rule = Rule(fieldmanager.RulePruneKept)
		if t := e.Type.At(r.Path); t != nil && t.List != nil && t.Map == nil && t.List.Kind != schema.AtomicList && e.ownedWhole(r.Path) {
			r.Rule = RuleWasAtomic // nobody owns such a list itself any longer
		}
	}
}

// ownedWhole reports whether a manager owned a list before the write, and none of its items.
func (e *explainer) ownedWhole(list document.Path) bool {
	return slices.ContainsFunc(e.Before.Managed.Owners(list), func(entry fieldmanager.Entry) bool {
		return entry.Fields.Below(list).Empty()
	})
}

// ownersAt returns the owners of a field.
func ownersAt(m fieldmanager.Managed, path document.Path) []fieldmanager.Owner {
	var list []fieldmanager.Owner
	for _, entry := range m.Owners(path) {
		list = append(list, entry.Owner)
	}
	return list
}

// keptByStages adds the reasons for fields that are unchanged although the request has
// another value, because a later stage reset them.
func (e *explainer) keptByStages() {
	sent := e.Notes.sent()
	if !sent.Exists() {
		return
	}
	var last *Reason
	for _, c := range allChanges(e.Type, fieldmanager.Object{Value: sent}, fieldmanager.Object{Value: e.After.Value}) {
		events := e.events.of(c.Path)
		if e.has[c.Path.String()] || len(events) == 0 {
			continue
		}
		r := Reason{Change: Change{Path: c.Path, Effect: Kept, Before: c.After, After: c.After, top: -1}, Wanted: c.Before}
		if c.Effect == Removed {
			r.Effect, r.Before, r.After = Ignored, document.Value{}, document.Value{}
		}
		for _, v := range slices.Backward(events) {
			r.decidedBy(e.ruleOf(v, &Change{Path: c.Path, Before: r.Before, After: r.After}))
		}
		if e.unasked(&r) || e.isZero(&r) || e.isEmptied(&r) {
			continue
		}
		if c.top >= 0 && c.top < len(c.Path) && c.top > 0 {
			if last != nil && last.Rule == r.Rule && last.Effect == r.Effect && c.Path.HasPrefix(last.Path) {
				continue
			}
			r.Path = slices.Clone(c.Path[:c.top])
			r.Before, r.After, r.Wanted = e.After.Value.Follow(r.Path), e.After.Value.Follow(r.Path), sent.Follow(r.Path)
			if r.Effect == Ignored {
				r.Before, r.After = document.Value{}, document.Value{}
			}
		}
		r.OwnersBefore, r.OwnersAfter = ownersAt(e.Before.Managed, r.Path), ownersAt(e.After.Managed, r.Path)
		e.add(r)
		last = &r
	}
}

// isZero reports whether a field is an empty object that nobody has requested: an apply that creates an object
// begins with those that its Go type contains.
func (e *explainer) isZero(r *Reason) bool {
	return e.apply && len(e.managed[r.Path.String()]) == 0 && !e.Before.Value.Exists() && r.Effect == Ignored && r.Wanted.Kind() == document.Object && r.Wanted.Len() == 0
}

// isEmptied reports whether an apply removed all members of an object or list, which the merge turns into null.
func (e *explainer) isEmptied(r *Reason) bool {
	return e.apply && r.Rule == RuleNullDropped && e.Before.Value.Follow(r.Path).Exists()
}

// unasked reports whether a field is unchanged because the body of a create or update lacks
// it and the API server sets it in every object. Such omissions are not intended; the
// status is handled separately.
func (e *explainer) unasked(r *Reason) bool {
	if r.Wanted.Exists() || !slices.Contains(r.Also, RuleLeftOut) || r.Path[0] == document.FieldStep("status") {
		return false
	}
	switch r.Rule {
	case RuleDefault, RuleEncoded, RuleServerSet, RuleStored:
		return true
	}
	return false
}

// ignored adds the reasons for parts of a patch without effect.
func (e *explainer) ignored() {
	for _, d := range e.Notes.patched {
		if d.Outcome != patch.Ignored {
			continue
		}
		path, ok := fieldPath(e.Type, e.Notes.sent(), d.Path)
		if !ok {
			path = d.Path
		}
		if !e.has[path.String()] {
			e.add(Reason{Change: Change{Path: path, Effect: Ignored, top: -1}, Rule: Rule(d.Rule), Wanted: d.New})
		}
	}
}

// whole adds the decisions about the whole object.
func (e *explainer) whole() {
	for _, d := range e.Notes.managed {
		if len(d.Path) == 0 && d.Rule != fieldmanager.RuleOwn && d.Rule != fieldmanager.RuleTrack {
			r := Reason{Change: Change{Effect: Noted, top: -1}, Rule: Rule(d.Rule)}
			if d.Owner.Manager != "" {
				r.OwnersAfter = []fieldmanager.Owner{d.Owner}
			}
			e.add(r)
		}
	}
}

// byUpdate adds the reasons for fields left over from the applying manager's own updates:
// fields that the same tool wrote before it began to apply, and that its configuration
// lacks.
func (e *explainer) byUpdate() {
	if !e.apply {
		return
	}
	var applied fieldmanager.Set
	for _, entry := range e.After.Managed.Of(e.Manager) {
		if e.self(entry.Owner) && entry.Subresource == "" {
			applied = entry.Fields
		}
	}
	for _, entry := range e.After.Managed.Entries() {
		if entry.Operation != fieldmanager.OperationUpdate || entry.Subresource != "" || !sameTool(entry.Manager, e.Manager) {
			continue
		}
		left := fieldset.Raw(entry.Fields.Minus(applied).FieldsV1()).Leaves()
		structured.Locate(e.Type, left, []document.Value{e.After.Value}, func(path document.Path, at []document.Value, _ []document.Path) bool {
			v := at[0]
			if !e.has[path.String()] && v.Exists() && entry.Fields.Below(path).Empty() && !e.configures(path) {
				list := ownersAt(e.After.Managed, path)
				e.add(Reason{Change: Change{Path: path, Effect: Kept, Before: v, After: v, OwnersBefore: list, OwnersAfter: list, top: -1},
					Rule: RuleByUpdate, KeptBy: list})
			}
			return true
		})
	}
}

// configures reports whether the configuration has an object with members at a path. An apply owns the members of such an
// object and not the object itself, which an update does own.
func (e *explainer) configures(path document.Path) bool {
	sent := e.Notes.sent().Follow(path)
	return sent.Kind() == document.Object && sent.Len() > 0
}

// sameTool reports whether an updating manager is the tool that applies, under its own name
// or that of a kubectl command.
func sameTool(updater, applier string) bool {
	return updater == applier || applier == "kubectl" && (updater == "kubectl-client-side-apply" || updater == "kubectl-create" ||
		updater == "kubectl-edit" || updater == "kubectl-replace")
}

// conflicts adds the reasons for the conflicts of an apply.
func (e *explainer) conflicts() {
	for _, c := range e.Conflicts {
		e.add(Reason{Change: Change{Path: c.Path, Effect: Conflicting, Before: c.Live, OwnersBefore: []fieldmanager.Owner{c.Owner}, top: -1},
			Rule: Rule(fieldmanager.RuleConflict), Wanted: c.Wanted, KeptBy: []fieldmanager.Owner{c.Owner}, Hint: ConflictNote(e.Type, c)})
	}
}

// refusals adds the reasons for the fields for which a request was refused.
func (e *explainer) refusals() {
	for _, f := range e.Refused {
		r := Reason{Change: Change{Path: f.Path, Effect: Refused, top: -1}, Rule: f.Rule, Wanted: f.Value, Message: f.Message, Hint: f.Hint}
		if r.Rule == "" {
			r.Rule = RuleRequest
		}
		if r.Rule == RuleImmutable {
			r.Before = e.Before.Value.Follow(f.Path)
			r.OwnersBefore = ownersAt(e.Before.Managed, f.Path)
		}
		for _, d := range e.Notes.patched {
			if n := len(d.Path) - 1; d.Rule == patch.RuleStrategicMergeKey && len(f.Path) > n && f.Path.HasPrefix(d.Path[:n]) {
				r.decidedBy(Rule(d.Rule)) // an item of the same list
			}
		}
		path, ok := fieldPath(e.Type, e.Notes.sent(), f.Path)
		if ok && len(path) > 0 {
			e.behind(path, &r)
		}
		e.add(r)
	}
}

// behind adds what an apply decided about a field before it was refused: that the field was
// pruned, or that its parent was kept.
func (e *explainer) behind(path document.Path, r *Reason) {
	for _, d := range e.Notes.managed {
		switch {
		case d.Rule == fieldmanager.RulePrune && path.HasPrefix(d.Path):
			r.decidedBy(Rule(d.Rule))
		case d.Rule == fieldmanager.RulePruneKept && len(itemOf(path)) > 0 && slices.Equal(itemOf(d.Path), itemOf(path)):
			e.itemKept(d, e.Before.Managed)
		}
	}
}

// itemOf returns the path of the innermost list item on a path, nil if there is none.
func itemOf(path document.Path) document.Path {
	for n := len(path); n > 0; n-- {
		if path[n-1].Kind() == document.StepKey {
			return path[:n:n]
		}
	}
	return nil
}

// itemKept adds the reason for a list item that the applying manager gave up and that
// remains with the field of a decision. m holds the managers after the apply or, if it was
// refused, before it.
func (e *explainer) itemKept(d fieldmanager.Decision, m fieldmanager.Managed) {
	item := itemOf(d.Path)
	if item == nil || e.has[item.String()] {
		return
	}
	before := ownersAt(e.Before.Managed, item)
	after := ownersAt(m, item)
	if m.Value().Exists() && document.SameNode(m.Value(), e.Before.Managed.Value()) {
		after = slices.DeleteFunc(after, e.self)
	}
	if !slices.ContainsFunc(before, e.self) || slices.ContainsFunc(after, e.self) {
		return
	}
	r := Reason{Change: Change{Path: item, Effect: Kept, OwnersBefore: before, OwnersAfter: after, top: -1}}
	if len(d.At) == len(d.Path) {
		r.Before = e.Before.Value.Follow(d.At[:len(item)])
		r.After = e.Notes.sent().Follow(d.At[:len(item)])
	}
	e.keepers(&r, m)
	e.add(r)
}

// overrides reports whether the apply was forced because kubectl overrides conflicts with its own client-side
// apply.
func (e *explainer) overrides() bool {
	return slices.ContainsFunc(e.Notes.managed, func(d fieldmanager.Decision) bool { return d.Rule == fieldmanager.RuleKubectl })
}

// describe sets the texts of a reason from its type and rule.
func (e *explainer) describe(r *Reason) {
	e.typeOf(r)
	about, ok := named(r.Rule)
	if !ok {
		return
	}
	names := e.ownersIn(r)
	about = e.inCase(about, r, names)
	r.Text, r.Expected = strings.ReplaceAll(about.text, ownersMark, nameAll(names)), about.expected
	if r.Rule == RuleServerSet && !r.Wanted.Exists() {
		r.Expected = ""
	}
	if r.Rule == Rule(fieldmanager.RulePrune) && slices.Contains(r.Also, RuleMigrated) {
		about, _ = named(RuleMigrated)
		r.Expected = about.expected
	}
	if merged := Rule(patch.RuleStrategicMergeKey); r.Expected == "" && slices.Contains(r.Also, merged) {
		about, _ = named(merged)
		r.Expected = about.expected
	}
}

// ownersIn returns the owners that the text of a reason names: those that keep the field, or else the
// others that lose it; where a field is shared, those with whom.
func (e *explainer) ownersIn(r *Reason) []fieldmanager.Owner {
	if r.Rule == Rule(fieldmanager.RuleShare) {
		return slices.DeleteFunc(slices.Clone(r.OwnersAfter), e.self)
	}
	if len(r.KeptBy) > 0 {
		return r.KeptBy
	}
	var names []fieldmanager.Owner
	for _, o := range r.OwnersBefore {
		if !slices.ContainsFunc(r.OwnersAfter, o.Same) && !e.self(o) {
			names = append(names, o)
		}
	}
	return names
}

// inCase returns the texts of a rule, or those for a case of it that they do not describe. names are the owners that the
// text names.
func (e *explainer) inCase(about rule, r *Reason, names []fieldmanager.Owner) rule {
	switch {
	case r.Rule == RuleWithParent && len(names) == 0:
		about = rule{text: "The list item or object that contains the field is removed because it no longer has an owner, together with the fields in it that have none either."}
	case r.Rule == Rule(fieldmanager.RulePruneKept) && e.configures(r.Path):
		about = rule{text: "The configuration has members of the object. An apply owns these, but not the object itself, as an update does."}
	case r.Rule == Rule(fieldmanager.RuleTransfer) && e.overrides():
		about.text = "kubectl overrides conflicts with its own client-side apply, so it takes the field over and {owners} loses it."
	case r.Rule == Rule(fieldmanager.RuleConflict) && sameTool(names[0].Manager, e.Manager):
		about.expected = "That a tool does not conflict with itself. Its updates and its applies are different owners."
	case r.Rule == RuleDefault && slices.Contains(r.Also, Rule(fieldmanager.RulePrune)):
		about = rule{text: "The configuration no longer has the field, and nobody else owns it, so it is removed, and the API server sets its default.",
			expected: "That the value remains. It does if another manager, such as an autoscaler, owns the field when the configuration drops it."}
		if r.Effect == GivenUp {
			about = rule{text: "The configuration no longer has the field, so the applier gives it up; the default that the API server sets is the same value."}
		}
	case r.Rule == RuleNormalized && r.Effect == Kept && r.Wanted.Kind() != document.Object && r.Wanted.Kind() != document.List:
		about.text = "The request spells the current value differently. The API server stores the canonical form, so the field does not change."
		if !e.apply {
			about.text += " The manager does not become an owner, because an update or a patch owns only the fields that it changes."
		}
	}
	return about
}

// nameAll returns owners as an enumeration in a sentence.
func nameAll(list []fieldmanager.Owner) string {
	var names []string
	for _, o := range list {
		name := o.Manager + " (" + string(o.Operation)
		if o.Subresource != "" {
			name += ", subresource " + o.Subresource
		}
		if name += ")"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch n := len(names); n {
	case 0:
		return "another manager"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// typeOf sets how the field and its innermost list are merged.
func (e *explainer) typeOf(r *Reason) {
	t := e.Type
	for i, s := range r.Path {
		if t == nil {
			return
		}
		if name, ok := s.Name(); ok {
			t = t.Map.Member(name)
			continue
		}
		if t.List == nil {
			return
		}
		r.List, r.ListMerges = r.Path[:i:i], Merges(t)
		t = t.List.Elem
	}
	if t != nil && len(r.Path) > 0 {
		r.Merges = Merges(t)
	}
}
