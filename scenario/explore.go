package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// RaceOptions bounds the exploration of a race.
type RaceOptions struct {
	// Limit is the maximum number of interleavings that are explored exhaustively; the
	// default is 50,000. If there are more, Draws of them are chosen at random; the default
	// is 10,000, or as many as have about 100,000 reads and writes together if these are fewer.
	Limit, Draws int
	// Seed is the seed of the random choice.
	Seed uint64
	// Progress, if not nil, is called periodically with the number of explored
	// interleavings and the total as far as it is known.
	Progress func(done, of int)
}

// RaceReport is the result of exploring a race with one strategy.
type RaceReport struct {
	Strategy Strategy `json:"strategy"`
	// Interleavings is the number of explored interleavings, All the number of possible
	// ones, at most math.MaxUint64. For Retry, All is a lower bound, because retries depend
	// on the other actors.
	Interleavings int    `json:"interleavings"`
	All           uint64 `json:"all"`
	// Exhaustive reports whether every interleaving was explored.
	Exhaustive bool `json:"exhaustive"`
	// Losing is the number of interleavings with a lost update, Refusing the number of those
	// in which an actor gives up after its write was refused.
	Losing   int `json:"losing"`
	Refusing int `json:"refusing"`
	// Shortest is the shortest prefix of an interleaving that loses an update, nil if none
	// does. Lost holds the changes that are lost after Shortest: acknowledged and missing, with
	// the values at that time. No later change in the interleaving restores these fields.
	Shortest []Event `json:"shortest,omitempty"`
	Lost     []Lost  `json:"lost,omitempty"`
}

