// Package scenarios has the commands for scenarios: run, race, export and playground.
package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/scenario/link"
	"github.com/patchlab-dev/patchlab/schema"
)

// runOptions are the flags of run.
type runOptions struct {
	recursive         bool
	update            bool
	step              int
	output            string
	verbose           bool
	quiet             bool
	showManagedFields bool
	kubeVersions      []string
	CRDs              []string
}

// RunCommand returns the command run.
func RunCommand(a *program.App) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run SCENARIO…",
		Short: "Run scenario files and compare each step with its expectation",
		Long: `Run scenarios: files of steps in which several actors change objects, in the format
patchlab.dev/v1 (doc/scenarios.md). The result of a step is compared with its
expectation; a step without one may be refused, but it must be possible to send it.

SCENARIO is a file, a folder, a glob, a playground link, or "-" for standard input. For
one scenario, each step is printed; for several, only the failing steps. With --update,
the expectations in the files are replaced with the actual results and added to steps
that have none; comments are kept.

With two versions in --kube-version, or two sets in --crd, each scenario is run with
both, and the first step that differs is printed.

CEL rules and admission policies among the definitions are evaluated by the program
` + program.Admission + `, which this command executes. If it is not installed, a note
reports the number of rules and policies that were not evaluated. Webhooks are not called.

` + program.ExitHelpOf(map[int]string{
			program.ExitRefused: "a step did not have the expected result, or a scenario could not be run",
			program.ExitChanged: "with two versions or sets of definitions: a step differs",
		}),
		Example: `  # Run all scenarios of a folder
  patchlab run scenarios/

  # Run the first two steps of a scenario and print the object
  patchlab run conflict.yaml --step 2

  # Update the expectations, then review the changes
  patchlab run scenarios/ --update && git diff

  # Compare two Kubernetes versions, or two versions of a CRD
  patchlab run scenarios/ --kube-version 1.33,1.36
  patchlab run widget.yaml --crd crds/v1.2,crds/v1.3

  # Write a JUnit report for CI
  patchlab run scenarios/ -o junit > report.xml`,
		Args: atLeastOne("SCENARIO"),
		RunE: func(c *cobra.Command, args []string) error { return runScenarios(c.Context(), a, args, &o) },
	}
	f := c.Flags()
	f.BoolVarP(&o.recursive, "recursive", "R", false, "process folders recursively")
	f.BoolVar(&o.update, "update", false, "replace the expectations in the files with the actual results")
	f.IntVar(&o.step, "step", 0, "run the steps up to this one, counted from 1, and print the resulting object")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json or junit", "text", "json", "junit")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print each step even if there are several scenarios")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only failures, and no notes")
	f.BoolVar(&o.showManagedFields, "show-managed-fields", false, "with --step, include the managedFields of the object")
	f.StringSliceVar(&o.kubeVersions, "kube-version", nil, "Kubernetes version that overrides the scenario's, or two versions to compare")
	f.StringSliceVar(&o.CRDs, "crd", nil, "file or folder of CustomResourceDefinitions that override those of the same name, or two to compare")
	_ = c.RegisterFlagCompletionFunc("step", completeSteps(a))
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// atLeastOne returns a validator that requires at least one argument.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return program.Usage("'" + c.CommandPath() + "' requires at least one argument, " + name + "\nUsage: " + c.UseLine())
	}
}

func (o *runOptions) check(args []string) error {
	switch {
	case len(o.kubeVersions) > 2:
		return program.Usage("--kube-version accepts one version, or two to compare")
	case len(o.CRDs) > 2:
		return program.Usage("--crd accepts one file or folder, or two to compare")
	case o.step < 0:
		return program.Usage("--step must be at least 1")
	case o.update && slices.ContainsFunc(args, func(name string) bool { return name == "-" || link.Is(name) }):
		return program.Usage("--update rewrites files, not standard input or links")
	case o.update && o.step > 0:
		return program.Usage("--update replaces all expectations and cannot be used with --step, which runs the first steps only")
	case o.update && (len(o.kubeVersions) > 1 || len(o.CRDs) > 1):
		return program.Usage("--update cannot be used with a comparison of two versions")
	}
	for _, v := range o.kubeVersions {
		if !slices.Contains(schema.Versions(), inputs.MinorVersion(v)) {
			return program.Usage("--kube-version " + v + ": supported versions are " + strings.Join(schema.Versions(), ", "))
		}
	}
	return nil
}

// A scenarioFile is a scenario with its source text.
type scenarioFile struct {
	name     string
	text     []byte
	scenario *scenario.Scenario
	err      error // error of parsing it
}

// setup overrides the versions and definitions of a scenario.
type setup struct {
	name, kubernetes string
	CRDs             []manifest.Object
	compared         bool // there is another setup to compare with
}

func runScenarios(ctx context.Context, a *program.App, args []string, o *runOptions) error {
	if err := o.check(args); err != nil {
		return err
	}
	a.Quiet = o.quiet
	files, err := scenarioFiles(a, args, o.recursive)
	if err != nil {
		return err
	}
	if o.step > 0 && len(files) > 1 {
		return program.Usage(fmt.Sprintf("--step requires exactly one scenario, but there are %d", len(files)))
	}
	setups, err := setups(a, o)
	if err != nil {
		return err
	}
	if done, err := policiesElsewhere(ctx, a, files, setups); done || err != nil {
		return err
	}
	r := &scenarioRun{app: a, options: o, setups: setups, steps: o.verbose || len(files) == 1}
	for i := range files {
		if err := r.file(ctx, &files[i]); err != nil {
			return err
		}
	}
	return r.finish()
}

