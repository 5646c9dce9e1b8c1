package cli

import (
	"cmp"
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
		if name := asBegun(k, begun) + "/"; k.Resource != "" && strings.HasPrefix(name, begun) {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), cobra.ShellCompDirectiveNoSpace
}

// asBegun returns the name of a kind that begins as a word on the command line: shells accept only
// completions with the same letters, so that De is completed to Deployment and de to deployment.
func asBegun(k *schema.Kind, begun string) string {
	if begun != strings.ToLower(begun) {
		return k.Kind
	}
	return k.Singular
}

// completeInputs completes the flags of a command whose values are among its inputs.
func (a *App) completeInputs(c *cobra.Command, kubectl *kubectlFlags) {
	managers, namespaces := a.completeLive(kubectl, liveSelected, managersIn), a.completeLive(kubectl, liveOfAnyNamespace, namespacesIn)
	for flag, complete := range map[string]cobra.CompletionFunc{"field-manager": managers, "namespace": namespaces, "default-namespace": namespaces} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, complete)
		}
	}
	if c.Flags().Lookup("kustomize") != nil {
		_ = c.MarkFlagDirname("kustomize")
	}
}

// completable returns the values of objects that a shell completes as they are. The beginning that
// several values share is inserted without quotes by bash, and the next Tab evaluates the command so
// far: whoever can name a field manager could otherwise execute commands of those who complete it.
func completable(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool {
		return strings.ContainsAny(v, "$`\\;&|<>(){}!'") || strings.ContainsFunc(v, unseen)
	})
}

// liveReader reads the live objects that the first argument of a command names, for completion.
type liveReader func(a *App, c *cobra.Command, kubectl *kubectlFlags, name string) (documents, error)

// completeLive completes a flag with values of the live objects.
func (a *App) completeLive(kubectl *kubectlFlags, read liveReader, values func(live documents) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 || args[0] == "-" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		live, err := read(a, c, kubectl, args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found := completable(values(live))
		slices.Sort(found)
		return slices.Compact(found), cobra.ShellCompDirectiveNoFileComp
	}
}

// liveSelected reads the live objects in the namespace that the flags state.
func liveSelected(a *App, c *cobra.Command, kubectl *kubectlFlags, name string) (documents, error) {
	namespace := ""
	for _, flag := range [...]string{"namespace", "default-namespace"} {
		if stated := c.Flags().Lookup(flag); stated != nil {
			namespace = cmp.Or(namespace, stated.Value.String())
		}
	}
	quiet := *a
	quiet.quiet = true
	recursive, _ := c.Flags().GetBool("recursive") // false without the flag
	asked := inputFlags{live: name, recursive: recursive, kubectl: *kubectl}
	return asked.readLive(c.Context(), &quiet, namespace)
}

// liveOfAnyNamespace reads the live objects, those of a cluster from all namespaces.
func liveOfAnyNamespace(a *App, c *cobra.Command, kubectl *kubectlFlags, name string) (documents, error) {
	if isResource(name) {
		return kubectl.named(c.Context(), name)
	}
	return liveSelected(a, c, kubectl, name)
}

// managersIn returns the managers of live objects.
func managersIn(live documents) []string {
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
	return names
}

// namespacesIn returns the namespaces of live objects.
func namespacesIn(live documents) []string {
	var names []string
	for _, o := range live.objects() {
		if name := namespaceOf(o); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// completeSteps completes --step with the steps of the scenario.
func (a *App) completeSteps() cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
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
}
