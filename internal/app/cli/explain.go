package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/patch"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	applyOptions
	paths       []string
	output      string
	showSecrets bool
	color       program.ColorFlag

	below []document.Path // with the paths below
}

func explainCommand(a *program.App) *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain [LIVE] [PATCH]",
		Short: "Explain the effect of a change on each field, and the rule that applies",
		Long: `Apply a change as 'patchlab apply' does, and list the fields that were set, removed,
refused, or kept although the change specifies another value. For each field, print the
rule that applied, the owners before and after the change, other managers that prevent a
removal, the merge type of the enclosing list, and the result that might have been
expected instead.

LIVE, PATCH and the flags are those of apply. Rules have stable names, which are listed
in doc/rules.md. Fields with the same rule and the same result are printed together.

` + program.ExitHelp,
		Example: `  # Find out why a field is not removed
  kubectl get deployment web -o yaml --show-managed-fields | patchlab explain - web.yaml

  # Explain one field
  patchlab explain live.yaml web.yaml --path .spec.replicas

  # Print the rules as JSON, for use in scripts
  patchlab explain live.yaml patch.json -o json`,
		Args: cobra.ArbitraryArgs, // checked together with -f and -k
		RunE: func(c *cobra.Command, args []string) error { return runExplain(c.Context(), a, args, &o) },
	}
	o.add(c)
	inputs.CompleteInputs(a, c, &o.inputs.Kubectl)
	o.change.addServerSide(c)
	f := c.Flags()
	f.StringArrayVar(&o.paths, "path", nil, "explain only the field at `PATH`, its subfields and the fields that contain it (repeatable)")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json or yaml", "text", "json", "yaml")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show the values of Secrets, which are masked by default")
	o.color.Add(c, "the output")
	program.AddQuiet(c, &o.quiet)
	return c
}

func (o *explainOptions) complete() error {
	for _, text := range o.paths {
		path, err := program.ParsePath(text)
		if err != nil {
			return program.Usage("--path " + text + ": " + err.Error())
		}
		o.below = append(o.below, path)
	}
	return nil
}

func runExplain(ctx context.Context, a *program.App, args []string, o *explainOptions) error {
	for _, err := range [...]error{o.change.complete(), o.inputs.Complete(args), o.complete()} {
		if err != nil {
			return err
		}
	}
	a.Quiet = o.quiet
	o.change.Explain = true
	in, err := o.begin(ctx, a)
	if in == nil {
		return err
	}
	if err := inputs.TooNested(in.changes.Objects()); err != nil {
		return err
	}
	e := explaining{app: a, o: o, notes: results.Notes{App: a, Total: len(in.changes.Objects())}}
	defer a.Waiting("explaining the change…")()
	for result, err := range in.lab.Run(in.live, in.changes, o.change.Change) {
		if err := e.add(result, err); err != nil {
			return err
		}
	}
	return e.finish()
}

// explanation is the output document for a change of one object with its reasons.
type explanation struct {
	APIVersion   string           `json:"apiVersion"`
	Kind         string           `json:"kind"`
	Target       patchlab.Target  `json:"target"`
	Action       patchlab.Action  `json:"action"`
	FieldManager string           `json:"fieldManager,omitempty"`
	Result       string           `json:"result"`
	Message      string           `json:"message,omitempty"`
	Warnings     []string         `json:"warnings,omitempty"` // of the API server
	Reasons      []explain.Reason `json:"reasons"`
	Notes        []patchlab.Note  `json:"notes,omitempty"`
}

// ofField reports whether a rule applied to a field, or the object was refused.
func (x explanation) ofField() bool {
	return slices.ContainsFunc(x.Reasons, func(r explain.Reason) bool { return len(r.Path) > 0 || r.Effect == explain.Refused })
}

// explaining is one run of explain.
type explaining struct {
	app    *program.App
	o      *explainOptions
	all    []explanation
	notes  results.Notes
	counts [results.Outcomes]int
}

// add adds the reasons for the result of one object. An error ends the command.
func (e *explaining) add(r *patchlab.Result, err error) error {
	if err != nil {
		return e.refused(err)
	}
	what := outcomeOfResult(r)
	e.counts[what]++
	about := e.about(r)
	e.keep(about, explanation{Target: r.Target, Action: r.Action, FieldManager: r.FieldManager, Result: what.String(), Warnings: r.Warnings,
		Reasons: r.Reasons(), Notes: r.Notes}, e.untouched(r, about))
	return nil
}

