package explain

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Reason is the effect of a request on a field and the rule behind it. As JSON it is an
// object with the members of [Change] (path, effect, before, after, ownersBefore,
// ownersAfter) and those below.
type Reason struct {
	Change
	// Rule is the rule that decided. Also lists other rules that contributed, the last one
	// first.
	Rule Rule   `json:"rule"`
	Also []Rule `json:"also,omitempty"`
	// Wanted is the value in the request if it differs from the result; absent if there is
	// none.
	Wanted document.Value `json:"wanted,omitzero"`
	// KeptBy lists the owners because of whom the field remains or the request is refused.
	KeptBy []fieldmanager.Owner `json:"keptBy,omitempty"`
	// With is the topmost part of the object that was added or removed together with the
	// field; nil if only the field was.
	With document.Path `json:"with,omitempty"`
	// Merges describes how the field is merged, as the function Merges does. List is the
	// innermost list on the path whose items have their own owners, and ListMerges
	// describes it; "" if there is none.
	Merges     string        `json:"merges,omitempty"`
	List       document.Path `json:"list,omitempty"`
	ListMerges string        `json:"listMerges,omitempty"`
	// Text is a sentence about the effect. Expected is one about what users may have
	// expected instead; it may be "".
	Text     string `json:"text"`
	Expected string `json:"expected,omitempty"`
	// Message is the API server's message if the request was refused.
	Message string `json:"message,omitempty"`
	// Hint is advice about a refused field; may be "".
	Hint string `json:"hint,omitempty"`
}

// String returns the rule and the change in one line, such as
//
//	apply/own: .spec.paused set: nothing, now true; owned by nobody, now by "gitops"
func (r Reason) String() string { return string(r.Rule) + ": " + r.Change.String() }

// Write is a create, an update or a patch of an object with its result.
type Write struct {
	// Type is the type of the object's kind.
	Type *schema.Type
	// Before and After are the object before and after the write. After is ignored if the
	// write was refused.
	Before, After fieldmanager.Object
	// Manager is the field manager of the request.
	Manager string
	// Conflicts and Refused are the reasons for a refusal; both are empty if the write
	// succeeded.
	Conflicts []fieldmanager.Conflict
	Refused   []Refusal
	// Notes holds the decisions recorded during the request: the Notes of the
	// cluster.Request. If it is nil, the reasons are those of an update that made the same
	// change.
	Notes *Notes
}

// Refusal is a field for which a request was refused; an empty Path means the request as a
// whole.
type Refusal struct {
	Path    document.Path
	Rule    Rule
	Value   document.Value
	Message string
	Hint    string
}

// Reasons returns the fields that a write set, removed, reordered or transferred between
// managers, those that it kept unchanged although it has another value for them, and those
// for which it was refused, each with the rule that decided, sorted by path. For a refused
// write it returns only the reasons for the refusal and for values kept around a refused
// field.
//
// Every field in [Changes] and every conflict has a reason. Reasons are derived from the
// recorded decisions (see [Notes]); nothing is merged again.
func Reasons(w Write) []Reason {
	e := explainer{Write: w}
	if e.Notes == nil {
		e.Notes = &Notes{}
	}
	e.has = map[string]bool{}
	if len(w.Conflicts)+len(w.Refused) > 0 {
		e.conflicts()
		e.refusals()
		return e.reasons
	}
	e.changes = allChanges(w.Type, w.Before, w.After)
	e.events, e.patch = e.Notes.history(w.Type), e.Notes.patchRules(w.Type)
	e.managed = map[string][]fieldmanager.Decision{}
	for _, d := range e.Notes.managed {
		key := d.Path.String()
		e.managed[key] = append(e.managed[key], d)
		e.apply = e.apply || strings.HasPrefix(string(d.Rule), "apply/")
		if d.Rule == fieldmanager.RuleReset || d.Rule == fieldmanager.RuleUntracked {
			e.dropped = Rule(d.Rule)
		}
	}
	for _, c := range e.changes {
		e.changed(c)
	}
	e.keptByOwners()
	e.keptByStages()
	e.ignored()
	e.whole()
	e.byUpdate()
	sort.SliceStable(e.reasons, func(a, b int) bool { return e.reasons[a].Path.Compare(e.reasons[b].Path) < 0 })
	return e.reasons
}

// explainer determines the reasons for a successful write.
type explainer struct {
	Write
	changes []Change
	events  history
	patch   patchRules
	managed map[string][]fieldmanager.Decision
	apply   bool // the write is an apply, as far as is known
	dropped Rule // rule by which all managers were removed, "" if they were not
	reasons []Reason
	has     map[string]bool // paths that have a reason
}

