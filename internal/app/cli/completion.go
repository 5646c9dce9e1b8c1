package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// completeObject completes an argument that is a file or KIND/NAME: with files or, if none
// matches, with kinds. Names of objects are not completed, because that requires a cluster.
func completeObject(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if files, err := filepath.Glob(begun + "*"); begun == "" || len(args) > 0 || err == nil && len(files) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	catalog, err := schema.Builtin("")
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var kinds []string
	for k := range schema.NewRegistry(catalog).Kinds() {
		if name := strings.ToLower(k.Kind) + "/"; k.Resource != "" && strings.HasPrefix(name, strings.ToLower(begun)) {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), cobra.ShellCompDirectiveNoSpace
}

// completeManagers completes a flag with the managers of the live objects in the first
// argument.
func (a *App) completeManagers(f *inputFlags) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 || args[0] == "-" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		asked := inputFlags{live: args[0], recursive: f.recursive, kubectl: f.kubectl}
		return a.managersIn(c.Context(), &asked), cobra.ShellCompDirectiveNoFileComp
	}
}

// managersIn returns the managers of live objects, none if they cannot be read.
func (a *App) managersIn(ctx context.Context, f *inputFlags) []string {
	quiet := *a
	quiet.quiet = true
	live, err := f.readLive(ctx, &quiet, "")
	if err != nil {
		return nil
	}
	var names []string
	for _, o := range live.objects() {
		object, err := fieldmanager.Split(o.Value)
		if err != nil {
			continue
		}
		for _, e := range object.Managed.Entries() {
			names = append(names, e.Manager)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completeSteps completes --step with the steps of the scenario.
func (a *App) completeSteps(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 || args[0] == "-" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	f, err := a.scenarioFile(args[0])
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
