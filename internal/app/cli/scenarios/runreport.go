package scenarios

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/scenario"
)

// print prints the result of a scenario.
func (r *scenarioRun) print(s *scenarioReport) {
	var b strings.Builder
	failed, expected := 0, 0
	for _, step := range s.Steps {
		if step.Expected {
			expected++
		}
		if len(step.Mismatches) > 0 {
			failed++
		}
	}
	switch {
	case s.Error != "":
		b.WriteString("FAIL     " + s.failure + "\n")
	case s.Updated > 0:
		b.WriteString("updated  " + s.File + "  " + terminal.Count(s.Updated, "expectation", "expectations") + "\n")
	case failed > 0:
		b.WriteString("FAIL     " + s.File + "  " + terminal.Count(failed, "step", "steps") + " of " + fmt.Sprint(len(s.Steps)) + "\n")
	case s.Differs != nil:
		step := &s.Steps[s.Differs.Step-1]
		b.WriteString("differs  " + s.File + "  " + step.name() + "\n")
	case r.options.quiet, r.options.step > 0 && s.Differs == nil && !r.setups[0].compared:
		return
	case r.setups[0].compared:
		b.WriteString("same     " + s.File + "  " + terminal.Count(len(s.Steps), "step", "steps") + "\n")
	default:
		b.WriteString("ok       " + s.File + "  " + terminal.Count(len(s.Steps), "step", "steps") + ", " + terminal.Count(expected, "expectation", "expectations") + "\n")
	}
	if r.steps && !r.options.quiet && !r.setups[0].compared {
		b.WriteString(stepTable(s.Steps))
	}
	for _, step := range s.Steps {
		if len(step.Mismatches) > 0 {
			b.WriteString(indentLines(step.mismatches(), "  "))
		}
	}
	if s.Differs != nil {
		b.WriteString(indentLines(s.Differs.text(), "  "))
	}
	r.app.Show(b.String())
}

// mismatches describes the differences between a step's result and its expectation.
func (s *stepReport) mismatches() string {
	text := s.Position + ": " + s.name()
	for _, m := range s.Mismatches {
		text += "\n  " + m.String()
	}
	return text + "\n"
}

// name identifies the step.
func (s *stepReport) name() string {
	return "step " + fmt.Sprint(s.Step) + ", " + string(s.Do) + " by " + terminal.OneLine(s.Actor)
}

// text describes a difference.
func (d *difference) text() string {
	var b strings.Builder
	for _, name := range d.names {
		b.WriteString(name + ": " + d.With[name] + "\n")
	}
	return b.String() + d.Diff
}

func indentLines(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

// stepTable returns a table of the steps with their outcomes.
func stepTable(steps []stepReport) string {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		_, _ = fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\n", s.Step, terminal.OneLine(s.Actor), s.Do, terminal.OneLine(s.Object), s.outcome())
	}
	_ = t.Flush()
	return b.String()
}

// outcome describes the outcome of a step in a line.
func (s *stepReport) outcome() string {
	const most = 100
	text := fmt.Sprint(s.Code)
	switch {
	case s.Error != "":
		message, _, _ := strings.Cut(s.Error, "\n")
		if r := []rune(message); len(r) > most {
			message = string(r[:most]) + "…"
		}
		text = strings.TrimSpace(text + " " + s.Reason)
		if s.Code == 0 {
			text = "not sent"
		}
		text += ": " + message
	case s.Unchanged:
		text += " unchanged"
	}
	if len(s.Warnings) > 0 {
		text += " (" + terminal.Count(len(s.Warnings), "warning", "warnings") + ")"
	}
	return text
}

// show prints the result of the step that --step selects, and the object after it.
func (r *scenarioRun) show(f *scenarioFile, step *stepReport, res *scenario.Result) {
	text := fmt.Sprintf("# %s, step %d: %s by %s: %s\n", f.name, step.Step, step.Do, step.Actor, step.outcome())
	for _, w := range res.Warnings {
		text += "# warning: " + w + "\n"
	}
	for _, c := range res.Conflicts() {
		text += "# conflict over " + c.Path.String() + " with " + c.Owner.String() + "\n"
	}
	object := res.After.Join()
	if !object.Exists() {
		r.app.Show(text + "# no object after this step\n")
		return
	}
	shown := results.Flags{ShowManagedFields: r.options.showManagedFields}
	r.app.Show(text)
	r.app.Print(string(shown.Shown(object).YAML()))
}

// runSummary counts the results of all scenarios.
type runSummary struct {
	Scenarios    int `json:"scenarios"`
	Failed       int `json:"failed"`
	Differing    int `json:"differing"`
	Steps        int `json:"steps"`
	Expectations int `json:"expectations"`
	Updated      int `json:"updatedExpectations"`
	RulesNotRun  int `json:"celRulesNotRun"`
	PolicyNotRun int `json:"policiesNotRun"`
}