// add completes a reason and adds it.
func (e *explainer) add(r Reason) {
	e.has[r.Path.String()] = true
	if r.top >= 0 && r.top < len(r.Path) {
		r.With = r.Path[:r.top:r.top]
	}
	e.describe(&r)
	e.reasons = append(e.reasons, r)
}

// changed adds the reason for a field whose value, position or owners changed.
func (e *explainer) changed(c Change) {
	r := Reason{Change: c}
	events := e.events[c.Path.String()]
	if len(events) == 0 && !document.Identical(c.Before, c.After) {
		events = e.events.of(c.Path)
	}
	for _, v := range slices.Backward(events) {
		r.decidedBy(e.ruleOf(v, &c))
	}
	if !e.apply && len(events) > 0 {
		for _, name := range e.patch.around(c.Path) {
			r.decidedBy(name)
		}
	}
	for _, d := range e.managed[c.Path.String()] {
		e.byManager(&r, d)
	}
	switch {
	case c.form && c.Effect == Removed:
		r.Rule, r.Also = RuleFilled, nil
	case c.form && c.Effect == Set && c.After.Len() == 0:
		r.Rule, r.Also = RuleEmptied, nil
	case r.Rule == "":
		r.Rule = e.ownerRule(&c)
	}
	if r.Rule == RuleCoOwned || r.Rule == Rule(fieldmanager.RulePruneKept) {
		e.keepers(&r, e.After.Managed)
	}
	e.migratedFrom(&r)
	if sent := e.wanted(c.Path); sent.Exists() && !document.Identical(sent, c.After) {
		r.Wanted = sent
	}
	e.add(r)
}

// migratedFrom adds the rule about the transfer of client-side apply's fields if the field was one of them.
func (e *explainer) migratedFrom(r *Reason) {
	if !slices.ContainsFunc(r.OwnersBefore, func(o fieldmanager.Owner) bool {
		return o.Operation == fieldmanager.OperationUpdate && slices.Contains(e.Notes.migrated, o.Manager)
	}) {
		return
	}
	if r.Effect == TakenOver && (r.Rule == Rule(fieldmanager.RuleShare) || r.Rule == Rule(fieldmanager.RuleOwn)) {
		r.Rule, r.Also = RuleMigrated, nil
		return
	}
	if r.Rule != Rule(fieldmanager.RuleTransfer) && r.Rule != Rule(fieldmanager.RuleKubectl) { // before the transfer
		r.decidedBy(RuleMigrated)
	}
}

// decidedBy adds a rule to a reason. The first rule is the one that decided.
func (r *Reason) decidedBy(name Rule) {
	switch {
	case name == "" || r.Rule == name || slices.Contains(r.Also, name):
	case r.Rule == "":
		r.Rule = name
	default:
		r.Also = append(r.Also, name)
	}
}

// byManager adds the rule of a field management decision about a field, unless it is
// implied by the field's new value.
func (e *explainer) byManager(r *Reason, d fieldmanager.Decision) {
	switch d.Rule {
	case fieldmanager.RuleOwn, fieldmanager.RuleTrack, fieldmanager.RulePrune:
		return
	case fieldmanager.RulePruneKept:
		if r.Effect != GivenUp && r.Effect != TakenOver {
			return
		}
	case fieldmanager.RuleTransfer, fieldmanager.RuleTaken:
		if r.Effect == Set || r.Effect == TakenOver { // the rule for the value comes first
			r.decidedBy(r.Rule)
			switch value := r.Rule; {
			case value == Rule(fieldmanager.RuleOwn):
				r.Rule = Rule(d.Rule)
				return
			case value == RuleNormalized && r.Effect == TakenOver: // the loss of the field matters more than its spelling
				r.Rule = ""
				r.decidedBy(Rule(d.Rule))
				r.decidedBy(value)
				return
			}
		}
	}
	r.decidedBy(Rule(d.Rule))
}

// ownerRule returns the rule for a change of owners without a decision.
func (e *explainer) ownerRule(c *Change) Rule {
	switch {
	case c.Effect == GivenUp && e.dropped != "":
		return e.dropped
	case e.apply && c.Effect == GivenUp:
		return Rule(fieldmanager.RulePruneKept)
	case e.apply && c.Effect == Shared:
		return Rule(fieldmanager.RuleShare)
	case e.apply && e.Before.Managed.Len() == 0 && !slices.ContainsFunc(c.OwnersAfter, e.self):
		return Rule(fieldmanager.RuleFirst)
	case e.apply:
		return Rule(fieldmanager.RuleOwn)
	case c.Effect == TakenOver || c.Effect == GivenUp:
		return Rule(fieldmanager.RuleTaken)
	}
	return Rule(fieldmanager.RuleTrack)
}

