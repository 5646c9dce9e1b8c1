package inputs

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// NoteSkippedVersions reports which of the skipped files differ in the two folders, and those that cannot
// be parsed. Files that are the same in both are not reported, and only one of TO that cannot be parsed is an error.
func NoteSkippedVersions(a *program.App, f *Flags) {
	v := f.Folders
	var differ, effective []manifest.Skipped
	for _, s := range v.skipped {
		other, inFrom := v.other(s.Position.Name)
		if sameFiles(a, s.Position.Name, other) || inFrom && exists(other) { // which is reported
			continue
		}
		if changesObjects(a, s, other) {
			effective = append(effective, s)
		} else {
			differ = append(differ, s)
		}
	}
	for _, text := range SkippedNotes(effective, "changed ", f.kustomizationAdvice(a)) {
		a.Note("Warning: " + text)
	}
	for _, text := range SkippedNotes(differ, "changed ", f.kustomizationAdvice(a)) {
		a.Note(text)
	}
	for _, file := range v.unread {
		other, inFrom := v.other(file.name)
		switch same := sameFiles(a, file.name, other); {
		case same && inFrom: // reported for TO
		case same:
			a.Note("the file cannot be read, and is the same in both folders: " + file.err.Error())
		case inFrom:
			a.Note("Warning: " + file.err.Error())
		default:
			a.LeaveOut(file.err)
		}
	}
}

// changesObjects reports whether a skipped file that differs in the other folder changes objects that are not compared: a
// patch, the templates of a chart, or a kustomization that differs in more than its resources, such as its images.
func changesObjects(a *program.App, s manifest.Skipped, other string) bool {
	switch s.Reason {
	case manifest.KustomizeInput, manifest.ChartTemplates:
		return true
	case manifest.Kustomization:
		return exists(other) && !document.Equal(withoutResources(a, s.Position.Name), withoutResources(a, other))
	}
	return false
}

// withoutResources returns a kustomization without the files with its objects.
func withoutResources(a *program.App, name string) document.Value {
	data, err := a.Read(name)
	if err != nil {
		return document.Value{}
	}
	docs, err := manifest.Parse(name, data)
	if err != nil || len(docs) == 0 {
		return document.Value{}
	}
	return docs[0].Root.Without("resources").Without("bases")
}

// other returns the name in the other folder of a file or folder, and whether it is one of FROM. One folder may be in the
// other, as the work tree of another version is.
func (v *VersionsOfFolder) other(name string) (other string, inFrom bool) {
	inTo, errTo := filepath.Rel(v.To, name)
	within, errFrom := filepath.Rel(v.From, name)
	isTo, isFrom := errTo == nil && filepath.IsLocal(inTo), errFrom == nil && filepath.IsLocal(within)
	if isFrom && (!isTo || len(within) < len(inTo)) {
		return filepath.Join(v.To, within), true
	}
	return filepath.Join(v.From, inTo), false
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// sameFiles reports whether two files have the same contents, or two folders the same files.
func sameFiles(a *program.App, one, other string) bool {
	if isFolder(one) && isFolder(other) {
		return filesIn(a, one, other) && filesIn(a, other, one)
	}
	x, err := a.Read(one)
	y, otherErr := a.Read(other)
	return cmp.Or(err, otherErr) == nil && bytes.Equal(x, y)
}

// filesIn reports whether a folder has all files of another, with the same contents.
func filesIn(a *program.App, folder, other string) bool {
	return fs.WalkDir(os.DirFS(other), ".", func(name string, e fs.DirEntry, err error) error {
		name = filepath.FromSlash(name)
		if err == nil && !e.IsDir() && !sameFiles(a, filepath.Join(folder, name), filepath.Join(other, name)) {
			return errors.ErrUnsupported // the result is false
		}
		return err
	}) == nil
}