// scenarioText matches the files of a directory that are scenarios.
var scenarioText = regexp.MustCompile(`(?m)^\s*\{?\s*"?scenario"?\s*:`)

// scenarioFiles reads scenarios. Other files in a directory are skipped and counted.
func scenarioFiles(a *program.App, names []string, recursive bool) ([]scenarioFile, error) {
	source := inputs.Source(a)
	source.Recursive, source.RecursiveFlag = recursive, "-R"
	var files []scenarioFile
	skipped := 0
	for _, name := range names {
		found := []string{name}
		if !link.Is(name) {
			var err error
			if found, err = source.Files(name); err != nil {
				return nil, err
			}
		}
		for _, file := range found {
			f, err := readScenarioFile(a, file)
			if err != nil {
				return nil, err
			}
			if len(found) > 1 && !scenarioText.Match(f.text) {
				skipped++
				continue
			}
			files = append(files, f)
		}
	}
	if skipped > 0 {
		a.Note(terminal.Count(skipped, "file that is not a scenario", "files that are not scenarios") + " skipped")
	}
	if len(files) == 0 {
		return nil, errors.New(strings.Join(names, ", ") + ": no scenario found")
	}
	return files, nil
}

// setups returns the setups to run the scenarios with: one, or two to compare.
func setups(a *program.App, o *runOptions) ([]setup, error) {
	list := make([]setup, max(1, len(o.kubeVersions), len(o.CRDs)))
	for i := range list {
		s := &list[i]
		s.compared = len(list) > 1
		if n := len(o.kubeVersions); n > 0 {
			s.kubernetes = inputs.MinorVersion(o.kubeVersions[min(i, n-1)])
			s.name = s.kubernetes
		}
		if n := len(o.CRDs); n > 0 {
			name := o.CRDs[min(i, n-1)]
			var err error
			if s.CRDs, err = inputs.ReadCRDs(a, []string{name}, nil); err != nil {
				return nil, err
			}
			if len(o.kubeVersions) < 2 {
				s.name = name
			} else {
				s.name += " with " + name
			}
		}
	}
	return list, nil
}

// of returns the scenario with the setup's overrides.
func (u *setup) of(s *scenario.Scenario) (*scenario.Scenario, error) {
	with := *s
	if u.kubernetes != "" {
		with.Kubernetes = u.kubernetes
	}
	if len(u.CRDs) == 0 {
		return &with, nil
	}
	names := map[string]bool{}
	with.Definitions = nil
	for _, crd := range u.CRDs {
		names[crd.Value.Lookup("metadata", "name").StringOr("")] = true
		with.Definitions = append(with.Definitions, string(crd.Value.YAML()))
	}
	for i, text := range s.Definitions {
		docs, err := manifest.Parse("", []byte(text))
		if err != nil {
			return nil, fmt.Errorf("definition %d: %w", i+1, err)
		}
		kept := slices.DeleteFunc(manifest.Split(docs...), func(o manifest.Object) bool {
			return o.IsCRD() && names[o.Value.Lookup("metadata", "name").StringOr("")]
		})
		for _, o := range kept {
			with.Definitions = append(with.Definitions, string(o.Value.YAML()))
		}
	}
	return &with, nil
}

// policiesElsewhere executes the program that runs rules and policies, if a scenario has some
// and this program does not run them.
func policiesElsewhere(ctx context.Context, a *program.App, files []scenarioFile, setups []setup) (done bool, err error) {
	needed := slices.ContainsFunc(files, func(f scenarioFile) bool { return needsAdmission(f.text) })
	for _, u := range setups {
		needed = needed || slices.ContainsFunc(u.CRDs, func(o manifest.Object) bool { return needsAdmission(o.Value.JSON()) })
	}
	if !needed || a.Policies != nil {
		return false, nil
	}
	found, ok := program.Find(program.Admission)
	if !ok {
		return false, nil
	}
	return true, a.RunWith(ctx, found)
}

// needsAdmission reports whether a text may contain CEL rules or admission policies.
func needsAdmission(text []byte) bool {
	return bytes.Contains(text, []byte("x-kubernetes-validations")) || bytes.Contains(text, []byte("AdmissionPolicy"))
}

// begin returns a runner for a scenario and prints notes about its objects.
func (r *scenarioRun) begin(ctx context.Context, u *setup, f *scenarioFile) (*scenario.Runner, error) {
	with, err := u.of(f.scenario)
	if err != nil {
		return nil, err
	}
	var configure func(*cluster.Config) error
	if r.app.Policies != nil && needsAdmission(f.text) {
		configure = r.app.Policies
	}
	runner, err := with.Begin(ctx, configure)
	if err != nil {
		return nil, err
	}
	for _, e := range runner.Existing() {
		for _, text := range e.Notes {
			r.app.Note("note: " + f.name + ": " + text)
		}
	}
	rules, policies := runner.NotRun(ctx)
	r.rules, r.policies = r.rules+rules, r.policies+policies
	return runner, nil
}

// position returns the position of a step in its file.
func (f *scenarioFile) position(step int) string {
	d, err := document.ParseYAML(f.text, document.Options{Name: f.name})
	if err != nil {
		return f.name
	}
	return d.PositionOf(document.Keys("steps").Item(step)).String()
}
