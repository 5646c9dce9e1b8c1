package scenarios

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// completeSteps completes --step with the steps of the scenario.
func completeSteps(a *program.App) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 || args[0] == "-" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		f, err := readScenarioFile(a, args[0])
		if err != nil || f.err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var steps []string
		for i := range f.scenario.Steps {
			s := &f.scenario.Steps[i]
			steps = append(steps, fmt.Sprintf("%d\t%s by %s", i+1, s.Do, s.Actor))
		}
		return steps, cobra.ShellCompDirectiveNoFileComp
	}
}
