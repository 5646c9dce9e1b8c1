package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// refused turns the API server's refusal into the end of the command.
func (r *applyRun) refused(err error, kind *schema.Kind, p manifest.Object, q *cluster.Request) error {
	var conflicts *fieldmanager.Conflicts
	if errors.As(err, &conflicts) {
		r.app.note(conflictReport(conflicts.List, p, q.FieldManager))
		return &exit{code: exitConflict}
	}
	var status *cluster.Status
	if !errors.As(err, &status) {
		return err
	}
	if status.Details != nil && status.Details.Kind == "PatchOptions" {
		return flagRefusal(status)
	}
	text := status.Message
	at := p.Position()
	var wrong *structured.TypeError
	var refusal *patch.Error
	var undecoded *defaults.DecodeError
	switch {
	case errors.As(err, &undecoded):
		at, text = p.PositionOf(undecoded.Path), undecoded.Error()
	case errors.As(err, &refusal):
		at, text = p.PositionOf(refusal.Path), refusal.Error()
	case errors.As(err, &wrong):
		at, text = p.PositionOf(wrong.Path), wrong.Error()+nearestField(kind, wrong.Path)
	case status.Details != nil && len(status.Details.Causes) > 0 && status.Details.Causes[0].Field != "patch":
		return errors.New(causesText(status, p))
	default:
		if status.Err != nil { // a cause of "patch" holds the whole object
			text = status.Err.Error()
		}
		if path, ok := quotedField(text); ok {
			at = positionOf(p, path)
			text += nearestField(kind, path)
		}
	}
	return fmt.Errorf("%s: %s (the API server answers %d%s)", at, text, status.Code, reason(status))
}

// flagRefusal tells of options that the API server refuses by the flags they are
// from.
func flagRefusal(status *cluster.Status) error {
	flags := map[string]string{"fieldManager": "--field-manager", "force": "--force-conflicts", "fieldValidation": "--validate"}
	var lines []string
	for _, c := range status.Details.Causes {
		name := flags[c.Field]
		if name == "" {
			name = c.Field
		}
		lines = append(lines, name+": "+c.Message)
	}
	return usage(strings.Join(lines, "\n"))
}

// causesText tells what is wrong with an object, each thing with its place. Where
// the patch does not say it, it is the place of what is around it.
func causesText(status *cluster.Status, p manifest.Object) string {
	answer := fmt.Sprintf("(the API server answers %d%s)", status.Code, reason(status))
	what := status.Details.Kind
	if status.Details.Group != "" {
		what += "." + status.Details.Group
	}
	what += " " + strconv.Quote(status.Details.Name) + " is invalid"
	lines := make([]string, len(status.Details.Causes))
	for i, c := range status.Details.Causes {
		path, _ := parsePath(c.Field)
		lines[i] = fmt.Sprintf("%s: %s: %s", positionOf(p, path), c.Field, c.Message)
	}
	if len(lines) == 1 {
		path, _ := parsePath(status.Details.Causes[0].Field)
		return fmt.Sprintf("%s: %s: %s: %s %s", positionOf(p, path), what, status.Details.Causes[0].Field, status.Details.Causes[0].Message, answer)
	}
	return what + " " + answer + "\n  " + strings.Join(lines, "\n  ")
}

// positionOf is where a patch says something of a field: of a JSON patch the first
// operation on it or on what it is in.
func positionOf(p manifest.Object, field document.Path) document.Position {
	if p.Value.Kind() != document.List {
		return p.PositionOf(field)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	pointer := ""
	for _, s := range field {
		if i, ok := s.Index(); ok {
			pointer += "/" + strconv.Itoa(i)
		} else if name, ok := s.Name(); ok {
			pointer += "/" + escape.Replace(name)
		}
	}
	for i, op := range p.Value.Items() {
		if path := op.Get("path").StringOr(""); path != "" && (pointer == path || strings.HasPrefix(pointer, path+"/")) {
			return p.PositionOf(document.Path{}.Item(i))
		}
	}
	return p.Position()
}

// quotedField finds the path in: strict decoding error: unknown field "spec.a".
func quotedField(message string) (document.Path, bool) {
	_, rest, ok := strings.Cut(message, " field \"")
	if !ok {
		return nil, false
	}
	field, _, _ := strings.Cut(rest, "\"")
	return parsePath(field)
}

// nearestField says which field may have been meant where the last step of a
// path is none that its kind has.
func nearestField(kind *schema.Kind, path document.Path) string {
	t := kind.Type()
	for i, s := range path {
		switch name, isField := s.Name(); {
		case t == nil:
			return ""
		case !isField:
			if t.List == nil {
				return ""
			}
			t = t.List.Elem
		case t.Map == nil || t.Map.Member(name) == nil && i < len(path)-1:
			return ""
		case t.Map.Member(name) != nil:
			t = t.Map.Member(name)
		default:
			near := schema.Nearest(name, func(yield func(string) bool) {
				for _, f := range t.Map.Fields {
					if !yield(f.Name) {
						return
					}
				}
			})
			if near == "" {
				return ""
			}
			return "; did you mean " + near + "?"
		}
	}
	return ""
}

func reason(s *cluster.Status) string {
	if s.Reason == "" {
		return ""
	}
	return " " + s.Reason
}

// conflictReport tells of each field who owns it, and the ways out.
func conflictReport(conflicts []fieldmanager.Conflict, p manifest.Object, manager string) string {
	var b strings.Builder
	fields := "1 field that another field manager owns"
	if len(conflicts) > 1 {
		fields = strconv.Itoa(len(conflicts)) + " fields that other field managers own"
	}
	fmt.Fprintf(&b, "error: applying as %q would change %s\n", manager, fields)
	for _, c := range conflicts {
		at := ""
		if v := p.Document.Follow(p.Value, c.Path); v.Exists() {
			at = "  (" + p.Document.Position(v).String() + ")"
		}
		fmt.Fprintf(&b, "\n  %s%s\n", c.Path, at)
		fmt.Fprintf(&b, "    owner   %s\n", owner(c))
		fmt.Fprintf(&b, "    live    %s\n", short(c.Live))
		fmt.Fprintf(&b, "    wanted  %s\n", short(c.Wanted))
	}
	fmt.Fprintf(&b, `
Ways out, for each field:
  force            run again with --force-conflicts: %[1]s takes it over, its owner loses it
  drop the field   take it out of the applied manifest: its owner keeps it
  adopt the value  set it to the live value: both own it from then on`, manager)
	return b.String()
}

func owner(c fieldmanager.Conflict) string {
	text := fmt.Sprintf("%s (%s, %s", c.Manager, c.Operation, c.APIVersion)
	if c.Subresource != "" {
		text += ", subresource " + c.Subresource
	}
	if !c.Time.IsZero() {
		text += ", since " + c.Time.UTC().Format("2006-01-02T15:04:05Z")
	}
	return text + ")"
}

// short is a value on one line that fits a terminal.
func short(v document.Value) string {
	if !v.Exists() {
		return "(not set)"
	}
	const most = 100
	text := v.String()
	if len([]rune(text)) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return text
}

// parsePath reads the path that a message names.
func parsePath(s string) (document.Path, bool) {
	path, err := document.ParsePath(s)
	return path, err == nil && len(path) > 0
}
