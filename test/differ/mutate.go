// Package differ sends the same random requests to a real kube-apiserver and to patchlab:
// recorded cases, changed at random. It is skipped without a server to compare with (see
// testserver.EnvServer).
package differ

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// mutator derives new cases from recorded ones, deterministically for a seed.
type mutator struct {
	random *rand.Rand
	cases  []conformance.Case
	values []any // from all recorded bodies
}

func newMutator(seed uint64, cases []conformance.Case) *mutator {
	m := &mutator{random: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
	for _, c := range cases {
		if !namespaced(c) {
			continue
		}
		m.cases = append(m.cases, c)
		for _, s := range c.Steps {
			if v, ok := decode(s.Request.Body); ok {
				m.gather(v)
			}
		}
	}
	return m
}

// namespaced reports whether all requests of a case are in its own namespace, so that
// it can be repeated on a shared server.
func namespaced(c conformance.Case) bool {
	for _, s := range c.Steps {
		if !caseNamespace.MatchString(s.Request.Path) || s.Request.Events > 0 || s.Request.SleepMS > 0 {
			return false
		}
	}
	return true
}

var caseNamespace = regexp.MustCompile(`c-[0-9a-f]{10}`)

func (m *mutator) gather(v any) {
	const most = 20000
	if len(m.values) < most {
		m.values = append(m.values, v)
	}
	switch t := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(t)) {
			m.gather(t[k])
		}
	case []any:
		for _, item := range t {
			m.gather(item)
		}
	}
}

// next returns a new case without responses, with a unique namespace and name.
func (m *mutator) next(name string) conformance.Case {
	from := m.cases[m.random.IntN(len(m.cases))]
	text, err := json.Marshal(from)
	if err != nil {
		panic(err) // impossible: the value was decoded from JSON
	}
	old := caseNamespace.FindString(from.Steps[0].Request.Path)
	text = bytes.ReplaceAll(text, []byte(old), []byte(fmt.Sprintf("c-%010x", m.random.Uint64()&0xffffffffff)))
	var c conformance.Case
	if err := json.Unmarshal(text, &c); err != nil {
		panic(err)
	}
	c.Name, c.Note = name, "from "+from.Name
	for i := range c.Steps {
		c.Steps[i].Response = conformance.Response{}
	}
	for range 1 + m.random.IntN(4) {
		m.mutate(&c)
	}
	return c
}

func (m *mutator) mutate(c *conformance.Case) {
	i := m.random.IntN(len(c.Steps))
	switch m.random.IntN(12) {
	case 0: // repeat a step
		c.Steps = slices.Insert(c.Steps, i, c.Steps[i])
	case 1: // remove a step, except the first, which creates the object
		if i > 0 {
			c.Steps = slices.Delete(c.Steps, i, i+1)
		}
	case 2: // swap two steps
		j := m.random.IntN(len(c.Steps))
		c.Steps[i], c.Steps[j] = c.Steps[j], c.Steps[i]
	case 3: // change the query parameters
		m.query(&c.Steps[i].Request)
	case 4: // change the patch type
		m.contentType(&c.Steps[i].Request)
	default:
		m.body(&c.Steps[i].Request)
	}
}

func (m *mutator) pick(s ...string) string { return s[m.random.IntN(len(s))] }

func (m *mutator) query(r *conformance.Request) {
	option := m.pick("fieldManager=alice", "fieldManager=bob", "fieldManager=x", "force=true", "force=false", "fieldValidation=Strict",
		"fieldValidation=Ignore", "fieldValidation=Warn", "dryRun=All", "fieldManager=kubectl")
	name, _, _ := strings.Cut(option, "=")
	var kept []string
	for _, o := range strings.Split(r.Query, "&") {
		if o != "" && !strings.HasPrefix(o, name+"=") {
			kept = append(kept, o)
		}
	}
	if m.random.IntN(4) > 0 {
		kept = append(kept, option)
	}
	r.Query = strings.Join(kept, "&")
}

func (m *mutator) contentType(r *conformance.Request) {
	if r.Method == "PATCH" && strings.HasPrefix(strings.TrimSpace(r.Body), "{") {
		r.ContentType = m.pick("application/apply-patch+yaml", "application/merge-patch+json", "application/strategic-merge-patch+json")
	}
}

// body changes a JSON body at a random position.
func (m *mutator) body(r *conformance.Request) {
	v, ok := decode(r.Body)
	if !ok {
		return
	}
	v = m.change(v, 0)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	r.Body = strings.TrimSpace(b.String())
}

func decode(body string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if body == "" || d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// change replaces the value at a random position below v.
func (m *mutator) change(v any, depth int) any {
	switch t := v.(type) {
	case map[string]any:
		if len(t) == 0 || depth > 0 && m.random.IntN(6) == 0 {
			return m.changeObject(t)
		}
		keys := slices.Sorted(maps.Keys(t))
		k := keys[m.random.IntN(len(keys))]
		if depth == 0 && (k == "apiVersion" || k == "kind") && m.random.IntN(10) > 0 {
			k = keys[m.random.IntN(len(keys))]
		}
		t[k] = m.change(t[k], depth+1)
		return t
	case []any:
		if len(t) == 0 || m.random.IntN(3) == 0 {
			return m.changeList(t)
		}
		i := m.random.IntN(len(t))
		t[i] = m.change(t[i], depth+1)
		return t
	}
	return m.replacement(v)
}

func (m *mutator) changeObject(t map[string]any) any {
	keys := slices.Sorted(maps.Keys(t))
	switch m.random.IntN(5) {
	case 0:
		return map[string]any{}
	case 1:
		return nil
	case 2:
		if len(keys) > 0 {
			delete(t, keys[m.random.IntN(len(keys))])
		}
		return t
	case 3:
		t[m.pick("a", "b", "name", "value", "labels", "$patch", "replicas", "data", "finalizers", "x.y/z")] = m.value()
		return t
	}
	return m.value()
}

func (m *mutator) changeList(t []any) any {
	if len(t) == 0 {
		return []any{m.value()}
	}
	i, j := m.random.IntN(len(t)), m.random.IntN(len(t))
	switch m.random.IntN(6) {
	case 0:
		return slices.Delete(t, i, i+1)
	case 1:
		t[i], t[j] = t[j], t[i]
		return t
	case 2:
		return append(t, t[i])
	case 3:
		return append(t, m.value())
	case 4:
		return []any{}
	}
	return nil
}

// replacement returns another scalar for v.
func (m *mutator) replacement(v any) any {
	switch t := v.(type) {
	case json.Number:
		if m.random.IntN(3) > 0 {
			return json.Number(m.pick("0", "1", "2", "3", "-1", "80", "1.0", "1.5", "1e2", "2147483648", "9007199254740993", t.String()+"0"))
		}
	case string:
		if m.random.IntN(3) > 0 {
			return m.pick("", "a", "b", "x", "1", "true", t+"x", strings.ToUpper(t), "é<&>", "500m", "0.5", "1Gi")
		}
	case bool:
		if m.random.IntN(3) > 0 {
			return !t
		}
	}
	return m.value()
}

// value returns null, an empty object or list, or a value of another body.
func (m *mutator) value() any {
	switch m.random.IntN(6) {
	case 0:
		return nil
	case 1:
		return map[string]any{}
	case 2:
		return []any{}
	}
	v := m.values[m.random.IntN(len(m.values))]
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	copied, _ := decode(string(text))
	return copied
}
