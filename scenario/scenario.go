package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Version is the version of the file format, the value of the field "scenario".
const Version = "patchlab.dev/v1"

// MaxBytes is the maximum size of a scenario: several bodies of 3 MiB, the API server's
// limit.
const MaxBytes = 24 << 20

// Limits that protect against files other than scenarios.
const (
	maxSteps  = 1000
	maxActors = 100
)

// ErrInvalid is the cause of all errors in a scenario's text.
var ErrInvalid = errors.New("invalid scenario")

// Error reports why and where a scenario's text is invalid.
type Error struct {
	Position document.Position
	Reason   string
	// Err is the underlying error; nil if there is none.
	Err error
}

func (e *Error) Error() string {
	if at := e.Position.String(); at != "" {
		return at + ": " + e.Reason
	}
	return e.Reason
}

// Unwrap returns ErrInvalid and the underlying error.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrInvalid}
	}
	return []error{ErrInvalid, e.Err}
}

// Scenario is a sequence of requests to a cluster by several actors.
type Scenario struct {
	// Title is a single line, About any number of lines.
	Title, About string
	// Kubernetes is the version of the built-in kinds, "" for schema.DefaultVersion.
	Kubernetes string
	// Definitions are CustomResourceDefinitions and policies in YAML or JSON: see
	// Runner.Define.
	Definitions []string
	// Objects are the initial live objects in YAML or JSON: see Runner.Load.
	Objects []string
	Actors  []Actor
	Steps   []Step
	// Race lists concurrent changes after the steps: see NewRace.
	Race []Change
}

// Actor is a client that sends requests.
type Actor struct {
	// Name is the name of the actor's field manager.
	Name string
	// Colour is the display color; may be empty.
	Colour string
}

// Action is the type of request of a step.
type Action string

// The actions.
const (
	Apply       Action = "apply"             // server-side apply
	ForceApply  Action = "force-apply"       // server-side apply with force
	ClientApply Action = "client-side-apply" // kubectl apply without --server-side
	Create      Action = "create"
	Update      Action = "update" // PUT
	JSONPatch   Action = "json-patch"
	MergePatch  Action = "merge-patch"
	Strategic   Action = "strategic-patch"
	Delete      Action = "delete"
)

// Actions returns all actions in display order.
func Actions() []Action {
	return []Action{Apply, ForceApply, ClientApply, Create, Update, JSONPatch, MergePatch, Strategic, Delete}
}

// Step is one request.
type Step struct {
	Actor string
	Do    Action
	// Subresource is "status", "scale" or "".
	Subresource string
	// Target identifies the object of a patch or deletion. Empty fields are taken from the
	// body or else from the object of the previous step.
	Target Target
	// Body is the manifest or patch in YAML or JSON.
	Body string
	// Note is a comment for readers.
	Note string
	// Expect is the expected result; nil if there is none.
	Expect *Expectation
}

// Target identifies an object.
type Target struct{ APIVersion, Kind, Namespace, Name string }

// Parse parses a scenario. name is the name of the text in messages. An error is an *Error,
// or a *document.SyntaxError for invalid YAML.
func Parse(data []byte, name string) (*Scenario, error) {
	d, err := document.ParseYAML(data, document.Options{Name: name, MaxBytes: MaxBytes})
	if err != nil {
		return nil, err
	}
	r := reader{d: d}
	return r.scenario()
}

// reader decodes fields and records the first error.
type reader struct {
	d   *document.Document
	err error
}

func (r *reader) fail(at document.Value, reason string) {
	if r.err == nil {
		r.err = &Error{Position: r.d.Position(at), Reason: reason}
	}
}

// object checks that v is an object without fields other than the given ones. Fields with a
// pointer to a string are decoded into it.
func (r *reader) object(v document.Value, what string, texts map[string]*string, others ...string) {
	if v.Kind() != document.Object {
		r.fail(v, "expected "+what+" as an object, found a "+v.Kind().String())
		return
	}
	for key, field := range v.Members() {
		if into, ok := texts[key]; ok {
			text, isText := field.Text()
			if !isText && !field.IsNull() {
				r.fail(field, key+" of "+what+" must be a string, found a "+field.Kind().String())
			}
			*into = text
			continue
		}
		if !slices.Contains(others, key) {
			known := append(slices.Sorted(maps.Keys(texts)), others...)
			r.fail(field, fmt.Sprintf("%s has no field %q; it has %s", what, key, strings.Join(known, ", ")))
		}
	}
}

