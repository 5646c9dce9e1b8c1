package results

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// The maximum numbers of values of a group of conflicts, and of places with the same values, that are
// printed.
const (
	mostValues = 5
	mostPlaces = 3
)

// SharedConflicts are the conflicts of several manifests. Those at the same field, with the same owner
// and the same results, are printed together: all objects of a chart may conflict in the same labels.
type SharedConflicts struct {
	groups []*conflictGroup
	known  map[groupKey]*conflictGroup
}

// groupKey is what the conflicts of a group have in common.
type groupKey struct {
	pattern string // the path with [*] in place of list items
	owner   string // without the version and the time of its entry
	results string // lines that describe the resolutions
}

// conflictGroup is a group of conflicts that are printed together.
type conflictGroup struct {
	groupKey
	path       string // "" if the list items differ
	exactOwner string // "" if the versions or times of the entries differ
	values     []conflictValues
	places     map[conflictValues][]conflictPlace // by each of values
	conflicts  int
	targets    map[patchlab.Target]bool
}

// conflictValues are the values in conflict, as they are printed.
type conflictValues struct{ live, wanted, note string }

// conflictPlace is a field in conflict.
type conflictPlace struct {
	target patchlab.Target
	path   string
	at     document.Position
}

// Add adds a conflict of a manifest. results are the lines that describe its resolutions.
func (s *SharedConflicts) Add(target patchlab.Target, c patchlab.Conflict, field patchlab.FieldError, results string) {
	path, exact := c.Path.String(), OwnerText(c)
	key := groupKey{pattern: PatternOf(c.Path), owner: OwnerName(c.Owner), results: results}
	g := s.known[key]
	if g == nil {
		g = &conflictGroup{groupKey: key, path: path, exactOwner: exact, places: map[conflictValues][]conflictPlace{}, targets: map[patchlab.Target]bool{}}
		if s.known == nil {
			s.known = map[groupKey]*conflictGroup{}
		}
		s.known[key], s.groups = g, append(s.groups, g)
	}
	if g.path != path {
		g.path = ""
	}
	if g.exactOwner != exact {
		g.exactOwner = ""
	}
	live, wanted := ShortPair(c.Live, c.Wanted)
	v := conflictValues{live, wanted, NoteText(field.Hint)}
	if len(g.places[v]) == 0 {
		g.values = append(g.values, v)
	}
	g.places[v] = append(g.places[v], conflictPlace{target, path, field.Position})
	g.conflicts++
	g.targets[target] = true
}

// PatternOf returns a path with [*] in place of its list items.
func PatternOf(path document.Path) string {
	var b strings.Builder
	for _, step := range path {
		if step.Kind() == document.StepField {
			b.WriteString(step.String())
		} else {
			b.WriteString("[*]")
		}
	}
	return b.String()
}

// Text returns the groups, in the order of their first conflicts.
func (s *SharedConflicts) Text() string {
	var b strings.Builder
	for _, g := range s.groups {
		g.write(&b)
	}
	return b.String()
}

func (g *conflictGroup) write(b *strings.Builder) {
	number := ""
	switch of := terminal.Count(len(g.targets), "manifest", "manifests"); {
	case g.conflicts > len(g.targets):
		number = "  (" + terminal.Count(g.conflicts, "conflict", "conflicts") + " in " + of + ")"
	case g.conflicts > 1:
		number = "  (" + of + ")"
	}
	fmt.Fprintf(b, "\n  %s%s\n    owner   %s\n", cmp.Or(g.path, g.pattern), number, cmp.Or(g.exactOwner, g.owner))
	for i, v := range g.values {
		if i == mostValues {
			fmt.Fprintf(b, "    … and %s\n", terminal.Count(len(g.values)-i, "other pair of values", "other pairs of values"))
			break
		}
		fmt.Fprintf(b, "    live    %s\n    wanted  %s\n%s", v.live, v.wanted, v.note)
		label := "in"
		for j, p := range g.places[v] {
			if n := len(g.places[v]) - j; j == mostPlaces-1 && n > 1 {
				fmt.Fprintf(b, "            and %d others\n", n)
				break
			}
			fmt.Fprintf(b, "    %-6s  %s\n", label, p.text(g.path == ""))
			label = ""
		}
	}
	b.WriteString(g.results)
}

// text returns the place, with the path if that of its group has other items.
func (p conflictPlace) text(withPath bool) string {
	text := p.target.String()
	if withPath {
		text += ": " + p.path
	}
	if p.at.Line > 0 {
		text += "  (" + p.at.String() + ")"
	}
	return text
}
