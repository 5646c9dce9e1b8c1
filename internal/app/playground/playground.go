package playground

import (
	"context"
	"errors"
	"reflect"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// maxRequest is the maximum size of a request, enough for a scenario of several bodies with
// the API server's limit of 3 MiB.
const maxRequest = 24 << 20

// Engine answers requests. It caches the last scenario that it ran, so that a request for the
// same scenario, or one with more steps, does not run it again. It must not be used
// concurrently.
type Engine struct {
	last *run
	lab  *keptLab // the Lab used last, nil if there is none
	// configure adds the evaluation of CEL rules to a cluster unless it is nil; rules
	// evaluates them.
	configure func(*cluster.Config) error
	rules     cluster.Rules
	decoder   decoder
	encoder   encoder
	rows      shownRows
}

// New returns an engine.
func New() *Engine { return &Engine{} }

// NewWithRules returns an engine that evaluates the CEL validation rules of custom resources.
func NewWithRules(rules cluster.Rules) *Engine {
	return &Engine{rules: rules, configure: func(c *cluster.Config) error {
		c.Rules = rules
		return nil
	}}
}

// errLater reports a request that only the complete engine can answer.
var errLater = errors.New("the request requires the complete engine")

// Handle answers a request {"call": name, "input": {…}} with {"output": {…}},
// {"error": {"message", "line", "column"}}, or {"later": true} if only the complete
// engine can answer it. It does not panic, whatever the request contains.
//
// A request may refer to long texts of the previous one (see decoder) and, with "rows", to
// the rows of a previous response (see shownRows). If the engine does not have a text, it
// answers {"unknown": true}.
func (e *Engine) Handle(request []byte) []byte {
	out, err := e.answer(request)
	switch {
	case errors.Is(err, errLater):
		return []byte(`{"later":true}`)
	case errors.Is(err, errUnknownText):
		return []byte(`{"unknown":true}`)
	}
	if err != nil {
		return append(e.encoder.append([]byte(`{"error":`), reflect.ValueOf(failure(err))), '}')
	}
	return append(e.encoder.append([]byte(`{"output":`), reflect.ValueOf(out)), '}')
}

func (e *Engine) answer(request []byte) (any, error) {
	d, err := document.Parse(request, document.Options{MaxBytes: maxRequest})
	if err != nil {
		return nil, errors.New("the request is not JSON: " + err.Error())
	}
	name, _ := d.Root.Get("call").Text()
	for _, calls := range [...]map[string]call{calls(), laterCalls(), labCalls()} {
		if call, ok := calls[name]; ok {
			e.rows.begin(d.Root.Get("rows"))
			return call.run(e, d.Root)
		}
	}
	if !complete {
		return nil, errLater
	}
	return nil, errors.New("there is no call " + name)
}

// A call is a function that requests can call. in and out are the types of its messages, from
// which the page's types are generated.
type call struct {
	in, out reflect.Type
	run     func(e *Engine, request document.Value) (any, error)
}

func callOf[In, Out any](f func(*Engine, *In) (*Out, error)) call {
	return call{reflect.TypeFor[In](), reflect.TypeFor[Out](), func(e *Engine, v document.Value) (any, error) {
		var in In
		if err := e.decoder.message(v.Get("texts"), v.Get("input"), reflect.ValueOf(&in).Elem()); err != nil {
			return nil, err
		}
		return f(e, &in)
	}}
}

func calls() map[string]call {
	return map[string]call{
		"about": callOf((*Engine).about),
		"run":   callOf((*Engine).runShown),
		"line":  callOf((*Engine).line),
		"why":   callOf((*Engine).why),
	}
}

// failure converts an error to a message, with its position if known.
func failure(err error) Failure {
	f := Failure{Message: reason(err)}
	f.Line, f.Column = place(err)
	return f
}

func (e *Engine) about(*AboutInput) (*AboutOutput, error) {
	out := &AboutOutput{Versions: schema.Versions(), Version: schema.DefaultVersion}
	for _, a := range scenario.Actions() {
		out.Actions = append(out.Actions, string(a))
	}
	return out, nil
}

func (e *Engine) read(in *TextInput) (*ScenarioOutput, error) {
	if err := tooDeep(in.Text); err != nil {
		return nil, err
	}
	s, err := parseScenario(in.Text)
	if err != nil {
		return nil, err
	}
	return &ScenarioOutput{Scenario: *s}, nil
}

func (e *Engine) write(in *ScenarioInput) (*TextOutput, error) {
	s, err := in.Scenario.whole()
	if err != nil {
		return nil, err
	}
	return &TextOutput{Text: string(s.YAML())}, nil
}

func (e *Engine) script(in *ScenarioInput) (*TextOutput, error) {
	r, err := e.running(context.Background(), &in.Scenario, 0)
	if err != nil {
		return nil, err
	}
	return &TextOutput{Text: string(scenario.Script(in.Scenario.scenario(), r.results))}, nil
}

func (e *Engine) goTest(in *ScenarioInput) (*TextOutput, error) {
	r, err := e.running(context.Background(), &in.Scenario, 0)
	if err != nil {
		return nil, err
	}
	text, err := scenario.GoTest(in.Scenario.scenario(), r.results, "scenarios")
	if err != nil {
		return nil, err
	}
	return &TextOutput{Text: string(text)}, nil
}
