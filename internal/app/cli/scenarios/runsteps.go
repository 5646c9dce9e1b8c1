package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
)

// scenarioRun runs scenarios one by one and reports on them.
type scenarioRun struct {
	app     *program.App
	options *runOptions
	setups  []setup
	steps   bool // print every step

	reports         []scenarioReport
	rules, policies int // rules and policies that were not run
}

// scenarioReport is the result of a scenario.
type scenarioReport struct {
	File  string       `json:"file"`
	Title string       `json:"title,omitempty"`
	Error string       `json:"error,omitempty"`
	Steps []stepReport `json:"steps,omitempty"`
	// Differs is the first step whose results differ between two versions or definitions.
	Differs *difference `json:"differs,omitempty"`
	Updated int         `json:"updatedExpectations,omitempty"`

	failure string // the error with the name of the file
}

// stepReport is the result of a step.
type stepReport struct {
	Step       int                 `json:"step"`
	Actor      string              `json:"actor"`
	Do         scenario.Action     `json:"do"`
	Object     string              `json:"object,omitempty"`
	Code       int                 `json:"code,omitempty"`
	Reason     string              `json:"reason,omitempty"`
	Error      string              `json:"error,omitempty"`
	Unchanged  bool                `json:"unchanged,omitempty"`
	Denied     bool                `json:"denied,omitempty"`
	Warnings   []string            `json:"warnings,omitempty"`
	Expected   bool                `json:"expected"` // the step has an expectation
	Mismatches []scenario.Mismatch `json:"mismatches,omitempty"`
	Position   string              `json:"position,omitempty"` // of a failed step
}

// difference is a step whose results differ between two setups.
type difference struct {
	Step int               `json:"step"`
	With map[string]string `json:"with"`
	Diff string            `json:"diff,omitempty"`

	names [2]string
}

func (r *scenarioReport) failed() bool {
	return r.Error != "" || slices.ContainsFunc(r.Steps, func(s stepReport) bool { return len(s.Mismatches) > 0 })
}

// file runs the scenario of one file.
func (r *scenarioRun) file(ctx context.Context, f *scenarioFile) error {
	report := scenarioReport{File: f.name}
	err := f.err
	if err == nil {
		report.Title = f.scenario.Title
		if n := len(f.scenario.Steps); r.options.step > n {
			return program.Usage(fmt.Sprintf("--step %d: %s has %s", r.options.step, f.name, terminal.Count(n, "step", "steps")))
		}
		err = r.run(ctx, f, &report)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text, located := strings.CutPrefix(err.Error(), f.name+":")
		report.Error, report.failure = strings.TrimSpace(text), f.name+": "+text
		if located {
			report.failure = err.Error()
		}
	}
	r.reports = append(r.reports, report)
	if r.options.output == "text" {
		r.print(&r.reports[len(r.reports)-1])
	}
	return nil
}

// run runs a scenario with each setup. Expectations are checked only if there is a single
// setup.
func (r *scenarioRun) run(ctx context.Context, f *scenarioFile, report *scenarioReport) error {
	results := make([][]scenario.Result, len(r.setups))
	for i := range r.setups {
		runner, err := r.begin(ctx, &r.setups[i], f)
		if err != nil {
			return err
		}
		n := len(f.scenario.Steps)
		if r.options.step > 0 {
			n = r.options.step
		}
		for s := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			results[i] = append(results[i], runner.Step(ctx, &f.scenario.Steps[s]))
		}
	}
	if r.setups[0].compared {
		report.Differs = firstDifference(r.setups, results)
	} else if r.options.update {
		return r.update(f, results[0], report)
	}
	for i := range results[0] {
		report.Steps = append(report.Steps, r.step(f, i, &results[0][i]))
	}
	if r.options.step > 0 && r.options.output == "text" {
		r.show(f, &report.Steps[r.options.step-1], &results[0][r.options.step-1])
	}
	return nil
}

