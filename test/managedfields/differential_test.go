package managedfields

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/schema"
)

var (
	cases = flag.Int("cases", 20000, "random requests to compare with apimachinery")
	seed  = flag.Uint64("seed", 1, "the first of the seeds, one for every eight requests or more")
	tell  = flag.Bool("progress", false, "tell every ten seconds how far it is")
)

// TestAgreesWithApimachinery sends random requests of several managers to objects of all
// catalog kinds and of random custom kinds, and compares the object, its managedFields (except
// for times), conflicts and errors.
func TestAgreesWithApimachinery(t *testing.T) {
	utilruntime.ErrorHandlers = nil // apimachinery logs unusual managedFields
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	began, told := time.Now(), time.Now()
	kinds := catalogKinds(t)
	known := map[*schema.Kind]managedfields.TypeConverter{}
	reached := map[*schema.Kind]bool{}
	done := map[string]int{}
	s := *seed
	for n := 0; n < *cases; s++ {
		long := 0
		if s%29 == 3 {
			long = 60
		}
		g := generate.New(s, generate.Options{Odd: s%3 == 0, Depth: 7, Long: long})
		k := kinds[g.IntN(len(kinds))]
		drawn := g.IntN(2) == 0
		if drawn {
			k = g.Kind("lab/v1")
		}
		types, err := known[k], error(nil)
		if types == nil {
			if types, err = typesOf(k); err != nil {
				t.Fatalf("seed %d: %v", s, err)
			}
			if !drawn {
				known[k] = types
			}
		}
		if done["sequences"]++; drawn {
			done["sequences of a drawn kind"]++
		} else {
			reached[k] = true
		}
		d, err := compare(s, g, k, types)
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n(run again with -seed %d -cases 1)", s, k, err, s)
		}
		for what, m := range d.done {
			done[what] += m
			n += m
		}
		for what, found := range map[string]bool{"sequences with long lists": long > 0, "sequences with odd values": s%3 == 0,
			"sequences of more managers than are kept": d.overCap, "sequences with a client-side apply": d.kubectl} {
			if found {
				done[what]++
			}
		}
		if *tell && time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "%d of %d requests, %.0f in a second, no difference so far\n", n, *cases, float64(n)/time.Since(began).Seconds())
		}
	}
	t.Logf("seeds %d to %d agree, %d of %d kinds were used: %v", *seed, s-1, len(reached), len(kinds), done)
	if *cases >= 1000 && (done["applied"] == 0 || done["conflicted"] == 0 || done["updated"] == 0 || done["refused"] == 0) {
		t.Error("not every outcome occurs")
	}
}

// catalogKinds returns the kinds of the catalog whose objects are stored.
func catalogKinds(t testing.TB) []*schema.Kind {
	t.Helper()
	c, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	var out []*schema.Kind
	for k := range c.Kinds() {
		if k.Resource != "" && k.Type().Map.Field("metadata") != nil {
			out = append(out, k)
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d kinds", len(out))
	}
	return out
}

// A comparison sends a sequence of requests to both field managers.
type comparison struct {
	ours   *fieldmanager.Manager
	theirs *peer
	kind   *schema.Kind
	live   []byte
	done   map[string]int

	overCap bool // there are more managers than managedFields keeps
	kubectl bool // some requests follow a client-side apply
}

// compare runs the comparison of a seed. The merging of surplus managers depends on the current
// second, so a comparison during which a new second begins does not count.
func compare(s uint64, g *generate.Generator, k *schema.Kind, types managedfields.TypeConverter) (*comparison, error) {
	for {
		d, err := newComparison(k, types)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		switch s % 16 {
		case 5:
			d.overCap = true
			err = d.run(g, began, 30)
		case 6:
			d.kubectl = true
			err = d.run(g, began, 8)
		default:
			err = d.run(g, began, 8)
		}
		if err == nil || time.Now().Unix() == began.Unix() {
			return d, err
		}
	}
}

func newComparison(k *schema.Kind, types managedfields.TypeConverter) (*comparison, error) {
	theirs, err := newPeer(k, types)
	if err != nil {
		return nil, err
	}
	ours, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type()})
	return &comparison{ours: ours, theirs: theirs, kind: k, done: map[string]int{}}, err
}

// request returns a random request.
func (d *comparison) request(g *generate.Generator, live document.Value) generate.Request {
	live = live.Remove("metadata", "uid")
	q := g.Request(d.kind, live)
	switch {
	case d.overCap && (!q.Apply || g.IntN(3) > 0):
		q.Apply, q.Manager = false, "manager"+strconv.Itoa(g.IntN(16))
		if a := live.Lookup("metadata", "annotations"); g.IntN(5) > 0 && (a.Kind() == document.Object || !a.Exists()) && live.Get("metadata").Exists() {
			// A change to the manager's own annotation only, so that the other managers
			// keep their fields.
			q.Body = live.Set(document.NewString(strconv.Itoa(g.IntN(5))), "metadata", "annotations", q.Manager)
		}
	case d.kubectl && q.Apply && g.IntN(2) == 0:
		q.Manager = "kubectl"
	}
	if d.kubectl {
		q.Body = d.annotated(g, q, live)
	}
	return q
}

