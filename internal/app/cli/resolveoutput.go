package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// print prints the result in the requested format.
func (r *resolving) print() error {
	switch r.o.output {
	case "text":
		r.app.Show(r.report())
		return nil
	case "json":
		return r.json()
	}
	files := r.files()
	var texts []string
	for _, f := range files {
		if r.o.output == "diff" {
			text := terminal.Unified(f.name, "resolved/"+strings.TrimPrefix(f.name, "/"), f.before, f.after)
			if terminal.IsTerminal(r.app.Out) {
				text = terminal.Readable(text)
			}
			if terminal.HasColors(r.app.Out) {
				text = results.ColorDiff(text)
			}
			r.app.Print(text)
			continue
		}
		if !strings.HasSuffix(f.after, "\n") {
			f.after += "\n" // before the next separator
		}
		texts = append(texts, f.after)
	}
	r.app.Print(strings.Join(texts, "---\n"))
	r.outcomes()
	if n := len(r.refused); n > 0 && n < len(r.resolved)+n && r.o.output == "yaml" {
		r.app.Note(terminal.Count(n, "manifest was refused and is not printed", "manifests were refused and are not printed"))
	}
	return nil
}

// outcomes describes, for manifests with selected resolutions, the resulting fields and the command
// that applies all of them, because they are printed together.
func (r *resolving) outcomes() {
	var with []*resolved
	var free []string // the manifests without conflicts
	for i := range r.resolved {
		if one := &r.resolved[i]; len(one.Conflicts) > 0 {
			with = append(with, one)
		} else {
			free = append(free, one.Target.String())
		}
	}
	force, apply := slices.ContainsFunc(with, func(one *resolved) bool { return one.Force }), ""
	if len(with) > 0 {
		apply = "apply %s with\n  " + r.command(with[0].Resolution, force, r.commonNamespace(), fromStdin)
	}
	if len(with) > mostNamed {
		r.app.Note(r.outcomesByField(with))
	} else {
		for _, one := range with {
			text := one.Target.String() + ": " + terminal.Count(len(one.Conflicts), "conflict", "conflicts") + " resolved"
			if len(r.resolved) == 1 {
				text += "; " + fmt.Sprintf(apply, "it")
			}
			for _, c := range one.Conflicts {
				text += "\n  " + c.Path.String() + ": " + r.preview(one.Resolution, c, r.valueOf(one, c))
			}
			r.app.Note(text)
		}
	}
	if len(free) <= mostNamed {
		for _, target := range free {
			r.app.Note(target + " has no conflicts")
		}
	} else {
		r.app.Note(terminal.Count(len(free), "manifest has", "manifests have") + " no conflicts")
	}
	if len(r.resolved) > 1 && len(with) > 0 {
		r.app.Note(fmt.Sprintf(apply, "the manifests"))
	}
}

// outcomesByField describes the resulting fields of many manifests.
func (r *resolving) outcomesByField(with []*resolved) string {
	var fields results.Remarks
	n := 0
	for _, one := range with {
		n += len(one.Conflicts)
		var of []string
		for _, c := range one.Conflicts {
			of = append(of, results.PatternOf(c.Path)+": "+r.preview(one.Resolution, c, r.nameOf(one, c)))
		}
		fields.AddEach(of, one.Target)
	}
	text := fmt.Sprintf("%d manifests: %s resolved", len(with), terminal.Count(n, "conflict", "conflicts"))
	for i := range fields.All {
		text += "\n  " + fields.All[i].Grouped(0)
	}
	return text
}

// mostNamed is the maximum number of manifests without conflicts that are listed by name.
const mostNamed = 5

// preview describes the value and the owners of a field after the manifest is applied.
// value formats the value.
func (r *resolving) preview(one *patchlab.Resolution, c patchlab.Conflict, value func(document.Value) string) string {
	v, owners := one.Preview(c)
	if !v.Exists() && len(owners) == 0 && c.Live.Exists() {
		return "removed"
	}
	slices.SortStableFunc(owners, func(a, b fieldmanager.Entry) int { // their entries may be in any order
		first := func(e fieldmanager.Entry) bool { return e.Manager == one.FieldManager }
		if first(a) == first(b) {
			return strings.Compare(a.Manager, b.Manager)
		}
		if first(a) {
			return -1
		}
		return 1
	})
	return value(v) + ", " + ownersText(owners)
}

// valueOf returns a function that formats a value of a field in conflict.
func (r *resolving) valueOf(one *resolved, c patchlab.Conflict) func(document.Value) string {
	return func(v document.Value) string {
		if r.masks(one.Resolution) {
			v = results.MaskAt(c.Path, v)
		}
		value, _ := results.ShortPair(v, document.Value{})
		return value
	}
}

// nameOf returns a function that names a value of a field that is in conflict in several manifests,
// with other values in each.
func (r *resolving) nameOf(one *resolved, c patchlab.Conflict) func(document.Value) string {
	return func(v document.Value) string {
		switch {
		case v.Exists() && document.Identical(v, c.Wanted):
			return "the wanted value"
		case v.Exists() && document.Identical(v, c.Live):
			return "the live value"
		}
		return r.valueOf(one, c)(v)
	}
}

// masks reports whether the values of a manifest are masked.
func (r *resolving) masks(one *patchlab.Resolution) bool {
	return results.IsSecret(one.Config) && !r.o.showSecrets
}

