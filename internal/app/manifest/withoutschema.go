package manifest

import (
	"fmt"
	"strings"
)

// The note about a kind without a schema consists of noSchema, the kind, noCRD, and what is not done therefore.
const (
	noSchema = "no schema for "
	noCRD    = ", whose CustomResourceDefinition was not given (--crd): "
)

// WithoutSchema returns the note about the objects of a kind without a schema. consequence is what is not done
// therefore. The kind must be a text for one line.
func WithoutSchema(kind, apiVersion, consequence string) string {
	return noSchema + kind + " in " + apiVersion + noCRD + consequence
}

// CutWithoutSchema returns the kind, with its apiVersion, and the consequence in a note of WithoutSchema. Another
// note is not ok.
func CutWithoutSchema(note string) (kind, consequence string, ok bool) {
	note, is := strings.CutPrefix(note, noSchema)
	kind, consequence, ok = strings.Cut(note, noCRD)
	return kind, consequence, is && ok
}

// WithoutSchemas returns one note in place of several of WithoutSchema, with the same consequence. Each of the kinds
// has a line.
func WithoutSchemas(kinds []string, consequence string) string {
	return fmt.Sprintf("%s%d kinds, whose CustomResourceDefinitions were not given (--crd): %s:\n  %s", noSchema, len(kinds), consequence, strings.Join(kinds, "\n  "))
}
