package cli

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// innerChange is a place in which two atomic values differ.
type innerChange struct {
	path    document.Path // in the values
	was, is document.Value
}

// innerChanges compares two atomic values member by member and, if they are lists of the same length,
// item by item. It adds the places that differ to changes.
func innerChanges(changes []innerChange, path document.Path, was, is document.Value) []innerChange {
	switch kind := was.Kind(); {
	case document.Identical(was, is):
		return changes
	case !was.Exists() || !is.Exists() || kind != is.Kind():
	case kind == document.Object:
		for name, v := range was.Members() {
			changes = innerChanges(changes, path.Child(name), v, is.Get(name))
		}
		for name, v := range is.Members() {
			if !was.Get(name).Exists() {
				changes = append(changes, innerChange{path.Child(name), document.Value{}, v})
			}
		}
		return changes
	case kind == document.List && was.Len() == is.Len():
		for i, v := range was.Items() {
			changes = innerChanges(changes, path.Item(i), v, is.At(i))
		}
		return changes
	}
	return append(changes, innerChange{path, was, is})
}

// innerLines returns a field and the places in which its atomic values differ, nil if the values fit into a line or
// differ as a whole. The versions of a CustomResourceDefinition, for example, are a list with thousands
// of lines of which few differ.
func innerLines(path document.Path, was, is document.Value) []results.FieldLine {
	const longest, most = 100, 20
	if len(results.ValueText(was)) <= longest && len(results.ValueText(is)) <= longest {
		return nil
	}
	changes := innerChanges(nil, nil, was, is)
	if len(changes) == 0 || len(changes[0].path) == 0 {
		return nil
	}
	lines := []results.FieldLine{{Remark: fmt.Sprintf("%s: atomic %s with %s:", path, was.Kind(), terminal.Count(len(changes), "difference", "differences"))}}
	for _, c := range changes[:min(most, len(changes))] {
		line := results.ChangedLine(c.path, c.was, c.is)
		line.Within = true
		lines = append(lines, line)
	}
	if more := len(changes) - most; more > 0 {
		lines = append(lines, results.FieldLine{Remark: fmt.Sprintf("and %d more", more), Within: true})
	}
	return lines
}