// annotated returns the body of a request after a client-side apply, which sets the
// last-applied annotation. Other annotations of the body must be strings, because no
// server would have stored other values.
func (d *comparison) annotated(g *generate.Generator, q generate.Request, live document.Value) document.Value {
	annotations := q.Body.Lookup("metadata", "annotations")
	for _, v := range annotations.Members() {
		if v.Kind() != document.String {
			annotations = document.NewNull()
		}
	}
	if annotations.Exists() && annotations.Kind() != document.Object {
		q.Body = q.Body.Remove("metadata", "annotations")
	}
	if q.Apply || g.IntN(2) == 0 || q.Body.Get("metadata").Kind() != document.Object {
		return q.Body
	}
	text := string(generate.Text(g.Request(d.kind, live).Body))
	if g.IntN(8) == 0 {
		text = text[:g.IntN(len(text))]
	}
	return q.Body.Set(document.NewString(text), "metadata", "annotations", fieldmanager.LastApplied)
}

func (d *comparison) run(g *generate.Generator, now time.Time, steps int) error {
	for step := range steps {
		_, live := split(d.live)
		q := d.request(g, live.Value)
		var a fieldmanager.Object
		var b []byte
		var errA, errB error
		body := q.Body.JSON()
		asked := reread(q.Body, body, step)
		if q.Apply {
			a, errA = d.ours.Apply(live, asked, fieldmanager.ApplyOptions{FieldManager: q.Manager, Force: q.Force, Time: now})
			b, errB = d.theirs.apply(d.live, body, q.Manager, q.Force)
		} else {
			a, errA = d.ours.Update(live, asked, fieldmanager.UpdateOptions{FieldManager: q.Manager, Time: now})
			b, errB = d.theirs.update(d.live, body, q.Manager)
		}
		if err := same(a, b, errA, errB); err != nil {
			if readAsOne(live.Value, q.Body) {
				d.done["left out: two integers that read as one"]++
				return nil
			}
			return fmt.Errorf("%s %s by %s, force %v: %w\nlive %s", verb(q), body, q.Manager, q.Force, err, d.live)
		}
		d.count(q, errA)
		if errA == nil {
			d.live = withUID(a.Join()).JSON()
		}
	}
	return nil
}

// readAsOne reports whether the values contain two integers beyond 2^53 with the same
// nearest float64. A decoded set has one element for both; the library's result then
// depends on which of its two representations it compares (doc/ownership.md).
func readAsOne(values ...document.Value) bool {
	spelled := map[float64]string{}
	var in func(v document.Value) bool
	in = func(v document.Value) bool {
		for i := range v.Len() {
			if in(v.At(i)) {
				return true
			}
		}
		f, _ := v.Float()
		if v.Kind() != document.Number || math.Abs(f) < 1<<53 {
			return false
		}
		text := v.NumberText()
		was := spelled[f]
		spelled[f] = text
		return was != "" && was != text
	}
	return slices.ContainsFunc(values, in)
}

func verb(q generate.Request) string {
	if q.Apply {
		return "apply"
	}
	return "update"
}

func (d *comparison) count(q generate.Request, err error) {
	switch {
	case errors.Is(err, fieldmanager.ErrConflict):
		d.done["conflicted"]++
	case err != nil:
		d.done["refused"]++
	case q.Apply:
		d.done["applied"]++
	default:
		d.done["updated"]++
	}
}

// withUID sets the object's UID, which apimachinery requires for an existing object.
func withUID(v document.Value) document.Value {
	return v.Set(document.NewString("u"), "metadata", "uid")
}

// reread returns a body as generated, parsed from its text, or parsed lazily, depending
// on the step.
func reread(v document.Value, text []byte, step int) document.Value {
	parse := document.Parse
	switch step % 3 {
	case 0:
		return v
	case 1:
		parse = document.ParseLazy
	}
	d, err := parse(text, document.Options{MaxBytes: -1})
	if err != nil {
		panic(err)
	}
	return d.Root
}

// split parses an object and separates its managedFields.
func split(body []byte) (root document.Value, o fieldmanager.Object) {
	if body == nil {
		return document.Value{}, fieldmanager.Object{}
	}
	d, err := document.Parse(body, document.Options{})
	if err != nil {
		panic(err)
	}
	o, err = fieldmanager.Split(d.Root)
	if err != nil {
		panic(err)
	}
	return d.Root, o
}

func same(a fieldmanager.Object, b []byte, errA, errB error) error {
	if (errA == nil) != (errB == nil) {
		return fmt.Errorf("ours %v\ntheirs %v", errA, errB)
	}
	if errA != nil {
		if apierrors.IsConflict(errB) != errors.Is(errA, fieldmanager.ErrConflict) || apierrors.IsConflict(errB) && errA.Error() != errB.Error() {
			return fmt.Errorf("ours %v\ntheirs %v", errA, errB)
		}
		return nil
	}
	ours, theirs := comparable(a.Join().JSON()), comparable(b)
	if ours != theirs {
		return fmt.Errorf("objects differ\nours   %s\ntheirs %s", ours, theirs)
	}
	return nil
}

var someTime = regexp.MustCompile(`"time":"[^"]*"`)

// comparable formats an object without times and with its managedFields entries in an
// order independent of them.
func comparable(body []byte) string {
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		return err.Error()
	}
	meta, _ := m["metadata"].(map[string]any)
	list, _ := meta["managedFields"].([]any)
	delete(meta, "managedFields")
	delete(meta, "uid") // a merge keeps it, an update may not
	entries := []string{}
	for _, e := range list {
		text, _ := json.Marshal(e)
		entries = append(entries, string(someTime.ReplaceAll(text, []byte(`"time":"some"`))))
	}
	slices.Sort(entries)
	rest, _ := json.Marshal(m)
	return string(rest) + "\n" + strings.Join(entries, "\n")
}
