package scenarios

import (
	"context"
	"fmt"
	"go/token"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/scenario/link"
)

// defaultPage is the address of the page that 'patchlab playground' serves.
const defaultPage = "http://" + defaultListen + "/"

var exportForms = [...]string{"link", "kubectl", "go", "yaml"}

// ExportCommand returns the command export.
func ExportCommand(a *program.App) *cobra.Command {
	to, page, pkg := "link", defaultPage, "scenarios"
	c := &cobra.Command{
		Use:   "export SCENARIO",
		Short: "Write a scenario as a playground link, a kubectl script or a Go test",
		Long: `Write a scenario in another form:

  link     a playground link that contains the scenario
  kubectl  a shell script of kubectl commands that run the steps in a cluster
  go       a Go test that uses client-go with package patchlabtest and compares the
           responses, the objects and their managers
  yaml     a scenario file, for example for 'patchlab run'

SCENARIO is a file, "-" for standard input, or a playground link.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the scenario could not be read or run"}),
		Example: `  patchlab export conflict.yaml
  patchlab export conflict.yaml --to go --package widgets > conflict_test.go

  # Convert a playground link to a scenario file
  patchlab export 'http://127.0.0.1:8711/#v1=…' --to yaml > case.yaml`,
		Args: program.Arguments("SCENARIO"),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(exportForms[:], to) {
				return program.Usage("--to " + to + ": expected link, kubectl, go or yaml")
			}
			if !token.IsIdentifier(pkg) {
				return program.Usage("--package " + pkg + ": not a valid Go package name")
			}
			return export(c.Context(), a, args[0], to, page, pkg)
		},
	}
	c.Flags().StringVarP(&to, "to", "o", to, "output form: link, kubectl, go or yaml")
	c.Flags().StringVar(&page, "page", page, "URL of the playground in the link")
	c.Flags().StringVar(&pkg, "package", pkg, "package name of the Go test")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(exportForms[:], cobra.ShellCompDirectiveNoFileComp))
	return c
}

func export(ctx context.Context, a *program.App, name, to, page, pkg string) error {
	f, err := readScenarioFile(a, name)
	if err != nil {
		return err
	}
	if f.err != nil {
		return f.err
	}
	switch to {
	case "link":
		text, err := link.Encode(page, f.scenario, len(f.scenario.Steps))
		if err != nil {
			return err
		}
		a.Print(text + "\n")
		return nil
	case "yaml":
		a.Print(string(f.scenario.YAML()))
		return nil
	}
	results, err := scenario.Run(ctx, f.scenario)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	text := scenario.Script(f.scenario, results)
	if to == "go" {
		if text, err = scenario.GoTest(f.scenario, results, pkg); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if terminal.IsTerminal(a.Out) { // the name of an actor can have any characters
		a.Show(string(text))
	} else {
		a.Print(string(text))
	}
	return nil
}

// readScenarioFile reads a scenario from a file, standard input or a link. An invalid scenario is
// reported later.
func readScenarioFile(a *program.App, name string) (scenarioFile, error) {
	if link.Is(name) {
		s, _, err := link.Decode(name)
		if err != nil {
			return scenarioFile{}, err
		}
		return scenarioFile{name: "the link", text: s.YAML(), scenario: s}, nil
	}
	text, err := a.Read(name)
	if err != nil {
		return scenarioFile{}, err
	}
	f := scenarioFile{name: name, text: text}
	f.scenario, f.err = scenario.Parse(text, name)
	return f, nil
}