// Event is a read or a write by an actor.
type Event struct {
	Actor string `json:"actor"`
	Write bool   `json:"write"`
	// Code and Reason are those of the response to a write.
	Code   int    `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// ResourceVersion is the version that was read, or the one after the write.
	ResourceVersion string `json:"resourceVersion"`
}

// Lost is a field of an acknowledged change whose value differs from that of a serial
// execution of all acknowledged changes.
type Lost struct {
	Path string         `json:"path"`
	Want document.Value `json:"want,omitzero"`
	Got  document.Value `json:"got,omitzero"`
}

// Explore runs the race with a strategy in every possible order of the actors' reads and
// writes, or in randomly chosen orders if there are more than the limit. An error is that
// of the context or of an invalid change, or means that the strategy is unknown.
func (r *Race) Explore(ctx context.Context, s Strategy, o RaceOptions) (*RaceReport, error) {
	if !slices.Contains(Strategies(), s) {
		return nil, fmt.Errorf("unknown strategy %q; supported strategies: %v", s, Strategies())
	}
	if o.Limit <= 0 {
		o.Limit = 50_000
	}
	e := &explorer{race: r, strategy: s, options: o, ctx: ctx, most: mostObjects, fields: map[*Change][]field{}}
	e.forget()
	e.report = RaceReport{Strategy: s, All: r.interleavings(s), Exhaustive: true}
	if e.report.All <= uint64(o.Limit) {
		err := e.all(e.begin())
		if !errors.Is(err, errTooMany) {
			return &e.report, err
		}
	}
	e.report = RaceReport{Strategy: s, All: e.report.All}
	return &e.report, e.draw()
}

// interleavings returns the number of orders of the actors' reads and writes:
// (n1+…+nk)!/(n1!…nk!) for actors with n1 to nk reads and writes. Retries are not counted.
func (r *Race) interleavings(s Strategy) uint64 {
	all, total := uint64(1), uint64(0)
	for _, a := range r.actors {
		n := uint64(0)
		for _, c := range a.changes {
			if n++; c.reads(s) {
				n++
			}
		}
		for i := uint64(1); i <= n; i++ { // multiplied by total+n, divided by n
			total++
			high, low := bits.Mul64(all, total)
			if high >= i {
				return math.MaxUint64
			}
			all, _ = bits.Div64(high, low, i)
		}
	}
	return all
}

// explorer explores a race with one strategy. Many interleavings have states in common:
// each object is stored once and identified by its index in objects, so that a write is
// computed once for each pair of read and live object.
type explorer struct {
	race     *Race
	strategy Strategy
	options  RaceOptions
	ctx      context.Context
	report   RaceReport

	objects []fieldmanager.Object
	known   map[string]int // objects by their JSON
	written map[attempt]answer
	serial  map[attempt]int // results of changes without concurrent writes
	fields  map[*Change][]field
	most    int // number of objects that are kept between random interleavings
}

// field is a field of a change, with its path as text.
type field struct {
	path document.Path
	text string
}

// mostObjects limits the objects that are kept for further interleavings. Of a race with many actors,
// random interleavings have few states in common but the first.
const mostObjects = 4_000

// forget removes the objects and the results of writes that are kept.
func (e *explorer) forget() {
	e.objects, e.known, e.written, e.serial = nil, map[string]int{}, map[attempt]answer{}, map[attempt]int{}
}

// fieldsOf returns the fields of a change.
func (e *explorer) fieldsOf(c *Change) []field {
	found, ok := e.fields[c]
	if !ok {
		for _, p := range c.fields(true) {
			found = append(found, field{p, p.String()})
		}
		e.fields[c] = found
	}
	return found
}

// attempt is a write of an actor's change, based on the object it read, to the live object.
type attempt struct{ actor, change, read, live int }

// answer is the live object after a write, or the reason why it was refused.
type answer struct {
	live   int
	status *cluster.Status
}

// keep returns the index of an object.
func (e *explorer) keep(o fieldmanager.Object) int {
	text := string(o.Join().JSON())
	n, ok := e.known[text]
	if !ok {
		n = len(e.objects)
		e.objects = append(e.objects, o)
		e.known[text] = n
	}
	return n
}

// moment is a state between two reads or writes of a race. It is immutable because several
// interleavings continue from it.
type moment struct {
	live int
	// serial is the result of a serial execution of the acknowledged changes; fields are
	// the fields of these changes, each once.
	serial  int
	fields  []field
	actors  []progress
	events  *event
	length  int
	refused bool
	lost    []loss
}

// loss is a change that has been lost since a number of events, with the values at that time.
type loss struct {
	Lost
	field int // index in the fields of the moment
	at    int
}

// progress is the position of an actor in its sequence of reads and writes.
type progress struct {
	change, read int
	hasRead      bool
}

// event is an event linked to the preceding ones.
type event struct {
	Event
	before *event
}

var errTooMany = errors.New("more interleavings than the limit")

func (e *explorer) begin() *moment {
	live := e.keep(e.race.live)
	return &moment{live: live, serial: live, actors: make([]progress, len(e.race.actors))}
}

// all explores every interleaving that continues from a moment.
func (e *explorer) all(m *moment) error {
	over := true
	for i := range m.actors {
		if m.actors[i].change == len(e.race.actors[i].changes) {
			continue
		}
		over = false
		next, err := e.next(m, i)
		if err == nil {
			err = e.all(next)
		}
		if err != nil {
			return err
		}
	}
	if !over {
		return nil
	}
	if e.report.Interleavings == e.options.Limit {
		return errTooMany
	}
	return e.end(m, int(e.report.All))
}

// draw explores random interleavings.
func (e *explorer) draw() error {
	random := rand.New(rand.NewPCG(e.options.Seed, 0))
	draws := e.options.Draws
	for n := 0; draws <= 0 || n < draws; n++ {
		if len(e.objects) > e.most {
			e.forget()
		}
		m, err := e.drawOne(random)
		if err != nil {
			return err
		}
		if draws <= 0 { // retries are known only now
			draws = min(10_000, max(1, 100_000/m.length))
		}
		if err := e.end(m, draws); err != nil {
			return err
		}
	}
	return nil
}

// drawOne returns the last moment of a random interleaving.
func (e *explorer) drawOne(random *rand.Rand) (*moment, error) {
	m := e.begin()
	for {
		var going []int
		for i := range m.actors {
			if m.actors[i].change < len(e.race.actors[i].changes) {
				going = append(going, i)
			}
		}
		if len(going) == 0 {
			return m, nil
		}
		var err error
		if m, err = e.next(m, going[random.IntN(len(going))]); err != nil {
			return nil, err
		}
	}
}

// end counts an interleaving.
func (e *explorer) end(m *moment, of int) error {
	r := &e.report
	r.Interleavings++
	if r.Interleavings%64 == 0 {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if e.options.Progress != nil {
			e.options.Progress(r.Interleavings, of)
		}
	}
	if m.refused {
		r.Refusing++
	}
	if len(m.lost) == 0 {
		return nil
	}
	r.Losing++
	first := slices.MinFunc(m.lost, func(a, b loss) int { return cmp.Compare(a.at, b.at) }).at
	if len(r.Shortest) > 0 && first >= len(r.Shortest) {
		return nil
	}
	r.Shortest, r.Lost = m.first(first), nil
	for _, l := range m.lost {
		if l.at == first {
			r.Lost = append(r.Lost, l.Lost)
		}
	}
	return nil
}

// first returns the first n events up to a moment.
func (m *moment) first(n int) []Event {
	events := make([]Event, n)
	at := m.length
	for ev := m.events; ev != nil; ev = ev.before {
		if at--; at < n {
			events[at] = ev.Event
		}
	}
	return events
}

// next returns the moment after an actor's next read or write.
func (e *explorer) next(m *moment, actor int) (*moment, error) {
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	next := *m
	next.actors = slices.Clone(m.actors)
	next.length++
	p := &next.actors[actor]
	a := &e.race.actors[actor]
	c := a.changes[p.change]
	ev := Event{Actor: a.name}
	var err error
	if c.reads(e.strategy) && !p.hasRead {
		p.read, p.hasRead = m.live, true
	} else {
		ev.Write = true
		err = e.write(&next, actor, &ev)
	}
	ev.ResourceVersion = resourceVersion(e.objects[next.live])
	next.events = &event{ev, m.events}
	return &next, err
}

// write performs an actor's change and checks for lost updates.
func (e *explorer) write(m *moment, actor int, ev *Event) error {
	p := &m.actors[actor]
	try := attempt{actor, p.change, p.read, m.live}
	if !p.hasRead {
		try.read = m.live
	}
	got, err := e.answer(try)
	if err != nil {
		return err
	}
	p.read, p.hasRead = 0, false
	if st := got.status; st != nil {
		ev.Code, ev.Reason = st.Code, st.Reason
		// A change that is refused although nobody has written since the actor read would be refused for ever.
		if e.strategy != Retry || st.Code != 409 || try.read == m.live {
			m.refused = true
			p.change++
		}
		return nil
	}
	ev.Code = 200
	p.change++
	m.live = got.live
	if m.serial, err = e.alone(attempt{actor: actor, change: try.change, live: m.serial}); err != nil {
		return err
	}
	m.fields = slices.Clip(m.fields)
	for _, f := range e.fieldsOf(e.race.actors[actor].changes[try.change]) {
		if !slices.ContainsFunc(m.fields, func(known field) bool { return known.text == f.text }) {
			m.fields = append(m.fields, f)
		}
	}
	before := m.lost
	m.lost = losses(m.fields, e.objects[m.serial].Value, e.objects[m.live].Value, m.length)
	for i, l := range m.lost { // both are in the order of the fields
		for len(before) > 0 && before[0].field < l.field {
			before = before[1:]
		}
		if len(before) > 0 && before[0].field == l.field {
			m.lost[i] = before[0]
		}
	}
	return nil
}

// answer returns the API server's response to a write.
func (e *explorer) answer(try attempt) (answer, error) {
	got, ok := e.written[try]
	if ok {
		return got, nil
	}
	after, err := e.race.write(e.strategy, &e.race.actors[try.actor], try.change, e.objects[try.read], e.objects[try.live])
	if err != nil && !errors.As(err, &got.status) {
		return got, err
	}
	if err == nil {
		got.live = e.keep(after)
	}
	e.written[try] = got
	return got, nil
}

// alone returns the result of a change to try.live without concurrent writes.
func (e *explorer) alone(try attempt) (int, error) {
	n, ok := e.serial[try]
	if ok {
		return n, nil
	}
	o := e.objects[try.live]
	var err error
	if o.Value, err = e.race.actors[try.actor].changes[try.change].on(o.Value); err != nil {
		return 0, err
	}
	n = e.keep(o)
	e.serial[try] = n
	return n, nil
}

// losses compares the fields of the acknowledged changes after a number of events. Defaults that
// the API server adds to list items are not losses.
func losses(fields []field, serial, live document.Value, events int) []loss {
	var lost []loss
	for i, f := range fields {
		want, got := serial.Follow(f.path), live.Follow(f.path)
		if want.Exists() == got.Exists() && (!want.Exists() || isPart(want, got)) {
			continue
		}
		lost = append(lost, loss{Lost{f.text, want, got}, i, events})
	}
	return lost
}