// step returns the report on a step.
func (r *scenarioRun) step(f *scenarioFile, i int, res *scenario.Result) stepReport {
	s := &f.scenario.Steps[i]
	report := stepReport{Step: i + 1, Actor: s.Actor, Do: s.Do, Code: res.Code, Denied: res.Denied, Warnings: res.Warnings, Expected: s.Expect != nil}
	if res.Kind != nil {
		report.Object = results.ResourceLine(res.Kind, res.Target.Name)
		if s.Subresource != "" {
			report.Object += "/" + s.Subresource
		}
	}
	if res.Err != nil {
		report.Error, report.Reason = res.Err.Error(), res.Reason()
	} else {
		report.Unchanged = len((&scenario.Expectation{Result: scenario.Unchanged}).Check(res)) == 0
	}
	switch {
	case r.setups[0].compared:
	case s.Expect != nil:
		report.Mismatches = s.Expect.Check(res)
	case res.Err != nil && res.Code == 0:
		report.Mismatches = []scenario.Mismatch{{Field: "request", Want: "a valid request", Got: res.Err.Error()}}
	}
	if len(report.Mismatches) > 0 {
		report.Position = f.position(i)
	}
	return report
}

// update writes the results into the file as expectations.
func (r *scenarioRun) update(f *scenarioFile, results []scenario.Result, report *scenarioReport) error {
	expect := make([]*scenario.Expectation, len(f.scenario.Steps))
	for i := range results {
		s := &f.scenario.Steps[i]
		if s.Expect != nil && len(s.Expect.Check(&results[i])) == 0 {
			continue
		}
		expect[i] = s.Expect.Observed(&results[i])
		report.Updated++
	}
	if report.Updated == 0 {
		return nil
	}
	text, err := scenario.Rewrite(f.text, f.name, expect)
	if err != nil {
		return err
	}
	if err := rewriteFile(f.name, f.text, text); err != nil {
		return manifest.FileError(f.name, err)
	}
	return nil
}

// rewriteFile replaces a file, or the one that a symbolic link leads to, by one with the same mode. was is its text when it
// was read: a file that another program has changed since is left.
func rewriteFile(name string, was, text []byte) error {
	file, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("cannot be replaced, because it is not a regular file")
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, was) {
		return errors.New("has been changed by another program since it was read; run the command again")
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0) // a file that is protected against writing is not replaced
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return serving.ReplaceFile(file, text, info.Mode().Perm())
}

// firstDifference returns the first step whose results, those of each setup, differ, nil if there
// is none.
func firstDifference(setups []setup, of [][]scenario.Result) *difference {
	for i := range of[0] {
		a, b := &of[0][i], &of[1][i]
		left, right := outcomeOf(a), outcomeOf(b)
		before, after := withoutNullTimes(a.After.Join()), withoutNullTimes(b.After.Join())
		same := before.Exists() == after.Exists() && (!before.Exists() || document.Identical(before, after))
		if left == right && same {
			continue
		}
		d := &difference{Step: i + 1, With: map[string]string{setups[0].name: left, setups[1].name: right}, names: [2]string{setups[0].name, setups[1].name}}
		if !same {
			d.Diff = terminal.Unified(setups[0].name, setups[1].name, results.YAMLText(before), results.YAMLText(after))
		}
		return d
	}
	return nil
}

// withoutNullTimes removes null values of creationTimestamp: API servers before 1.34 print
// them in pod templates, newer ones do not.
func withoutNullTimes(v document.Value) document.Value {
	const key = "creationTimestamp"
	switch v.Kind() {
	case document.Object:
		if v.Get(key).IsNull() {
			v = v.Without(key)
		}
		for name, member := range v.Members() {
			if next := withoutNullTimes(member); !document.SameNode(next, member) {
				v = v.With(name, next)
			}
		}
	case document.List:
		for i, item := range v.Items() {
			if next := withoutNullTimes(item); !document.SameNode(next, item) {
				v = v.WithItem(i, next)
			}
		}
	}
	return v
}

// outcomeOf describes the outcome of a step, with its warnings.
func outcomeOf(res *scenario.Result) string {
	text := fmt.Sprint(res.Code)
	if res.Err != nil {
		text = strings.TrimSpace(fmt.Sprint(res.Code, " ", res.Reason())) + ": " + res.Err.Error()
	}
	for _, w := range res.Warnings {
		text += "; warning: " + w
	}
	return text
}