func (r *scenarioRun) summary() runSummary {
	s := runSummary{Scenarios: len(r.reports), RulesNotRun: r.rules, PolicyNotRun: r.policies}
	for i := range r.reports {
		report := &r.reports[i]
		s.Steps += len(report.Steps)
		s.Updated += report.Updated
		if report.failed() {
			s.Failed++
		}
		if report.Differs != nil {
			s.Differing++
		}
		for _, step := range report.Steps {
			if step.Expected {
				s.Expectations++
			}
		}
	}
	return s
}

// finish prints the summary and returns the command's error.
func (r *scenarioRun) finish() error {
	s := r.summary()
	switch r.options.output {
	case "json":
		r.app.Print(string(runDocument(r.reports, s)))
	case "junit":
		r.app.Print(junit(r.reports))
	default:
		if s.Scenarios > 1 && !r.options.quiet {
			r.app.Show(s.text(&r.setups[0]) + "\n")
		}
	}
	if s.RulesNotRun > 0 || s.PolicyNotRun > 0 {
		r.app.Note("note: " + s.notRun() + " not evaluated, because the program " + program.Admission + " was found neither in the directory of patchlab nor on the PATH\n" + program.HowToInstall(program.AdmissionPackage))
	}
	switch {
	case s.Failed > 0:
		return &program.Exit{Code: program.ExitRefused}
	case s.Differing > 0:
		return &program.Exit{Code: program.ExitChanged}
	}
	return nil
}

// notRun describes how many rules and policies were not run.
func (s runSummary) notRun() string {
	var parts []string
	if s.RulesNotRun > 0 {
		parts = append(parts, terminal.Count(s.RulesNotRun, "CEL rule", "CEL rules"))
	}
	if s.PolicyNotRun > 0 {
		parts = append(parts, terminal.Count(s.PolicyNotRun, "admission policy", "admission policies"))
	}
	if s.RulesNotRun+s.PolicyNotRun == 1 {
		return parts[0] + " was"
	}
	return strings.Join(parts, " and ") + " were"
}

func (s runSummary) text(u *setup) string {
	text := terminal.Count(s.Scenarios, "scenario", "scenarios") + ": "
	switch {
	case u.compared:
		text += fmt.Sprintf("%d identical, %d different", s.Scenarios-s.Failed-s.Differing, s.Differing)
	case s.Updated > 0:
		text += terminal.Count(s.Updated, "expectation", "expectations") + " updated"
	default:
		text += fmt.Sprintf("%d as expected", s.Scenarios-s.Failed)
	}
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Steps > 0 {
		text += "; " + terminal.Count(s.Steps, "step", "steps") + ", " + terminal.Count(s.Expectations, "expectation", "expectations")
	}
	return text
}

// runDocument returns the report as JSON.
func runDocument(reports []scenarioReport, s runSummary) []byte {
	text, _ := json.MarshalIndent(struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Scenarios  []scenarioReport `json:"scenarios"`
		Summary    runSummary       `json:"summary"`
	}{results.OwnVersion, "ScenarioReport", reports, s}, "", "    ") // it can always be encoded
	return append(text, '\n')
}

// The elements of JUnit's XML format that CI systems use.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit returns the report in JUnit's format: each scenario is a suite, each step a test case.
func junit(reports []scenarioReport) string {
	all := junitSuites{}
	for i := range reports {
		report := &reports[i]
		suite := junitSuite{Name: report.File}
		for j := range report.Steps {
			step := &report.Steps[j]
			c := junitCase{Name: fmt.Sprintf("step %d: %s by %s", step.Step, step.Do, step.Actor), Class: report.File}
			if len(step.Mismatches) > 0 {
				c.Failure = &junitProblem{step.Mismatches[0].String(), step.mismatches()}
				suite.Failures++
			}
			if report.Differs != nil && report.Differs.Step == step.Step {
				c.Failure = &junitProblem{"the step differs", report.Differs.text()}
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, c)
		}
		if report.Error != "" {
			suite.Errors++
			suite.Cases = append(suite.Cases, junitCase{Name: "scenario", Class: report.File, Error: &junitProblem{Message: report.Error}})
		}
		suite.Tests = len(suite.Cases)
		all.Tests, all.Failures, all.Errors = all.Tests+suite.Tests, all.Failures+suite.Failures, all.Errors+suite.Errors
		all.Suites = append(all.Suites, suite)
	}
	text, _ := xml.MarshalIndent(all, "", "  ") // it can always be encoded
	return xml.Header + string(text) + "\n"
}
