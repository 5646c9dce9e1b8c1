package explain

import (
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	strategy "github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// Severity is the severity of a finding.
type Severity string

// The severities, with the names of SARIF.
const (
	// LevelError: an apply is refused or loses data.
	LevelError Severity = "error"
	// LevelWarning: an apply succeeds but probably does not do what is intended.
	LevelWarning Severity = "warning"
	// LevelNote: information.
	LevelNote Severity = "note"
)

// Finding is a definite or possible problem of an object under server-side apply.
type Finding struct {
	// Rule is the ID of the rule; see LintRules.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Path is the path of the field with list indices; empty for the object itself.
	Path    document.Path `json:"path,omitempty"`
	Message string        `json:"message"`
	// Remedy is the recommended correction.
	Remedy string `json:"remedy"`
}

// Lint checks objects for problems under server-side apply and returns the findings of each
// object, in document order. An object with managedFields is checked as a live object, and so
// is one with a uid and a resourceVersion if others have managedFields: a dump of a cluster has
// objects without owners. Any other object is checked as a manifest to be applied. The objects
// of a call are a set: manifests are checked against the autoscalers among them.
//
// The findings are derived from the types, list keys and owners that the engines use. An
// object of an unknown kind is checked as far as possible without a schema.
func Lint(registry *schema.Registry, objects ...document.Value) [][]Finding {
	targets, dump := scaled(objects), slices.ContainsFunc(objects, hasOwners)
	out := make([][]Finding, len(objects))
	for i, v := range objects {
		l := linter{registry: registry, object: v, typ: schema.AnyObject(), live: hasOwners(v) || dump && stored(v)}
		if kind, ok := registry.Of(v); ok {
			l.kind, l.typ = kind, kind.Type()
		}
		l.lint(targets)
		out[i] = l.found
	}
	return out
}

// hasOwners reports whether an object has managedFields.
func hasOwners(object document.Value) bool {
	return object.Lookup("metadata", "managedFields").Len() > 0
}

// stored reports whether an object has the metadata of a stored one.
func stored(object document.Value) bool {
	metadata := object.Get("metadata")
	return metadata.Get("uid").Exists() && metadata.Get("resourceVersion").Exists()
}

// linter checks one object.
type linter struct {
	registry *schema.Registry
	kind     *schema.Kind // nil if unknown
	typ      *schema.Type
	object   document.Value
	live     bool
	found    []Finding
	// places finds the list items in the paths that an apply reports. All findings have indices: in a
	// manifest, an item may lack its key or have that of another.
	places *structured.Indexer
	// mistyped holds the paths of the values that are reported to have a wrong type.
	mistyped map[string]bool
}

// add adds a finding with the severity and remedy of its rule.
func (l *linter) add(rule string, path document.Path, message string) {
	r := lintRule(rule)
	l.addAs(r.Severity, rule, path, message)
}

func (l *linter) addAs(s Severity, rule string, path document.Path, message string) {
	l.found = append(l.found, Finding{Rule: rule, Severity: s, Path: slices.Clone(path), Message: message, Remedy: lintRule(rule).Remedy})
}

// addUnlessReset adds a finding about the value of a field, which only matters in a manifest if its endpoint does not
// reset the field: a value that is reset is neither stored nor owned, and only its type is checked.
func (l *linter) addUnlessReset(rule string, path document.Path, message string) {
	if l.live || !l.isReset(path) {
		l.add(rule, path, message)
	}
}

func (l *linter) lint(targets map[scaleTarget]string) {
	if l.object.Kind() != document.Object {
		return
	}
	owners, err := fieldmanager.Split(l.object)
	if err != nil {
		l.live = false
		l.add(lintManagedFields, document.Keys("metadata", "managedFields"), err.Error())
	}
	l.dataSize()
	l.sizes()
	if l.live {
		l.walk(l.typ, owners.Value, make(document.Path, 0, usualDepth))
		l.owned(owners)
		return
	}
	l.walk(l.typ, l.object, make(document.Path, 0, usualDepth))
	l.manifest()
	l.fits()
	l.scaled(targets)
}

// fits checks that the manifest matches the type of its kind, as an apply does.
func (l *linter) fits() {
	kind := l.kind
	if kind == nil {
		group, version, _ := schema.SplitAPIVersion(l.object.Get("apiVersion").StringOr(""))
		kind = schema.NewKind(schema.GroupVersionKind{Group: group, Version: version, Kind: l.object.Get("kind").StringOr("")}, l.typ)
	}
	m, err := fieldmanager.For(l.registry, kind, "")
	if err != nil {
		return
	}
	// An apply does not find all mismatches of a manifest at once. The next ones are found by applying it
	// again with corrections of those found before.
	const most = 10
	object := l.declared()
	l.places, l.mistyped = structured.NewIndexer(l.typ, l.object), map[string]bool{}
	for _, f := range l.found {
		if f.Rule == lintType {
			l.mistyped[f.Path.String()] = true
		}
	}
	for range most {
		_, err := m.Apply(fieldmanager.Object{}, object, fieldmanager.ApplyOptions{FieldManager: "lint"})
		var corrected []bool
		if object, corrected = edited(l.typ, object, l.misfits(err)); !slices.Contains(corrected, true) {
			break
		}
	}
	if !kind.Builtin {
		return
	}
	if stored, _, err := defaults.Decode(kind, object, defaults.FromTree); err == nil {
		l.integers(l.typ, object, stored, make(document.Path, 0, usualDepth))
	}
}

// misfits reports the mismatches that an apply has found, and returns edits that remove undeclared fields
// and set all others to null. Null is valid in any declared field, and unlike a removal it keeps list items
// that have no other field, without which the items behind them would have other indices.
func (l *linter) misfits(err error) (fields []edit) {
	var misfit *structured.TypeError
	var undecoded *defaults.DecodeError
	var found []*structured.TypeError
	switch {
	case errors.As(err, &misfit):
		found = append([]*structured.TypeError{misfit}, misfit.Others...)
	case errors.As(err, &undecoded):
		found = []*structured.TypeError{{Path: undecoded.Path, Reason: undecoded.Reason}}
	}
	for _, e := range found {
		l.misfit(e)
		if n := len(e.Path); n > 0 {
			if _, named := e.Path[n-1].Name(); named { // an item must not be null
				correction := edit{path: e.Path}
				if e.Mismatch != structured.UndeclaredField {
					correction.value = document.NewNull()
				}
				fields = append(fields, correction)
			}
		}
	}
	return fields
}

// declared reports the fields that the kind does not have, and returns the manifest without them.
func (l *linter) declared() document.Value {
	object, unknown := structural.Prune(l.typ, l.object)
	if l.kind != nil && l.kind.Builtin {
		if _, problems, err := defaults.Decode(l.kind, l.object, defaults.FromJSON); err == nil {
			for _, p := range problems {
				l.add(lintUnknownField, p.Path, p.Message+hint(l.typ, p.Path))
			}
			return object
		}
	}
	for _, p := range unknown {
		l.add(lintUnknownField, p, "unknown field "+schema.FieldText(p)+hint(l.typ, p))
	}
	return object
}

// misfit reports a mismatch that an apply finds, unless another rule has found it before.
func (l *linter) misfit(e *structured.TypeError) {
	rule := lintType
	switch e.Mismatch {
	case structured.UndeclaredField:
		rule = lintUnknownField
	case structured.DuplicateItem:
		rule = lintDuplicateItem
	case structured.KeyedNoKeys:
		rule = lintMissingKey
	}
	at := l.places.Indexed(e.Path)
	path := at.String()
	switch {
	case rule != lintType && l.has(rule), rule == lintType && l.mistyped[path]:
		return
	case rule == lintType:
		l.mistyped[path] = true
	}
	l.add(rule, at, path+": "+e.Reason)
	if remedy := ValueHint(l.typ.At(at), l.object.Follow(at)); rule == lintType && remedy != "" {
		l.found[len(l.found)-1].Remedy = strings.ToUpper(remedy[:1]) + remedy[1:] + "."
	}
}

func hint(t *schema.Type, p document.Path) string {
	if near := t.NearestField(p); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func (l *linter) has(rule string) bool {
	for _, f := range l.found {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

// resetBy returns the fields that the endpoint of the object's kind resets.
func (l *linter) resetBy() []string {
	if l.kind == nil {
		return nil
	}
	return strategy.For(l.kind).Reset
}

// isReset reports whether a path is in a field that the endpoint of the object's kind resets.
func (l *linter) isReset(path document.Path) bool {
	return slices.ContainsFunc(l.resetBy(), func(field string) bool {
		reset := document.Keys(strings.Split(field, ".")...)
		return len(path) >= len(reset) && slices.Equal(path[:len(reset)], reset)
	})
}
