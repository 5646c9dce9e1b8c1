package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// print prints the result in the requested format.
func (r *resolving) print() error {
	switch r.o.output {
	case "text":
		r.app.show(r.report())
		return nil
	case "json":
		return r.json()
	}
	files := r.files()
	var texts []string
	for _, f := range files {
		if r.o.output == "diff" {
			text := unified(f.name, "resolved/"+strings.TrimPrefix(f.name, "/"), f.before, f.after)
			if isTerminal(r.app.Out) {
				text = colorDiff(readable(text))
			}
			r.app.print(text)
			continue
		}
		if !strings.HasSuffix(f.after, "\n") {
			f.after += "\n" // before the next separator
		}
		texts = append(texts, f.after)
	}
	r.app.print(strings.Join(texts, "---\n"))
	r.outcomes()
	if n := len(r.refused); n > 0 && n < len(r.resolved)+n && r.o.output == "yaml" {
		r.app.note(count(n, "manifest was refused and is not printed", "manifests were refused and are not printed"))
	}
	return nil
}

// outcomes describes, for manifests with selected resolutions, the resulting fields and the command
// that applies all of them, because they are printed together.
func (r *resolving) outcomes() {
	var free []string // the manifests without conflicts
	force, namespace := false, sync.OnceValue(r.commonNamespace)
	for i := range r.resolved {
		one := &r.resolved[i]
		if len(one.Conflicts) == 0 {
			free = append(free, one.Target.String())
			continue
		}
		force = force || one.Force
		text := one.Target.String() + ": " + count(len(one.Conflicts), "conflict", "conflicts") + " resolved"
		if len(r.resolved) == 1 {
			text += "; apply it with\n  " + r.command(one.Resolution, force, namespace(), fromStdin)
		}
		for _, c := range one.Conflicts {
			text += "\n  " + c.Path.String() + ": " + r.preview(one.Resolution, c)
		}
		r.app.note(text)
	}
	if len(free) <= mostNamed {
		for _, target := range free {
			r.app.note(target + " has no conflicts")
		}
	} else {
		r.app.note(count(len(free), "manifest has", "manifests have") + " no conflicts")
	}
	if n := len(r.resolved); n > 1 && len(free) < n {
		r.app.note("apply the manifests with\n  " + r.command(r.resolved[0].Resolution, force, namespace(), fromStdin))
	}
}

// mostNamed is the maximum number of manifests without conflicts that are listed by name.
const mostNamed = 5

// fromStdin are the flags with which kubectl reads manifests from standard input.
const fromStdin = " -f -"

// manifests returns the flags with which kubectl reads the manifests that were given.
func (r *resolving) manifests() string {
	if dir := r.o.inputs.kustomize; dir != "" {
		return " -k " + shellQuote(dir)
	}
	text := ""
	for _, file := range r.o.inputs.files {
		text += " -f " + shellQuote(file)
	}
	if r.o.inputs.recursive {
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
		text += " --field-manager=" + shellQuote(one.FieldManager)
	}
	if s := r.o.apply.Subresource; s != "" {
		text += " --subresource=" + shellQuote(s)
	}
	if force {
		text += " --force-conflicts"
	}
	if namespace != "" {
		text += " -n " + shellQuote(namespace)
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
			r.app.noteOnce("kubectl applies manifests without a namespace to that of its context, and -n does not fit all manifests: " +
				"some belong to " + common + ", " + one.Target.String() + " does not; add the missing namespaces to the manifests")
			return ""
		}
	}
	return common
}

// again returns the command that prints the manifest resolved in one way.
func (r *resolving) again(way string) string {
	c := r.o.inputs.command
	text := c.CommandPath()
	for i, arg := range c.Flags().Args() {
		if arg == "-" {
			arg = [...]string{"LIVE", "CONFIG"}[i]
		}
		text += " " + shellQuote(arg)
	}
	return text + flagsOf(c, append(wayFlagNames[:], "output", "show-secrets", "quiet")...) + " " + way
}

// preview describes the value and the owners of a field after the manifest is applied.
func (r *resolving) preview(one *patchlab.Resolution, c patchlab.Conflict) string {
	v, owners := one.Preview(c)
	if r.masks(one) {
		v = maskAt(c.Path, v)
	}
	if !v.Exists() && len(owners) == 0 && c.Live.Exists() {
		return "removed"
	}
	value, _ := shortPair(v, document.Value{})
	return value + ", " + ownersText(owners)
}