// each calls f for each item of the list v, which may be absent.
func (r *reader) each(v document.Value, what string, most int, f func(document.Value)) {
	switch {
	case !v.Exists() || v.IsNull():
	case v.Kind() != document.List:
		r.fail(v, what+" must be a list, found a "+v.Kind().String())
	case v.Len() > most:
		r.fail(v, fmt.Sprintf("%d %s are more than the %d allowed", v.Len(), what, most))
	default:
		for _, item := range v.Items() {
			f(item)
		}
	}
}

func (r *reader) scenario() (*Scenario, error) {
	var s Scenario
	var version string
	root := r.d.Root
	if kind := root.Get("kind").StringOr(""); kind != "" && !root.Get("scenario").Exists() {
		r.fail(root, "expected a scenario, which has the field scenario, found an object of kind "+kind)
	}
	r.object(root, "a scenario", map[string]*string{"scenario": &version, "title": &s.Title, "about": &s.About, "kubernetes": &s.Kubernetes},
		"definitions", "objects", "actors", "steps", "race")
	if r.err == nil && version != Version {
		r.fail(root.Get("scenario"), fmt.Sprintf("the field scenario must be %q, the version of the format; found %q", Version, version))
	}
	s.Definitions = r.texts(root.Get("definitions"), "definitions", "a definition must be the text of a CustomResourceDefinition")
	s.Objects = r.texts(root.Get("objects"), "objects", "an object must be the text that kubectl get -o yaml --show-managed-fields prints")
	r.each(root.Get("actors"), "actors", maxActors, func(v document.Value) { s.Actors = append(s.Actors, r.actor(v, s.Actors)) })
	r.each(root.Get("steps"), "steps", maxSteps, func(v document.Value) { s.Steps = append(s.Steps, r.step(v, s.Actors)) })
	r.each(root.Get("race"), "race", maxSteps, func(v document.Value) { s.Race = append(s.Race, r.change(v, s.Actors)) })
	if r.err != nil {
		return nil, r.err
	}
	return &s, nil
}

// texts decodes a list of manifests, which are texts in order to preserve comments and the
// line numbers of errors.
func (r *reader) texts(v document.Value, what, rule string) (texts []string) {
	r.each(v, what, maxExisting, func(v document.Value) {
		text, ok := v.Text()
		if !ok {
			r.fail(v, rule+" (begin it with |), found a "+v.Kind().String())
		}
		texts = append(texts, text)
	})
	return texts
}

func (r *reader) actor(v document.Value, before []Actor) Actor {
	var a Actor
	r.object(v, "an actor", map[string]*string{"name": &a.Name, "colour": &a.Colour})
	if a.Name == "" {
		r.fail(v, "an actor must have a name")
	}
	if slices.ContainsFunc(before, func(b Actor) bool { return b.Name == a.Name }) {
		r.fail(v.Get("name"), fmt.Sprintf("there are two actors named %q", a.Name))
	}
	return a
}

func (r *reader) step(v document.Value, actors []Actor) Step {
	var s Step
	var do string
	r.object(v, "a step", map[string]*string{"actor": &s.Actor, "do": &do, "subresource": &s.Subresource, "body": &s.Body, "note": &s.Note}, "target", "expect")
	s.Do = Action(do)
	if !slices.Contains(Actions(), s.Do) {
		r.fail(v.Get("do"), unknownAction(s.Do))
	}
	r.actorOf(v, s.Actor, actors)
	if t := v.Get("target"); t.Exists() {
		r.object(t, "a target", map[string]*string{"apiVersion": &s.Target.APIVersion, "kind": &s.Target.Kind, "namespace": &s.Target.Namespace, "name": &s.Target.Name})
	}
	if e := v.Get("expect"); e.Exists() {
		s.Expect = r.expectation(e)
	}
	return s
}

// unknownAction returns the reason why a step with an action that does not exist is refused.
func unknownAction(a Action) string {
	return fmt.Sprintf("unknown action %q; supported actions: %v", a, Actions())
}

