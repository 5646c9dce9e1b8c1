package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/labels"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// pruneFlags select the live objects that a client deletes because its manifests no longer contain them. The names
// of the flags are those of kubectl.
type pruneFlags struct {
	on, all   bool
	allowlist []string
	selector  string

	labels labels.Selector
	kinds  []schema.GroupVersionKind
}

// prunedByKubectl are the kinds that 'kubectl apply --prune' deletes without --prune-allowlist.
var prunedByKubectl = []string{
	"core/v1/ConfigMap", "core/v1/Endpoints", "core/v1/Namespace", "core/v1/PersistentVolume", "core/v1/PersistentVolumeClaim", "core/v1/Pod",
	"core/v1/ReplicationController", "core/v1/Secret", "core/v1/Service", "apps/v1/DaemonSet", "apps/v1/Deployment", "apps/v1/ReplicaSet",
	"apps/v1/StatefulSet", "batch/v1/CronJob", "batch/v1/Job", "networking.k8s.io/v1/Ingress",
}

func (f *pruneFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.on, "prune", false, "show the live objects that the manifests no longer contain as pruned: with --client-side those that 'kubectl apply --prune' deletes, otherwise those that --field-manager has applied (requires -l or --all)")
	flags.BoolVar(&f.all, "all", false, "with --prune, select all live objects in the namespaces of the manifests")
	flags.StringArrayVar(&f.allowlist, "prune-allowlist", nil, "with --prune, show only objects of `GROUP/VERSION/KIND`, such as core/v1/ConfigMap (repeatable; the default with --client-side is that of kubectl)")
	flags.StringVarP(&f.selector, "selector", "l", "", "label query, such as app=web: apply only manifests and, with --prune, prune only live objects with these labels; without --client-side, --prune applies all manifests")
	_ = c.RegisterFlagCompletionFunc("selector", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("prune-allowlist", cobra.FixedCompletions(prunedByKubectl, cobra.ShellCompDirectiveNoFileComp))
}

// complete validates the flags as kubectl does.
func (f *pruneFlags) complete(change *changeFlags) error {
	var err error
	switch {
	case f.all && f.selector != "":
		return program.Usage("--all and --selector cannot be used together")
	case !f.on && (f.all || len(f.allowlist) > 0):
		return program.Usage("--all and --prune-allowlist require --prune")
	case f.on && !f.all && f.selector == "":
		return program.Usage("--prune requires -l, with the labels of the objects to prune, or --all")
	case f.on && change.TransferClientSide:
		return program.Usage("kubectl refuses --prune with --server-side; leave out --server-side for a client that prunes, or use --client-side")
	case f.on && change.patchType != "auto" && change.patchType != "apply":
		return program.Usage("--prune requires manifests; it cannot be used with --type " + change.patchType)
	}
	if f.labels, err = labels.Parse(f.selector); err != nil {
		return program.Usage("--selector " + f.selector + ": " + err.Error())
	}
	for _, name := range f.allowlist {
		kind, ok := kindOf(name)
		if !ok {
			return program.Usage("--prune-allowlist " + name + ": expected GROUP/VERSION/KIND, such as core/v1/ConfigMap")
		}
		f.kinds = append(f.kinds, kind)
	}
	return nil
}

// kindOf parses a kind as GROUP/VERSION/KIND.
func kindOf(text string) (kind schema.GroupVersionKind, ok bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || slices.Contains(parts[1:], "") {
		return kind, false
	}
	if parts[0] == "core" {
		parts[0] = ""
	}
	return schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}, true
}

