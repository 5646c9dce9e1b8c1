package defaults

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ErrVersion says that there are no rules for a version of Kubernetes.
var ErrVersion = errors.New("no default rules for this version of Kubernetes")

// The minor versions of Kubernetes 1 that the rules are for.
const (
	oldest = 30
	newest = 36
)

// Rules are the default rules of one version of Kubernetes. They are immutable
// and safe for concurrent use.
type Rules struct {
	minor   int
	on, off ruleSet
}

// A ruleSet is a set of rules of one version and the plans made of it.
type ruleSet struct {
	byType map[string][]*Rule
	plans  sync.Map // name of a kind's type → *plan
}

// For returns the rules of a version of Kubernetes, such as "1.36" or
// "v1.36.3"; of the newest where version is empty. An error wraps ErrVersion.
func For(version string) (*Rules, error) {
	minor := newest
	if version != "" {
		major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
		text, _, _ := strings.Cut(rest, ".")
		n, err := strconv.Atoi(text)
		if err != nil || major != "1" || n < oldest || n > newest {
			return nil, fmt.Errorf("%w: %q; there are 1.%d to 1.%d", ErrVersion, version, oldest, newest)
		}
		minor = n
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

// versions are the rules of the minor versions asked for, with the plans made of
// them: every cluster of one version shares them.
var versions sync.Map

// List returns the rules of all versions in the order of their files.
func List() ([]*Rule, error) { return all() }

// Options for Apply. The zero value is ready.
type Options struct {
	// Now is the time of the request, which a few defaults hold (a device
	// taint's timeAdded). Where it is zero these are left out.
	Now time.Time
	// Observe is called for every value that a rule sets, in the order in which
	// they are set.
	Observe func(Filled)
}

// Filled is one value that a rule set.
type Filled struct {
	Path  document.Path
	Value document.Value // absent where the rule took the value away
	Rule  *Rule
}

// Apply fills in what the default functions of the object's kind do. The same
// value comes back where nothing is missing. The object has been decoded, see
// Decode.
func (r *Rules) Apply(k *schema.Kind, v document.Value, o Options) document.Value {
	return r.ApplyUpdate(k, v, document.Value{}, o)
}

// ApplyUpdate is Apply for a value that was made from live, an object of the kind
// whose defaults are filled in. Parts that both share are not looked into.
func (r *Rules) ApplyUpdate(k *schema.Kind, v, live document.Value, o Options) document.Value {
	if !k.Builtin || v.Kind() != document.Object {
		return v
	}
	p := r.on.plan(k.Type())
	if p == nil {
		return v
	}
	f := filler{options: o}
	return f.walk(p, v, live)
}

// A plan says what Apply does with a value of one type: the rules, in order,
// and then the members to go into. Types without rules in them have none.
type plan struct {
	rules []*Rule
	kids  []kid
	each  *plan // the items of a list or members of a map
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

// compile makes the plan of a type, nil where there is nothing to do. No type
// with rules in it contains itself.
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