// actorOf checks the name of an actor.
func (r *reader) actorOf(v document.Value, name string, actors []Actor) {
	if !slices.ContainsFunc(actors, func(a Actor) bool { return a.Name == name }) {
		r.fail(v.Get("actor"), fmt.Sprintf("unknown actor %q", name))
	}
}

// change decodes a change of a race.
func (r *reader) change(v document.Value, actors []Actor) Change {
	c := Change{Set: r.manifest(v.Get("set"), "set")}
	r.object(v, "a change", map[string]*string{"actor": &c.Actor}, "set", "add")
	r.actorOf(v, c.Actor, actors)
	add := r.manifest(v.Get("add"), "add")
	if c.Set.Len() == 0 && add.Len() == 0 {
		r.fail(v, "a change must have set (a merge patch) or add (numbers or list items by path)")
	}
	if !add.Exists() {
		return c
	}
	for path, by := range add.Members() {
		a := Addition{Path: path}
		var ok bool
		if by.Kind() == document.List {
			a.Items, ok = by, by.Len() > 0
			for _, item := range by.Items() {
				_, err := document.ValueStep(item)
				ok = ok && err == nil
			}
		} else {
			a.By, ok = by.Int()
		}
		if !ok {
			r.fail(by, "the values of add must be integers or lists of scalars, found "+by.String())
		}
		p, err := document.ParsePath(path)
		if err == nil && slices.ContainsFunc(p, func(s document.Step) bool { return s.Kind() != document.StepField }) {
			err = errors.New(path + " goes through a list; add supports fields of objects only")
		}
		if err != nil {
			r.fail(by, "add: "+err.Error())
		}
		c.Add = append(c.Add, a)
	}
	return c
}

func (c *Change) value() document.Value {
	var o, add document.ObjectBuilder
	text(&o, "actor", c.Actor)
	if c.Set.Exists() {
		o.Set("set", c.Set)
	}
	for _, a := range c.Add {
		by := a.Items
		if !by.Exists() {
			by = document.NewInt(a.By)
		}
		add.Set(a.Path, by)
	}
	if add.Len() > 0 {
		o.Set("add", add.Object())
	}
	return o.Object()
}

// YAML encodes a scenario such that Parse returns an equal one.
func (s *Scenario) YAML() []byte { return s.value().YAML() }

// JSON encodes a scenario as JSON, from which Parse returns an equal one.
func (s *Scenario) JSON() []byte { return s.value().JSON() }

func (s *Scenario) value() document.Value {
	var b document.ObjectBuilder
	b.Set("scenario", document.NewString(Version))
	text(&b, "title", s.Title)
	text(&b, "about", s.About)
	text(&b, "kubernetes", s.Kubernetes)
	var actors, steps, race document.ListBuilder
	for _, a := range s.Actors {
		var o document.ObjectBuilder
		text(&o, "name", a.Name)
		text(&o, "colour", a.Colour)
		actors.Append(o.Object())
	}
	for i := range s.Steps {
		steps.Append(s.Steps[i].value())
	}
	for i := range s.Race {
		race.Append(s.Race[i].value())
	}
	for name, list := range map[string]document.Value{
		"race": race.List(), "definitions": document.NewStrings(s.Definitions...), "objects": document.NewStrings(s.Objects...),
		"actors": actors.List(), "steps": steps.List(),
	} {
		if list.Len() > 0 {
			b.Set(name, list)
		}
	}
	return b.Object()
}

func (s *Step) value() document.Value {
	var o, target document.ObjectBuilder
	text(&o, "actor", s.Actor)
	text(&o, "do", string(s.Do))
	text(&o, "subresource", s.Subresource)
	text(&o, "body", s.Body)
	text(&o, "note", s.Note)
	text(&target, "apiVersion", s.Target.APIVersion)
	text(&target, "kind", s.Target.Kind)
	text(&target, "namespace", s.Target.Namespace)
	text(&target, "name", s.Target.Name)
	if target.Len() > 0 {
		o.Set("target", target.Object())
	}
	if s.Expect != nil {
		o.Set("expect", s.Expect.value())
	}
	return o.Object()
}

func text(b *document.ObjectBuilder, name, s string) {
	if s != "" {
		b.Set(name, document.NewString(s))
	}
}
