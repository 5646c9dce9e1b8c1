package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
)

// fromStdin are the flags with which kubectl reads manifests from standard input.
const fromStdin = " -f -"

// manifests returns the flags with which kubectl reads the manifests that were given.
func (r *resolving) manifests() string {
	if dir := r.o.inputs.Kustomize; dir != "" {
		return " -k " + program.ShellQuote(dir)
	}
	text := ""
	for _, file := range r.o.inputs.Files {
		text += " -f " + program.ShellQuote(file)
	}
	if r.o.inputs.Recursive {
		text += " -R"
	}
	return text
}

// command returns the kubectl command that applies resolved manifests, of which one is given for
// the field manager, and which kubectl reads with the flags in from. An empty namespace is that of
// kubectl's context.
func (r *resolving) command(one *patchlab.Resolution, force bool, namespace, from string) string {
	text := "kubectl apply --server-side"
	if one.FieldManager != "kubectl" {
		text += " --field-manager=" + program.ShellQuote(one.FieldManager)
	}
	if s := r.o.apply.Subresource; s != "" {
		text += " --subresource=" + program.ShellQuote(s)
	}
	if force {
		text += " --force-conflicts"
	}
	if namespace != "" {
		text += " -n " + program.ShellQuote(namespace)
	}
	return text + from
}

// missingNamespace returns the namespace of a manifest that does not state it: kubectl would use that
// of its context.
func missingNamespace(one *patchlab.Resolution) string {
	if one.Config.Lookup("metadata", "namespace").StringOr("") != "" {
		return ""
	}
	return one.Target.Namespace
}

// commonNamespace returns the namespace with which kubectl applies all manifests at once, if some do
// not state theirs. It is empty, with a note, if no namespace fits all: with -n, kubectl refuses the
// manifests that state another.
func (r *resolving) commonNamespace() string {
	if namespace := r.o.apply.Namespace; namespace != "" {
		return namespace
	}
	common := ""
	for i := range r.resolved {
		common = cmp.Or(common, missingNamespace(r.resolved[i].Resolution))
	}
	if common == "" {
		return ""
	}
	for i := range r.resolved {
		one := &r.resolved[i]
		if other := one.Target.Namespace; other != "" && other != common {
			r.app.NoteOnce("kubectl applies manifests without a namespace to that of its context, and -n does not fit all manifests: " +
				"some belong to " + common + ", " + one.Target.String() + " does not; add the missing namespaces to the manifests")
			return ""
		}
	}
	return common
}

// again returns the command that prints the manifest resolved in one way.
func (r *resolving) again(way string) string {
	c := r.o.inputs.Command
	text := c.CommandPath()
	for i, arg := range c.Flags().Args() {
		if arg == "-" {
			arg = [...]string{"LIVE", "CONFIG"}[i]
		}
		text += " " + program.ShellQuote(arg)
	}
	return text + program.FlagsOf(c, append(wayFlagNames[:], "output", "details", "show-secrets", "quiet")...) + " " + way
}

// commands prints, for each resolution, the command that applies all manifests, and those for which
// it is not possible.
func (r *resolving) commands(b *strings.Builder, with []*resolved) {
	namespace := r.commonNamespace()
	for i, w := range r.ways(with[0]) {
		var impossible results.Remarks
		force := false
		for _, one := range with {
			own := r.ways(one)[i]
			if own.why != nil {
				impossible.Add(plainWay(own.why), one.Target, document.Position{})
				continue
			}
			w.result, force = own.result, force || own.result.Force
		}
		fmt.Fprintf(b, "\n  %s: %s\n", w.name, strings.Replace(w.title, "the manifest ", "the manifests ", 1))
		if w.result != nil {
			b.WriteString(r.send(w, force, namespace))
		}
		for i := range impossible.All {
			fmt.Fprintf(b, "    not possible for %s\n", strings.ReplaceAll(impossible.All[i].Located(), "\n", "\n      "))
		}
	}
}

// send returns the commands that apply the manifests that were given, resolved in one way.
func (r *resolving) send(w way, force bool, namespace string) string {
	if force && w.name == explain.Force {
		return fmt.Sprintf("    %s\n", r.command(w.result, true, namespace, r.manifests()))
	}
	return fmt.Sprintf("    %s |\n      %s\n", r.again(strings.Join(w.flags, " ")), r.command(w.result, force, namespace, fromStdin))
}