// ownersText lists owners: owned by a and b (status). A manager with two entries has its operations:
// owned by helm (Apply) and helm (Update)
func ownersText(owners []fieldmanager.Entry) string {
	if len(owners) == 0 {
		return "no owner"
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = terminal.OneLine(o.Manager)
		switch same := func(e fieldmanager.Entry) bool { return e.Manager == o.Manager }; {
		case o.Subresource != "":
			names[i] += " (" + terminal.OneLine(o.Subresource) + ")"
		case slices.ContainsFunc(owners[:i], same) || slices.ContainsFunc(owners[i+1:], same):
			names[i] += " (" + string(o.Operation) + ")"
		}
	}
	return "owned by " + terminal.AndList(names)
}

// report lists the conflicts of the manifests with the possible resolutions.
func (r *resolving) report() string {
	var b strings.Builder
	var with, free []*resolved // the manifests with and without conflicts
	for i := range r.resolved {
		one := &r.resolved[i]
		if len(one.Conflicts) == 0 {
			free = append(free, one)
		} else {
			with = append(with, one)
		}
	}
	if len(with) > 1 && !r.o.details {
		r.summary(&b, with)
	} else {
		for i, one := range with {
			if i > 0 {
				b.WriteString("\n")
			}
			r.manifest(&b, one, len(with) > 1)
		}
	}
	if len(with) > 1 {
		if r.o.details {
			b.WriteString("\n" + terminal.Count(len(with), "manifest", "manifests") + " with conflicts:\n")
		}
		r.commands(&b, with)
	}
	if len(with) > 0 && len(free) > 0 {
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

// manifest prints the conflicts of a manifest with the result of each resolution. The commands are
// those for all manifests if there are several.
func (r *resolving) manifest(b *strings.Builder, one *resolved, several bool) {
	fmt.Fprintf(b, "%s: applied by %q with %s\n", one.Target, one.FieldManager, terminal.Count(len(one.Conflicts), "conflict", "conflicts"))
	for j, c := range one.Conflicts {
		r.conflict(b, one, c, one.Fields[j])
	}
	for _, w := range r.ways(one) {
		if several && w.result != nil && w.result.Force && w.name == explain.Force {
			continue // the manifest remains as it is
		}
		fmt.Fprintf(b, "\n  %s: %s\n", w.name, w.title)
		if w.why != nil {
			fmt.Fprintf(b, "    not possible: %s\n", strings.ReplaceAll(plainWay(w.why), "\n", "\n      "))
			continue
		}
		if !several {
			b.WriteString(r.send(w, w.result.Force, r.commonNamespace()))
		}
		r.change(b, one, w)
	}
}

// summary prints the conflicts of several manifests.
func (r *resolving) summary(b *strings.Builder, with []*resolved) {
	var shared results.SharedConflicts
	n := 0
	for _, one := range with {
		n += len(one.Conflicts)
		for i, c := range one.Conflicts {
			var results strings.Builder
			for _, w := range r.ways(one) {
				results.WriteString(r.resultLine(w, c, r.nameOf(one, c)))
			}
			shared.Add(one.Target, r.shown(one, c), one.Fields[i], results.String())
		}
	}
	fmt.Fprintf(b, "%d of %d manifests: applied by %q with %s (--details prints those of each manifest)\n", len(with), len(r.resolved), with[0].FieldManager, terminal.Count(n, "conflict", "conflicts"))
	b.WriteString(shared.Text())
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
	shown := r.shown(one, c)
	live, wanted := results.ShortPair(shown.Live, shown.Wanted)
	fmt.Fprintf(b, "\n  %s%s\n    owner   %s\n    live    %s\n    wanted  %s\n%s", c.Path, where, results.OwnerText(c), live, wanted, results.NoteText(field.Hint))
	for _, w := range r.ways(one) {
		b.WriteString(r.resultLine(w, c, r.valueOf(one, c)))
	}
}

// shown returns a conflict with masked values if they are secret.
func (r *resolving) shown(one *resolved, c patchlab.Conflict) patchlab.Conflict {
	if r.masks(one.Resolution) {
		c.Live, c.Wanted = results.MaskPair(c.Path, c.Live, c.Wanted)
	}
	return c
}

// resultLine describes the result of a resolution for a conflict.
func (r *resolving) resultLine(w way, c patchlab.Conflict, value func(document.Value) string) string {
	text := "not possible"
	switch {
	case w.name == explain.AdoptValue && !c.Live.Exists():
		text = "not possible: the field has no live value"
	case w.why == nil:
		text = r.preview(w.result, c, value)
	}
	return fmt.Sprintf("    → %-5s %s\n", w.name, text)
}

// change prints how a resolution changes a manifest.
func (r *resolving) change(b *strings.Builder, one *resolved, w way) {
	if r.masks(one.Resolution) || w.result.Force && w.name == explain.Force {
		return
	}
	f, n := r.source(one.Object, results.FileName(one.Target))
	lines := slices.Collect(strings.Lines(terminal.Unified(f.name, "resolved", f.bodies[n], r.rewrite(f.bodies[n], one, w.result.Config))))
	lines = lines[min(2, len(lines)):] // without the names of the files
	if more := len(lines) - mostLines; more > mostLines/10 {
		lines = append(lines[:mostLines], fmt.Sprintf("… %d more lines; %s -o diff prints them\n", more, strings.Join(w.flags, " ")))
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
