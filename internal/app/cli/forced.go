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
	"github.com/patchlab-dev/patchlab/patch"
)

// forcedNotes returns a note for each manager, or managers that share fields, whose fields a forced apply
// has overwritten. The values are in the diff, the former owners are not.
func forcedNotes(r *patchlab.Result) []patchlab.Note {
	if r.Created() {
		return nil
	}
	const most = 5
	lastApplied := document.Keys("metadata", "annotations", patch.LastApplied)
	var owners []string
	fields := map[string][]string{}
	for _, c := range r.Changes() {
		transferred := c.After.Exists() && document.Identical(c.Before, c.After)
		if c.Effect != explain.TakenOver || transferred || slices.Equal(c.Path, lastApplied) {
			continue
		}
		lost := slices.DeleteFunc(slices.Clone(c.OwnersBefore), func(o fieldmanager.Owner) bool { return slices.Contains(c.OwnersAfter, o) })
		names := make([]string, len(lost))
		for i, o := range lost {
			names[i] = results.OwnerName(o)
		}
		owner := terminal.AndList(names)
		if fields[owner] == nil {
			owners = append(owners, owner)
		}
		fields[owner] = append(fields[owner], c.Path.String())
	}
	notes := make([]patchlab.Note, len(owners))
	for i, owner := range owners {
		what := terminal.AndList(fields[owner])
		if n := len(fields[owner]); n > most {
			what = fmt.Sprintf("%d fields, such as %s,", n, strings.Join(fields[owner][:most], ", "))
		}
		notes[i] = patchlab.NoteText("--force-conflicts overwrites " + what + " of " + owner)
	}
	return notes
}