func (e *explaining) refused(err error) error {
	var failed *patchlab.Error
	if !errors.As(err, &failed) {
		return err
	}
	if len(failed.Options) > 0 {
		return changeError(failed)
	}
	what, reasons := results.Refused, failed.Reasons()
	if !e.o.showSecrets {
		failed = results.MaskConflicts(failed)
	}
	text := failed.Error()
	if failed.Conflicts != nil {
		what = results.Conflicting
	}
	e.counts[what]++
	e.keep(e.o.below, explanation{Target: failed.Target, Action: failed.Action, FieldManager: failed.FieldManager, Result: what.String(), Message: text,
		Warnings: warningsOf(err), Reasons: reasons, Notes: failed.Notes}, e.noRule())
	return nil
}

// about returns the requested paths, with list items by key instead of index.
func (e *explaining) about(r *patchlab.Result) []document.Path {
	paths := slices.Clone(e.o.below)
	for i, p := range paths {
		for _, state := range [...]*patchlab.Object{r.After, r.Before} {
			if state == nil {
				continue
			}
			if field, err := state.FieldPath(p); err == nil {
				paths[i] = field
				break
			}
		}
	}
	return paths
}

// untouched returns the note for fields without a reason: the object has them, and the change neither sets
// nor removes them, or it does not have them.
func (e *explaining) untouched(r *patchlab.Result, about []document.Path) string {
	var has []string
	for _, p := range about {
		if _, err := r.After.FieldPath(p); err == nil && !r.Created() {
			has = append(has, p.String())
		}
	}
	if len(has) == 0 {
		return e.noRule()
	}
	why := ""
	switch r.Action {
	case patchlab.ActionClientApply:
		why = ": a client-side apply changes what the manifest has, and removes what only the last-applied configuration has"
	case patchlab.ActionApply:
		why = ": an apply changes what the manifest has, and removes what only " + terminal.OneLine(r.FieldManager) + " has applied before"
	}
	return "nothing changes at " + terminal.AndList(has) + why + "; '" + e.app.CalledAs() + " blame LIVE --path " + program.ShellQuote(has[0]) + "' shows the owners"
}

func (e *explaining) noRule() string { return "no rule applies to " + strings.Join(e.o.paths, ", ") }

// keep adds an explanation with the reasons for the fields at some paths, all if there are
// none. without is the note if these have no reasons.
func (e *explaining) keep(about []document.Path, x explanation, without string) {
	x.APIVersion, x.Kind = results.OwnVersion, "Explanation"
	if len(about) > 0 {
		x.Reasons = slices.DeleteFunc(x.Reasons, func(r explain.Reason) bool {
			return !slices.ContainsFunc(about, func(p document.Path) bool { return r.Path.HasPrefix(p) || p.HasPrefix(r.Path) })
		})
		if len(x.Reasons) == 0 {
			x.Notes = append(slices.Clone(x.Notes), patchlab.NoteText(without))
		}
	}
	if x.Reasons == nil {
		x.Reasons = []explain.Reason{}
	}
	if !e.o.showSecrets && x.Target.Kind == "Secret" && x.Target.APIVersion == "v1" {
		maskReasons(x.Reasons)
	}
	e.notes.Add(x.Target, x.Notes...)
	e.all = append(e.all, x)
}

// maskReasons masks the values of a Secret.
func maskReasons(list []explain.Reason) {
	annotation := document.Keys("metadata", "annotations", patch.LastApplied)
	for i := range list {
		r := &list[i]
		if len(r.Path) > 0 && r.Path[0] != document.FieldStep("data") && r.Path[0] != document.FieldStep("stringData") && !r.Path.HasPrefix(annotation) {
			continue
		}
		for _, v := range [...]*document.Value{&r.Before, &r.After, &r.Wanted} {
			if v.Exists() {
				*v = document.NewString(results.Masked)
			}
		}
		if r.Effect == explain.Refused {
			r.Message = ""
		}
	}
}

// finish prints the explanations and returns the exit code.
func (e *explaining) finish() error {
	if e.o.output == "text" {
		w := reasonWriter{color: e.o.color.On(e.app.Out)}
		// Of several objects, only those with the fields at the paths are printed, if there are any.
		some := len(e.o.below) > 0 && slices.ContainsFunc(e.all, explanation.ofField)
		for i := range e.all {
			if x := &e.all[i]; !some || x.ofField() {
				w.explanation(x)
			}
		}
		e.app.Print(w.b.String())
	} else {
		documents := make([]document.Value, len(e.all))
		for i := range e.all {
			var err error
			if documents[i], err = results.AsDocument(&e.all[i]); err != nil {
				return err
			}
		}
		e.app.Print(string(results.Encode(e.o.output, documents)))
	}
	e.notes.Print()
	switch {
	case e.counts[results.Refused]+len(e.app.Unread) > 0:
		return &program.Exit{Code: program.ExitRefused}
	case e.counts[results.Conflicting] > 0:
		return &program.Exit{Code: program.ExitConflict}
	}
	return nil
}

// reasonWriter prints explanations as text.
type reasonWriter struct {
	b     strings.Builder
	color bool
}

