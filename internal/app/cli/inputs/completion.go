package inputs

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/schema"
)

// CompleteObject completes an argument that is a file or KIND/NAME: with files or, if none
// matches, with kinds. Names of objects are not completed, because that requires a cluster.
func CompleteObject(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if files, err := filepath.Glob(begun + "*"); begun == "" || len(args) > 0 || err == nil && len(files) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	catalog, err := schema.Builtin("")
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var kinds []string
	for k := range schema.NewRegistry(catalog).Kinds() {
		if name := AsBegun(k, begun) + "/"; k.Resource != "" && strings.HasPrefix(name, begun) {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), cobra.ShellCompDirectiveNoSpace
}

// AsBegun returns the name of a kind that begins as a word on the command line: shells accept only
// completions with the same letters, so that De is completed to Deployment and de to deployment.
func AsBegun(k *schema.Kind, begun string) string {
	if begun != strings.ToLower(begun) {
		return k.Kind
	}
	return k.Singular
}

// CompleteInputs completes the flags of a command whose values are among its inputs.
func CompleteInputs(a *program.App, c *cobra.Command, kubectl *KubectlFlags) {
	managers, namespaces := CompleteLive(a, kubectl, LiveSelected, ManagersIn), CompleteLive(a, kubectl, liveOfAnyNamespace, namespacesIn)
	for flag, complete := range map[string]cobra.CompletionFunc{"field-manager": managers, "namespace": namespaces, "default-namespace": namespaces} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, complete)
		}
	}
	if c.Flags().Lookup("kustomize") != nil {
		_ = c.MarkFlagDirname("kustomize")
	}
}

// Completable returns the values of objects that a shell completes as they are. The beginning that
// several values share is inserted without quotes by bash, and the next Tab evaluates the command so
// far: whoever can name a field manager could otherwise execute commands of those who complete it.
func Completable(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool {
		return strings.ContainsAny(v, "$`\\;&|<>(){}!'") || strings.ContainsFunc(v, terminal.Unseen)
	})
}

// LiveReader reads the live objects that the first argument of a command names, for completion.
type LiveReader func(a *program.App, c *cobra.Command, kubectl *KubectlFlags, name string) (Documents, error)

// CompleteLive completes a flag with values of the live objects.
func CompleteLive(a *program.App, kubectl *KubectlFlags, read LiveReader, values func(live Documents) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 || args[0] == "-" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		live, err := read(a, c, kubectl, args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found := Completable(values(live))
		slices.Sort(found)
		return slices.Compact(found), cobra.ShellCompDirectiveNoFileComp
	}
}

// LiveSelected reads the live objects in the namespace that the flags state.
func LiveSelected(a *program.App, c *cobra.Command, kubectl *KubectlFlags, name string) (Documents, error) {
	namespace := ""
	for _, flag := range [...]string{"namespace", "default-namespace"} {
		if stated := c.Flags().Lookup(flag); stated != nil {
			namespace = cmp.Or(namespace, stated.Value.String())
		}
	}
	quiet := *a
	quiet.Quiet = true
	recursive, _ := c.Flags().GetBool("recursive") // false without the flag
	asked := Flags{Live: name, Recursive: recursive, Kubectl: *kubectl}
	return asked.ReadLive(c.Context(), &quiet, namespace)
}

// liveOfAnyNamespace reads the live objects, those of a cluster from all namespaces.
func liveOfAnyNamespace(a *program.App, c *cobra.Command, kubectl *KubectlFlags, name string) (Documents, error) {
	if IsResource(name) {
		return kubectl.named(c.Context(), name)
	}
	return LiveSelected(a, c, kubectl, name)
}

// ManagersIn returns the managers of live objects.
func ManagersIn(live Documents) []string {
	var names []string
	for _, o := range live.Objects() {
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
func namespacesIn(live Documents) []string {
	var names []string
	for _, o := range live.Objects() {
		if name := NamespaceOf(o); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// IsNamed reports whether a name is that of a kind, as kubectl has it: the kind itself, the plural, the singular or a
// short name, in any case.
func IsNamed(k *schema.Kind, name string) bool {
	name = strings.ToLower(name)
	return name == k.Resource || name == k.Singular || name == strings.ToLower(k.Kind) || slices.Contains(k.ShortNames, name)
}
