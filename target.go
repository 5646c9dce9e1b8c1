package patchlab

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// Target identifies an object.
type Target struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Namespace is empty for cluster-scoped kinds.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// Group returns the API group, "" for the core group.
func (t Target) Group() string {
	group, _, _ := schema.SplitAPIVersion(t.APIVersion)
	return group
}

// String returns the target in the form "Deployment.apps web in namespace shop". Names with
// characters that cannot be printed, which no valid object has, are quoted.
func (t Target) String() string {
	text := t.Kind
	if group := t.Group(); group != "" {
		text += "." + group
	}
	text = printable(text)
	if t.Name != "" {
		text += " " + printable(t.Name)
	}
	if t.Namespace != "" {
		text += " in namespace " + printable(t.Namespace)
	}
	return text
}

// printable returns a name for a message. It is quoted if it contains characters that cannot be
// printed: with a line break, a name could look like a message of its own.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}