func (w *reasonWriter) explanation(x *explanation) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	if x.Target.Kind == "" {
		w.b.WriteString("not sent\n")
	} else {
		fmt.Fprintf(&w.b, "%s: %s as %q, %s\n", x.Target, x.Action.Title(), x.FieldManager, x.Result)
	}
	if x.Message != "" && !slices.ContainsFunc(x.Reasons, func(r explain.Reason) bool { return len(r.Path) > 0 }) {
		fmt.Fprintf(&w.b, "  %s\n", terminal.Readable(x.Message))
	}
	for _, text := range x.Warnings {
		fmt.Fprintf(&w.b, "  Warning: %s\n", terminal.Readable(text))
	}
	for _, g := range grouped(x.Reasons) {
		w.group(g)
	}
}

// grouped groups the reasons that differ only in their fields and values.
func grouped(list []explain.Reason) [][]explain.Reason {
	var groups [][]explain.Reason
	at := map[string]int{}
	for _, r := range list {
		key := fmt.Sprint(r.Rule, "|", r.Effect, "|", r.Text, "|", r.OwnersBefore, "|", r.OwnersAfter, "|", r.Message, "|", r.Hint)
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// effectColors are the terminal colors of effects.
var effectColors = map[explain.Effect]string{
	explain.Set: "\x1b[32m", explain.Removed: "\x1b[31m", explain.Kept: "\x1b[33m", explain.Ignored: "\x1b[33m",
	explain.Refused: "\x1b[31m", explain.Conflicting: "\x1b[31m", explain.TakenOver: "\x1b[36m", explain.Shared: "\x1b[36m", explain.Owned: "\x1b[36m", explain.GivenUp: "\x1b[36m",
}

func (w *reasonWriter) group(list []explain.Reason) {
	w.b.WriteByte('\n')
	for _, r := range list {
		effect := string(r.Effect)
		if color := effectColors[r.Effect]; w.color && color != "" {
			effect = color + effect + "\x1b[0m"
		}
		field := "the object"
		if len(r.Path) > 0 {
			field = r.Path.String()
		}
		fmt.Fprintf(&w.b, "  %s %s\n", effect, terminal.Readable(field+values(&r)))
	}
	r := &list[0]
	rule := string(r.Rule)
	separator := ", after "
	for _, name := range r.Also {
		rule += separator + string(name)
		separator = ", "
	}
	w.line("rule", rule)
	w.line("why", r.Text)
	w.line("expected", r.Expected)
	if before, after := results.OwnerNames(r.OwnersBefore), results.OwnerNames(r.OwnersAfter); before != after && r.Effect != explain.Conflicting && r.Effect != explain.Refused {
		w.line("owners", before+" → "+after)
	} else if len(r.OwnersBefore)+len(r.OwnersAfter) > 0 {
		w.line("owners", before)
	}
	merges := mergesOf(list)
	for _, text := range merges[:min(len(merges), fewLists)] {
		w.line("merges", text)
	}
	w.line("server", r.Message)
	w.line("hint", r.Hint)
}

// mergesOf describes how the lists and atomic fields with the reasons merge.
func mergesOf(list []explain.Reason) (merges []string) {
	for _, r := range list {
		text := ""
		if strings.HasPrefix(r.Merges, "atomic") || strings.HasPrefix(r.Merges, "set") || strings.HasPrefix(r.Merges, "keyed") {
			text = r.Path.String() + ": " + r.Merges
		} else if r.ListMerges != "" {
			text = r.List.String() + ": " + r.ListMerges
		}
		if text != "" && !slices.Contains(merges, text) {
			merges = append(merges, text)
		}
	}
	return merges
}

// fewLists is the number of lists and atomic fields in a group that are described.
const fewLists = 4

func (w *reasonWriter) line(name, text string) {
	if text == "" {
		return
	}
	label := fmt.Sprintf("%-9s", name)
	if w.color {
		label = "\x1b[2m" + label + "\x1b[0m"
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 13)) // aligned
	w.b.WriteString("    " + label + terminal.Readable(text) + "\n")
}

// values describes the previous, current and intended value of a field.
func values(r *explain.Reason) string {
	if r.Effect == explain.Reordered || r.Effect == explain.Noted {
		return ""
	}
	var before, shown []string
	add := func(separator string, v document.Value) {
		before, shown = append(before, separator), append(shown, results.ValueText(v))
	}
	if r.Before.Exists() && (!r.After.Exists() || r.Effect != explain.Kept && !document.Identical(r.Before, r.After)) {
		add(": ", r.Before)
	}
	switch {
	case r.After.Exists() && len(shown) > 0:
		add(" → ", r.After)
	case r.After.Exists():
		add(": ", r.After)
	}
	if r.Wanted.Exists() {
		add(", wanted ", r.Wanted)
	}
	text := ""
	for i, value := range results.ShortTexts(60, shown...) {
		text += before[i] + value
	}
	return text
}
