package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// blameSummary counts what each manager owns in several objects, such as those of a dump.
type blameSummary struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Objects is the number of objects, and Unowned that of those without managedFields.
	Objects  int              `json:"objects"`
	Unowned  int              `json:"unowned,omitempty"`
	Managers []*managerCounts `json:"managers"`

	of map[managerKey]*managerCounts
}

// managerKey is an owner without its apiVersion, in which the entries of a manager differ from kind to kind.
type managerKey struct {
	manager     string
	operation   fieldmanager.Operation
	subresource string
}

type managerCounts struct {
	Manager     string                 `json:"manager"`
	Operation   fieldmanager.Operation `json:"operation"`
	Subresource string                 `json:"subresource,omitempty"`
	Objects     int                    `json:"objects"`
	Fields      int                    `json:"fields"`
	// Kinds are the numbers of objects by kind, with the group of the kind.
	Kinds map[string]int `json:"kinds"`
	// Last is the latest time of an entry.
	Last time.Time `json:"last,omitzero"`
}

func newBlameSummary() *blameSummary {
	return &blameSummary{APIVersion: results.OwnVersion, Kind: "BlameSummary", Managers: []*managerCounts{}, of: map[managerKey]*managerCounts{}}
}

// add counts the fields of an object at a path, for those of their owners that are requested.
func (s *blameSummary) add(object *patchlab.Object, path document.Path, requested entries) {
	s.Objects++
	if object.Managed.Len() == 0 {
		s.Unowned++
	}
	counted := map[*managerCounts]bool{} // a manager has an entry for each version
	for i, o := range object.Managed.Entries() {
		n := 0
		for field := range o.Fields.Leaves().All() { // as many as migrate counts
			if field.HasPrefix(path) {
				n++
			}
		}
		if n == 0 || requested != nil && !requested.is(i) {
			continue
		}
		key := managerKey{o.Manager, o.Operation, o.Subresource}
		m := s.of[key]
		if m == nil {
			m = &managerCounts{Manager: o.Manager, Operation: o.Operation, Subresource: o.Subresource, Kinds: map[string]int{}}
			s.of[key], s.Managers = m, append(s.Managers, m)
		}
		if m.Fields += n; !counted[m] {
			counted[m] = true
			m.Objects++
			kind, _, _ := strings.Cut(results.TargetOf(object.Value).String(), " ")
			m.Kinds[kind]++
		}
		if o.Time.After(m.Last) {
			m.Last = o.Time
		}
	}
}

// sort puts the managers of most objects first.
func (s *blameSummary) sort() {
	slices.SortFunc(s.Managers, func(a, b *managerCounts) int {
		return cmp.Or(b.Objects-a.Objects, b.Fields-a.Fields, strings.Compare(a.Manager, b.Manager),
			strings.Compare(string(a.Operation), string(b.Operation)), strings.Compare(a.Subresource, b.Subresource))
	})
}

func (s *blameSummary) text() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "MANAGER\tOPERATION\tOBJECTS\tFIELDS\tLAST\tKINDS")
	for _, m := range s.Managers {
		last := ""
		if !m.Last.IsZero() {
			last = m.Last.UTC().Format("2006-01-02 15:04")
		}
		operation := strings.TrimSpace(string(m.Operation) + " " + m.Subresource)
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\n", terminal.OneLine(m.Manager), terminal.OneLine(operation), m.Objects, m.Fields, last, terminal.OneLine(m.kinds()))
	}
	_ = t.Flush()
	total := terminal.Count(s.Objects, "object", "objects")
	if s.Unowned > 0 {
		total += ", " + strconv.Itoa(s.Unowned) + " without managedFields"
	}
	return b.String() + total + "\n"
}

// kinds lists the kinds of most objects, so that the line remains short.
func (m *managerCounts) kinds() string {
	const most = 3
	names := make([]string, 0, len(m.Kinds))
	for name := range m.Kinds {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(m.Kinds[b]-m.Kinds[a], strings.Compare(a, b)) })
	list := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		list = append(list, name+" "+strconv.Itoa(m.Kinds[name]))
	}
	if more := len(names) - most; more > 0 {
		list = append(list, terminal.Count(more, "other kind", "other kinds"))
	}
	return strings.Join(list, ", ")
}