// masks reports whether the values of a manifest are masked.
func (r *resolving) masks(one *patchlab.Resolution) bool {
	return isSecret(one.Config) && !r.o.showSecrets
}

// ownersText lists owners: owned by a and b (status)
func ownersText(owners []fieldmanager.Entry) string {
	if len(owners) == 0 {
		return "no owner"
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = oneLine(o.Manager)
		if o.Subresource != "" {
			names[i] += " (" + oneLine(o.Subresource) + ")"
		}
	}
	return "owned by " + andList(names)
}

// andList joins words: a, b and c
func andList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// report lists the conflicts of each manifest with the possible resolutions.
func (r *resolving) report() string {
	var b strings.Builder
	var free []*resolved // the manifests without conflicts
	namespace := sync.OnceValue(r.commonNamespace)
	for i := range r.resolved {
		one := &r.resolved[i]
		if len(one.Conflicts) == 0 {
			free = append(free, one)
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: applied by %q with %s\n", one.Target, one.FieldManager, count(len(one.Conflicts), "conflict", "conflicts"))
		for j, c := range one.Conflicts {
			r.conflict(&b, one, c, one.Fields[j])
		}
		for _, w := range r.ways(one) {
			r.way(&b, one, w, namespace)
		}
	}
	if b.Len() > 0 && len(free) > 0 {
		b.WriteString("\n")
	}
	if len(free) > mostNamed {
		fmt.Fprintf(&b, "%d manifests: applied by %q without conflicts\n", len(free), free[0].FieldManager)
		free = nil
	}
	for _, one := range free {
		fmt.Fprintf(&b, "%s: applied by %q without conflicts\n", one.Target, one.FieldManager)
	}
	return b.String()
}

// ways returns the resolutions that are shown for a manifest: each for all of its conflicts, or the
// selected ones.
func (r *resolving) ways(one *resolved) []way {
	if len(r.o.ways.choices) > 0 {
		w := way{name: "chosen", title: "the selected resolutions", result: one.Resolution}
		for _, c := range r.o.ways.choices {
			w.flags = append(w.flags, c.flag)
		}
		return []way{w}
	}
	titles := [...]string{"take ownership of the fields by force", "remove the fields from the manifest", "set the fields to their live values"}
	ways := make([]way, len(wayNames))
	for i, name := range wayNames {
		flag := "--" + wayFlagNames[i]
		ways[i] = way{name, titles[i] + " (" + flag + " PATH)", []string{flag + " all"}, one.all[i], one.why[i]}
	}
	return ways
}

// way is a resolution of all conflicts of a manifest.
type way struct {
	name, title string
	flags       []string // that select it
	result      *patchlab.Resolution
	why         error // why it is not possible; result is nil then
}

// conflict prints a conflict, with the result of each resolution.
func (r *resolving) conflict(b *strings.Builder, one *resolved, c patchlab.Conflict, field patchlab.FieldError) {
	where := ""
	if at := field.Position; at.Line > 0 {
		where = "  (" + at.String() + ")"
	}
	shown := c
	if r.masks(one.Resolution) {
		shown.Live, shown.Wanted = maskPair(c.Path, c.Live, c.Wanted)
	}
	live, wanted := shortPair(shown.Live, shown.Wanted)
	fmt.Fprintf(b, "\n  %s%s\n    owner   %s\n    live    %s\n    wanted  %s\n%s", c.Path, where, ownerText(c), live, wanted, noteText(field.Hint))
	for _, w := range r.ways(one) {
		text := "not possible"
		switch {
		case w.name == explain.AdoptValue && !c.Live.Exists():
			text = "not possible: the field has no live value"
		case w.why == nil:
			text = r.preview(w.result, c)
		}
		fmt.Fprintf(b, "    → %-5s %s\n", w.name, text)
	}
}

// way prints the result of a resolution for the manifest, and the commands for it.
func (r *resolving) way(b *strings.Builder, one *resolved, w way, namespace func() string) {
	fmt.Fprintf(b, "\n  %s: %s\n", w.name, w.title)
	if w.why != nil {
		fmt.Fprintf(b, "    not possible: %s\n", plainWay(w.why))
		return
	}
	if w.result.Force && w.name == explain.Force {
		fmt.Fprintf(b, "    %s\n", r.command(w.result, true, namespace(), r.manifests()))
		return
	}
	fmt.Fprintf(b, "    %s |\n      %s\n", r.again(strings.Join(w.flags, " ")), r.command(w.result, w.result.Force, namespace(), fromStdin))
	if r.masks(one.Resolution) {
		return
	}
	f, n := r.source(one.Object, fileName(one.Target))
	lines := slices.Collect(strings.Lines(unified(f.name, "resolved", f.bodies[n], r.rewrite(f.bodies[n], one, w.result.Config))))
	lines = lines[min(2, len(lines)):] // without the names of the files
	if more := len(lines) - mostLines; more > mostLines/10 {
		lines = append(lines[:mostLines], fmt.Sprintf("… %d more lines; with -o diff, the first command prints them\n", more))
	}
	for _, line := range lines {
		b.WriteString("    " + line)
	}
}

// mostLines is the maximum number of lines of a diff in the report. Taking the versions out of a
// CustomResourceDefinition may change thousands.
const mostLines = 100

// plainWay returns the message of an error without that of its cause.
func plainWay(err error) string {
	return strings.TrimPrefix(err.Error(), explain.ErrWay.Error()+": ")
}

// json prints the conflicts and their resolutions as documents.
func (r *resolving) json() error {
	var out []document.Value
	for i := range r.resolved {
		v, err := asDocument(r.document(&r.resolved[i]))
		if err != nil {
			return err
		}
		out = append(out, v)
	}
	r.app.print(string(encode("json", out)))
	return nil
}

// resolutionDocument is the output document for a manifest's conflicts.
type resolutionDocument struct {
	APIVersion   string             `json:"apiVersion"`
	Kind         string             `json:"kind"`
	Target       patchlab.Target    `json:"target"`
	FieldManager string             `json:"fieldManager"`
	Conflicts    []conflictDocument `json:"conflicts"`
	Ways         []wayDocument      `json:"ways"`
}

type conflictDocument struct {
	patchlab.Conflict
	Position document.Position `json:"position,omitzero"`
	// Ways are the previews by the name of the resolution, or the selected one only.
	Ways map[string]previewDocument `json:"ways"`
}

type previewDocument struct {
	Value  document.Value       `json:"value,omitzero"`
	Owners []fieldmanager.Owner `json:"owners"`
}

// wayDocument is the resolution of all conflicts in one way; "chosen" is the one that the
// flags select.
type wayDocument struct {
	Name     string         `json:"name"`
	Force    bool           `json:"force"`
	Command  string         `json:"command,omitempty"`
	Manifest document.Value `json:"manifest,omitzero"`
	// Reason describes why the resolution is not possible.
	Reason string `json:"reason,omitempty"`
}

func (r *resolving) document(one *resolved) resolutionDocument {
	d := resolutionDocument{APIVersion: ownVersion, Kind: "Resolution", Target: one.Target, FieldManager: one.FieldManager,
		Conflicts: []conflictDocument{}, Ways: []wayDocument{}}
	ways := r.ways(one)
	hidden := r.masks(one.Resolution)
	for i, c := range one.Conflicts {
		entry := conflictDocument{Conflict: c, Position: one.Fields[i].Position, Ways: map[string]previewDocument{}}
		if hidden {
			entry.Live, entry.Wanted = maskPair(c.Path, c.Live, c.Wanted)
		}
		for _, w := range ways {
			if w.why != nil || w.name == explain.AdoptValue && !c.Live.Exists() {
				continue
			}
			v, owners := w.result.Preview(c)
			if hidden {
				v = maskAt(c.Path, v)
			}
			p := previewDocument{Value: v, Owners: []fieldmanager.Owner{}}
			for _, o := range owners {
				p.Owners = append(p.Owners, o.Owner)
			}
			entry.Ways[w.name] = p
		}
		d.Conflicts = append(d.Conflicts, entry)
	}
	if len(one.Conflicts) == 0 {
		return d
	}
	for _, w := range ways {
		entry := wayDocument{Name: w.name}
		if w.why != nil {
			entry.Reason = plainWay(w.why)
			var refused *patchlab.Error
			if errors.As(w.why, &refused) && !r.o.showSecrets {
				entry.Reason = maskConflicts(refused).Error()
			}
		} else {
			namespace := cmp.Or(r.o.apply.Namespace, missingNamespace(w.result))
			entry.Force, entry.Command, entry.Manifest = w.result.Force, r.command(w.result, w.result.Force, namespace, fromStdin), w.result.Config
			if isSecret(entry.Manifest) && !r.o.showSecrets {
				entry.Manifest, _ = maskSecrets(entry.Manifest, entry.Manifest)
			}
		}
		d.Ways = append(d.Ways, entry)
	}
	return d
}