// selected returns the manifests with the labels, and those that are no objects, such as a JSON patch. For the objects
// that another client than kubectl prunes, the labels are not those of the manifests: Flux and Argo CD add theirs when they
// apply them.
func (f *pruneFlags) selected(changes inputs.Documents, clientSide bool) (inputs.Documents, error) {
	if len(f.labels) == 0 || f.on && !clientSide {
		return changes, nil
	}
	var kept inputs.Documents
	for _, o := range changes.Objects() {
		if !o.Typed() || f.labels.Matches(o.Value.Lookup("metadata", "labels")) {
			kept = append(kept, inputs.AsOneObject(o))
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("no manifest has the labels of --selector " + f.selector)
	}
	return kept, nil
}

// pruning finds the live objects that a client deletes.
type pruning struct {
	*pruneFlags
	lab     *patchlab.Lab
	out     *printer
	manager string // "" for client-side apply
	// namespace is that of live objects without one.
	namespace string
}

// pruneOthers shows the live objects that a client deletes because the manifests do not contain them, or counts them
// in a note.
func (o *applyOptions) pruneOthers(in *applyInputs, out *printer) error {
	changes := in.changes.Objects()
	if slices.ContainsFunc(changes, func(m manifest.Object) bool { return !m.Typed() }) || o.change.patchType != "auto" && o.change.patchType != "apply" {
		if o.prune.on {
			return program.Usage("--prune requires manifests")
		}
		return nil
	}
	p := &pruning{pruneFlags: &o.prune, lab: in.lab, out: out, namespace: cmp.Or(o.change.Namespace, o.change.DefaultNamespace, "default")}
	who := "client-side apply has written"
	if !o.change.clientSide {
		p.manager = cmp.Or(o.change.FieldManager, "kubectl")
		who = terminal.OneLine(p.manager) + " has applied"
	} else if len(p.kinds) == 0 {
		for _, name := range prunedByKubectl {
			kind, _ := kindOf(name)
			p.kinds = append(p.kinds, kind)
		}
	}
	switch {
	case o.prune.on:
		p.show(p.objects(in.live))
	case len(changes) > 1 && !o.change.TransferClientSide && !out.app.Quiet: // one object is usually compared with a dump
		if n := len(p.objects(in.live)); n > 0 {
			out.app.Note(terminal.Count(n, "live object", "live objects") + " that " + who + ", in the same namespaces or in none, " +
				isOrAre(n) + " not among the manifests; a client that prunes deletes such objects, which --prune --all shows")
		}
	}
	return nil
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// objects returns the objects to prune.
func (p *pruning) objects(live inputs.Documents) []manifest.Object {
	return slices.DeleteFunc(live.Objects(), func(o manifest.Object) bool { return !p.prunes(o) })
}

// prunes reports whether a live object has been applied, and is selected, but is none of the manifests.
func (p *pruning) prunes(o manifest.Object) bool {
	if !p.applied(o.Value) || len(p.kinds) > 0 && !slices.ContainsFunc(p.kinds, func(k schema.GroupVersionKind) bool { return isOfKind(o.Value, k) }) {
		return false
	}
	t := p.target(o)
	return t.Name != "" && !p.out.seen[results.WithoutVersion(t)] && (t.Namespace == "" || p.out.namespaces[t.Namespace]) &&
		p.labels.Matches(o.Value.Lookup("metadata", "labels"))
}

// applied reports whether an object has been applied by the client: client-side apply leaves its annotation, and
// server-side apply an entry in managedFields.
func (p *pruning) applied(object document.Value) bool {
	if p.manager == "" {
		return object.Lookup("metadata", "annotations", patch.LastApplied).Exists()
	}
	for _, entry := range object.Lookup("metadata", "managedFields").Items() {
		if entry.Get("manager").StringOr("") == p.manager && entry.Get("operation").StringOr("") == string(fieldmanager.OperationApply) && entry.Get("subresource").StringOr("") == "" {
			return true
		}
	}
	return false
}

// isOfKind reports whether an object is of a kind in any version.
func isOfKind(object document.Value, k schema.GroupVersionKind) bool {
	group, _, _ := schema.SplitAPIVersion(object.Get("apiVersion").StringOr(""))
	return group == k.Group && object.Get("kind").StringOr("") == k.Kind
}

// target returns the target of a live object.
func (p *pruning) target(o manifest.Object) patchlab.Target {
	return results.TargetIn(p.lab, o.Value, p.namespace)
}

// show prints the objects to prune.
func (p *pruning) show(objects []manifest.Object) {
	const most = 20
	app, flags, s := p.out.app, p.out.flags, p.out.summary
	if failed := s.Counts[results.Refused] + s.Counts[results.Conflicting] + len(app.Unread); failed > 0 && len(objects) > 0 {
		app.Note("clients prune only after all manifests have been applied, which was refused for " + terminal.Count(failed, "of them", "of them"))
	}
	var with dependents
	var still kept
	for i, o := range objects {
		t := p.target(o)
		s.Counts[results.Pruned]++
		if flags.Summary.ReplacesOutput() {
			s.Rows = append(s.Rows, results.Row{Target: t, Outcome: results.Pruned})
		} else if flags.Format == "diff" {
			p.out.diffPruned(t, o.Value)
		} else if i < most {
			app.Note(t.String() + " is pruned")
		}
		with.add(o)
		if p.manager != "" { // kubectl, which prunes what client-side apply has written, has no such annotation
			still.add(t.String(), o.Value)
		}
	}
	with.warn(app, "")
	still.note(app)
	if more := len(objects) - most; more > 0 && !flags.Summary.ReplacesOutput() && flags.Format != "diff" {
		app.Note(terminal.Count(more, "other object is pruned", "other objects are pruned") + "; --summary text lists them")
	}
}

// diffPruned prints a diff that removes an object.
func (p *printer) diffPruned(t patchlab.Target, object document.Value) {
	before, _ := p.flags.Compared(object, object)
	p.out = append(p.out, results.ShownDiff(terminal.Unified("live/"+results.FileName(t), "after/"+results.FileName(t), results.YAMLText(before), ""), p.color)...)
}
