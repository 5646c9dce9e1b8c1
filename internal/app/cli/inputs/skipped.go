package inputs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// NoteSkipped reports what was skipped in folders.
func NoteSkipped(a *program.App, f *Flags, skipped []manifest.Skipped) {
	for _, text := range SkippedNotes(skipped, "", f.kustomizationAdvice(a)) {
		a.Note(text)
	}
}

// SkippedNotes returns a note for each reason for which something was skipped in folders, with the names of the first
// files. adjective describes all of them, and advice is how a kustomization is processed.
func SkippedNotes(skipped []manifest.Skipped, adjective, advice string) (notes []string) {
	names := map[manifest.Reason][]string{}
	documents := 0
	for _, s := range skipped {
		name := s.Position.Name
		if s.Type != "" {
			name += " (" + terminal.OneLine(s.Type) + ")"
		}
		if !slices.Contains(names[s.Reason], name) {
			names[s.Reason] = append(names[s.Reason], name)
		}
		if s.Reason == manifest.NoObject {
			documents++
		}
	}
	add := func(reason manifest.Reason, n int, one, many string, most int, then string) {
		if n > 0 {
			notes = append(notes, terminal.Count(n, adjective+one, adjective+many)+" skipped: "+firstOf(names[reason], most)+then)
		}
	}
	add(manifest.NoObject, documents, "document that is not an object", "documents that are not objects", 3, "")
	add(manifest.Configuration, len(names[manifest.Configuration]), "document without metadata, or of a kind that no API server has,", "documents without metadata, or of kinds that no API server has,", 10, "")
	add(manifest.KustomizeInput, len(names[manifest.KustomizeInput]), "file that a kustomization uses as a patch or another input", "files that kustomizations use as patches or other inputs", 5, "")
	add(manifest.UnusedPatch, len(names[manifest.UnusedPatch]), "file that is a patch by its name, but that no kustomization uses,", "files that are patches by their names, but that no kustomization uses,", 5, "")
	add(manifest.Kustomization, len(names[manifest.Kustomization]), "kustomization", "kustomizations", 3, "; "+advice)
	add(manifest.Encrypted, len(names[manifest.Encrypted]), "file that SOPS has encrypted", "files that SOPS has encrypted", 5, "; decrypt them first, for example with 'sops decrypt'")
	add(manifest.ChartTemplates, len(names[manifest.ChartTemplates]), "folder with the templates of a Helm chart", "folders with the templates of Helm charts", 5, "; render them first, for example with 'helm template'")
	return notes
}

// firstOf lists the first of several names.
func firstOf(names []string, most int) string {
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	return strings.Join(names, ", ")
}

// kustomizationAdvice describes how the command processes a kustomization: not every command has -k.
func (f *Flags) kustomizationAdvice(a *program.App) string {
	if f.Folders != nil {
		return "'" + a.CalledAs() + " diff " + filepath.Join(f.Folders.From, "DIR") + " -k " + filepath.Join(f.Folders.To, "DIR") + "' compares what it builds"
	}
	if f.Command == nil || f.Command.Flags().Lookup("kustomize") != nil {
		return "-k builds a kustomization with its patches"
	}
	return "to process a kustomization with its patches, run: kustomize build DIR | " + a.CalledAs() + " " + f.Command.Name() + " -"
}
