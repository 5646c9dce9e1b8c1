package defaults

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// ErrVersion: there are no rules for the version of Kubernetes.
var ErrVersion = errors.New("no default rules for this version of Kubernetes")

// The oldest and newest minor versions of Kubernetes 1 that have rules.
const (
	oldest = 30
	newest = 37
)

// Rules holds the default rules of one Kubernetes version. It is immutable and safe for
// concurrent use.
type Rules struct {
	minor   int
	on, off ruleSet
}

// A ruleSet holds the rules of one version and the plans compiled from them.
type ruleSet struct {
	byType map[string][]*Rule
	plans  sync.Map // name of a kind's type → *plan
}

// For returns the rules of a Kubernetes version, such as "1.36" or "v1.36.3"; "" is
// schema.DefaultVersion. An error wraps ErrVersion.
func For(version string) (*Rules, error) {
	major, rest, _ := strings.Cut(strings.TrimPrefix(cmp.Or(version, schema.DefaultVersion), "v"), ".")
	text, _, _ := strings.Cut(rest, ".")
	minor, err := strconv.Atoi(text)
	if err != nil || major != "1" || minor < oldest || minor > newest {
		return nil, fmt.Errorf("%w: %q; there are 1.%d to 1.%d", ErrVersion, version, oldest, newest)
	}
	if r, ok := versions.Load(minor); ok {
		return r.(*Rules), nil
	}
	rules, err := all()
	if err != nil {
		return nil, err
	}
	r := &Rules{minor: minor}
	r.on.byType, r.off.byType = map[string][]*Rule{}, map[string][]*Rule{}
	for _, rule := range rules {
		set := &r.on
		if rule.File == disabled {
			set = &r.off
		}
		if rule.Since <= minor && (rule.Until == 0 || minor <= rule.Until) {
			set.byType[rule.Type] = append(set.byType[rule.Type], rule)
		}
	}
	kept, _ := versions.LoadOrStore(minor, r)
	return kept.(*Rules), nil
}

// versions caches the rules and plans per minor version; all clusters share them.
var versions sync.Map

// List returns the rules of all versions in file order.
func List() ([]*Rule, error) { return all() }

// Options configures Apply. The zero value is ready to use.
type Options struct {
	// Now is the time of the request, which some defaults use (a device taint's timeAdded).
	// If it is zero, these defaults are omitted.
	Now time.Time
	// Observe, if not nil, is called for every value that a rule sets, in order.
	Observe func(Filled)
}

// Filled is one value that a rule set.
type Filled struct {
	Path  document.Path
	Value document.Value // absent if the rule removed the value
	Rule  *Rule
}

// Apply sets defaults like the default functions of the object's kind. The object must have
// been decoded by Decode. If nothing is missing, Apply returns v itself.
func (r *Rules) Apply(k *schema.Kind, v document.Value, o Options) document.Value {
	return r.ApplyUpdate(k, v, document.Value{}, o)
}

// ApplyUpdate is Apply for a value derived from live, a defaulted object of the kind. Parts
// that both share are skipped.
func (r *Rules) ApplyUpdate(k *schema.Kind, v, live document.Value, o Options) document.Value {
	if !k.Builtin || v.Kind() != document.Object {
		return v
	}
	p := r.on.plan(k.Type())
	if p == nil {
		return v
	}
	f := filler{options: o, path: make(document.Path, 0, usualDepth)}
	f.batch.changes = make([]remake.Change, 0, usualDepth)
	return f.walk(p, v, live)
}

// usualDepth is enough for the paths of almost all fields with defaults, and for the defaults of
// almost all types.
const usualDepth = 8

// A plan is the compiled form of the rules for one type: the rules in order, then the
// members to visit. Types without rules have no plan.
type plan struct {
	rules []*Rule
	kids  []kid
	each  *plan // for the items of a list or the members of a map
}

type kid struct {
	name string
	plan *plan
}

func (r *ruleSet) plan(t *schema.Type) *plan {
	if p, ok := r.plans.Load(t.Name); ok {
		return p.(*plan)
	}
	p := r.compile(t, map[*schema.Type]*plan{})
	r.plans.Store(t.Name, p)
	return p
}

// compile returns the plan of a type, nil if it has no rules. No type with rules is
// recursive.
func (r *ruleSet) compile(t *schema.Type, seen map[*schema.Type]*plan) *plan {
	if p, ok := seen[t]; ok {
		return p
	}
	seen[t] = nil
	p := &plan{rules: r.byType[t.Name]}
	switch {
	case t.List != nil:
		p.each = r.compile(t.List.Elem, seen)
	case t.Map != nil:
		for i := range t.Map.Fields {
			if below := r.compile(t.Map.Fields[i].Type, seen); below != nil {
				p.kids = append(p.kids, kid{t.Map.Fields[i].Name, below})
			}
		}
		if t.Map.Elem != nil {
			p.each = r.compile(t.Map.Elem, seen)
		}
	}
	if p.rules == nil && p.kids == nil && p.each == nil {
		return nil
	}
	seen[t] = p
	return p
}
