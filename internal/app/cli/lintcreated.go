package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// creation finds what the API server answers when the objects of manifests are created.
type creation struct {
	lab   *patchlab.Lab
	notes results.Notes // what is not validated
}

// findings returns the errors and warnings of the API server about the object of a manifest that found does not have
// yet, which are the findings of the other rules. Unknown fields are ignored, as they are among these, so that an object
// that has one is validated all the same.
func (c *creation) findings(object manifest.Object, found []explain.Finding) []explain.Finding {
	if fromCluster(object.Value) {
		return nil
	}
	result, err := c.lab.Create(inputOf(object), patchlab.WriteOptions{FieldValidation: "Ignore"})
	var refused *patchlab.Error
	switch {
	case err == nil:
		c.noteRules(result.Target, result.Notes)
		return warned(result.Warnings)
	case !errors.As(err, &refused) || refused.Code == 0 || refused.Code >= 500: // its kind is unknown, or it has to be converted by a webhook
		return nil
	}
	c.noteRules(refused.Target, refused.Notes)
	return append(warned(warningsOf(refused)), c.refusals(refused, object, found)...)
}

func warned(texts []string) (findings []explain.Finding) {
	for _, text := range texts {
		findings = append(findings, finding(explain.LintAPIWarning, nil, text))
	}
	return findings
}

// fromCluster reports whether a cluster has stored an object, and so has accepted it.
func fromCluster(object document.Value) bool {
	metadata := object.Get("metadata")
	return metadata.Get("uid").Exists() || metadata.Get("resourceVersion").Exists() || metadata.Get("managedFields").Len() > 0
}

// refusals returns a finding for each field for which the API server refuses an object, except where found has an error, and
// where the value has a variable, of which it is not known what it will be.
func (c *creation) refusals(e *patchlab.Error, object manifest.Object, found []explain.Finding) []explain.Finding {
	if len(e.Fields) == 0 {
		if e.Code == 400 && slices.ContainsFunc(found, isError) { // it cannot be decoded, which found explains
			return nil
		}
		return []explain.Finding{finding(explain.LintRefused, nil, e.Err.Error())}
	}
	var list []explain.Finding
	for _, f := range e.Fields {
		if slices.ContainsFunc(found, func(other explain.Finding) bool { return isError(other) && covers(other.Path, f.Path) }) {
			continue
		}
		if hasVariable(object.Value.Follow(f.Path)) {
			c.notes.Add(e.Target, patchlab.NoteText("values with variables are not validated; replace them first, for example with 'flux envsubst'"))
			continue
		}
		list = append(list, finding(explain.LintRefused, f.Path, f.String()))
	}
	return list
}

// hasVariable reports whether a value, or a member of it, is a text with a variable, as 'flux envsubst' and clusterctl
// replace them.
func hasVariable(v document.Value) bool {
	variable := func(v document.Value) bool { return strings.Contains(v.StringOr(""), "${") }
	for _, member := range v.Members() {
		if variable(member) {
			return true
		}
	}
	for _, item := range v.Items() {
		if variable(item) {
			return true
		}
	}
	return variable(v)
}

func isError(f explain.Finding) bool { return f.Severity == explain.LevelError }

// covers reports whether an error at one path is the reason for a refusal at another: it is the same field, or the item of a
// list whose key is missing or duplicated.
func covers(path, refused document.Path) bool {
	return refused.HasPrefix(path) && len(refused) <= len(path)+1
}

// noteRules keeps the note that CEL rules are not evaluated. That the kind has no schema is noted for all objects.
func (c *creation) noteRules(target patchlab.Target, notes []patchlab.Note) {
	for _, n := range notes {
		if rules, ok := n.(patchlab.RulesNotRun); ok {
			c.notes.Add(target, rules)
		}
	}
}