// ruleOf returns the rule by which a pipeline stage changed a field.
func (e *explainer) ruleOf(v event, c *Change) Rule {
	gone, made := !v.after.Exists(), !v.before.Exists()
	switch v.stage {
	case "sent":
		return e.sentRule(v, c)
	case "scaled":
		return RuleScaled
	case "decoded":
		switch {
		case gone && v.before.IsNull():
			return RuleNullDropped
		case gone && e.Type.At(c.Path) == nil:
			return RulePruned
		case gone && isEmpty(v.before):
			return RuleEmptyDropped
		case made && isEmpty(v.after):
			return RuleEncoded
		case gone || made || e.fromStringData(c.Path):
			return RuleConverted
		}
		return RuleNormalized
	case "defaulted":
		return RuleDefault
	case "lastApplied":
		return RuleLastApplied
	case "admitted":
		return RuleAdmission
	case "reset":
		if document.Identical(v.after, c.Before) {
			return RuleStrategy
		}
		return RuleComputed
	case "metadata":
		return RuleServerSet
	}
	return RuleStored
}

// fromStringData reports whether a field is in the data of a Secret and its value comes from the same
// key of stringData, which replaces that of data.
func (e *explainer) fromStringData(path document.Path) bool {
	return path.HasPrefix(document.Keys("data")) && len(e.events[slices.Concat(document.Keys("stringData"), path[1:]).String()]) > 0
}

// isEmpty reports whether a value is the zero value of its type, which Go's omitempty leaves out.
func isEmpty(v document.Value) bool {
	switch v.Kind() {
	case document.Object, document.List:
		return v.Len() == 0
	}
	switch v.String() {
	case `""`, "0", "false", "null":
		return true
	}
	return false
}

// sentRule returns the rule by which the request itself changed a field.
func (e *explainer) sentRule(v event, c *Change) Rule {
	gone := !v.after.Exists()
	if e.apply {
		return e.applyRule(gone, c)
	}
	if d, ok := e.patch.of(c.Path); ok {
		if d.Rule == patch.RuleMergeReplace && d.Old.Kind() == document.List && d.New.Kind() == document.List {
			return RuleMergeList
		}
		return Rule(d.Rule)
	}
	fallback := map[string][2]patch.Rule{
		"json":      {patch.RuleJSONReplace, patch.RuleJSONRemove},
		"merge":     {patch.RuleMergeReplace, patch.RuleMergeNull},
		"strategic": {patch.RuleStrategicReplace, patch.RuleStrategicNull},
	}
	if f, ok := fallback[e.patch.family]; ok {
		if gone {
			return Rule(f[1])
		}
		return Rule(f[0])
	}
	if gone {
		return RuleLeftOut
	}
	return RuleBody
}

// applyRule returns the rule by which an apply changed a field.
func (e *explainer) applyRule(gone bool, c *Change) Rule {
	if !gone {
		if isEmpty(c.After) && len(c.OwnersAfter) == 0 {
			return RuleEncoded // a new object has the members that are always printed
		}
		return Rule(fieldmanager.RuleOwn)
	}
	if c.Effect == Reordered || len(c.OwnersBefore) > 0 && slices.ContainsFunc(c.OwnersBefore, e.self) {
		return Rule(fieldmanager.RulePrune)
	}
	for _, d := range e.managed[c.Path.String()] {
		if d.Rule == fieldmanager.RulePrune {
			return Rule(fieldmanager.RulePrune)
		}
	}
	if e.pruned(c.Path) {
		return RuleWithParent
	}
	return Rule(fieldmanager.RuleOwn) // the configuration has another value in its place
}

// pruned reports whether an object or list item that contains a field was pruned.
func (e *explainer) pruned(path document.Path) bool {
	for n := len(path) - 1; n >= 0; n-- {
		for _, d := range e.managed[path[:n].String()] {
			if d.Rule == fieldmanager.RulePrune {
				return true
			}
		}
	}
	return false
}

// self reports whether an owner is the applying manager.
func (e *explainer) self(o fieldmanager.Owner) bool {
	return o.Manager == e.Manager && o.Operation == fieldmanager.OperationApply
}

// wanted returns the value of a field in the request.
func (e *explainer) wanted(path document.Path) document.Value {
	for _, v := range e.events.of(path) {
		if v.stage == "sent" || v.stage == "scaled" {
			return v.after
		}
	}
	return document.Value{}
}
