package inputs

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// Selection names objects of a file that has several. An empty one selects all of them.
type Selection []selected

// selected is KIND/NAME as kubectl has it: the kind by its name, plural, singular or short name,
// with or without its group.
type selected struct{ text, kind, group, name string }

// SelectionHelp is the part of the help about the arguments KIND/NAME.
const SelectionHelp = `Of a file with several objects, the arguments KIND/NAME select some, such as deploy/web or
deployments.apps/web; with --namespace, only those in it. If OBJECT is in the cluster, they are
further objects of the cluster.`

// Choose takes OBJECT and the objects to select from the arguments of a command.
func (f *Flags) Choose(args []string) (Selection, error) {
	f.Live = args[0]
	chosen, err := selectionOf(args[0], args[1:])
	if err == nil && IsResource(args[0]) {
		f.others, chosen = args[1:], nil
	}
	return chosen, err
}

// selectionOf parses the arguments after OBJECT.
func selectionOf(object string, args []string) (Selection, error) {
	var all Selection
	for _, arg := range args {
		resource, name, _ := strings.Cut(arg, "/")
		if resource == "" || name == "" { // names of roles may have any characters but / and %
			if _, err := os.Stat(object); err != nil && len(args) == 1 && !strings.ContainsAny(object+arg, "/*?[") && object != "-" {
				return nil, program.Usage("an object of a cluster is named KIND/NAME: " + object + "/" + arg)
			}
			return nil, program.Usage(arg + ": expected KIND/NAME, such as deployment/web, to select an object of OBJECT")
		}
		kind, group, _ := strings.Cut(resource, ".")
		all = append(all, selected{arg, kind, group, name})
	}
	return all, nil
}

// Of returns the selected objects, and an error if there is none for one of the names.
func (s Selection) Of(objects []manifest.Object, lab *patchlab.Lab, namespace, source string) ([]manifest.Object, error) {
	if len(s) == 0 {
		return objects, nil
	}
	used := make([]bool, len(s))
	var found []manifest.Object
	for _, o := range objects {
		if has := NamespaceOf(o); has != "" && namespace != "" && has != namespace {
			continue
		}
		i := slices.IndexFunc(s, func(one selected) bool { return one.matches(o, lab) })
		if i >= 0 {
			used[i] = true
			found = append(found, o)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		text := s[i].text + " is not in " + source
		if namespace != "" {
			text = "namespace " + namespace + " has no " + s[i].text + " in " + source
		}
		return nil, errors.New(text)
	}
	return found, nil
}

func (s selected) matches(o manifest.Object, lab *patchlab.Lab) bool {
	if o.Value.Lookup("metadata", "name").StringOr("") != s.name {
		return false
	}
	group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
	if s.group != "" && s.group != group {
		return false
	}
	kind, _, err := lab.Kind(o.Value)
	return err == nil && IsNamed(kind, s.kind)
}

// CompleteSelection completes OBJECT, and then the names of its objects.
func CompleteSelection(a *program.App, kubectl *KubectlFlags) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return CompleteObject(c, args, begun)
		}
		if args[0] == "-" || IsResource(args[0]) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		recursive, _ := c.Flags().GetBool("recursive")
		return namesIn(c.Context(), a, Flags{Kubectl: *kubectl, Live: args[0], Recursive: recursive}), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesIn returns the names of the objects in an input.
func namesIn(ctx context.Context, a *program.App, in Flags) []string {
	quiet := *a
	quiet.Quiet = true
	docs, err := in.ReadLive(ctx, &quiet, "")
	if err != nil {
		return nil
	}
	var names []string
	for _, o := range docs.Objects() {
		names = append(names, strings.ToLower(o.Kind())+"/"+o.Value.Lookup("metadata", "name").StringOr(""))
	}
	names = Completable(names)
	slices.Sort(names)
	return slices.Compact(names)
}
