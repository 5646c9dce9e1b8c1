package cli

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// noteSkippedVersions reports which of the skipped files differ in the two folders, and those that cannot
// be parsed. Files that are the same in both are not reported, and only one of TO that cannot be parsed is an error.
func (a *App) noteSkippedVersions(f *inputFlags) {
	v := f.folders
	var differ, effective []manifest.Skipped
	for _, s := range v.skipped {
		other, inFrom := v.other(s.Position.Name)
		if a.sameFiles(s.Position.Name, other) || inFrom && exists(other) { // which is reported
			continue
		}
		if a.changesObjects(s, other) {
			effective = append(effective, s)
		} else {
			differ = append(differ, s)
		}
	}
	for _, text := range skippedNotes(effective, "changed ", f.kustomizationAdvice(a)) {
		a.note("Warning: " + text)
	}
	for _, text := range skippedNotes(differ, "changed ", f.kustomizationAdvice(a)) {
		a.note(text)
	}
	for _, file := range v.unread {
		other, inFrom := v.other(file.name)
		switch same := a.sameFiles(file.name, other); {
		case same && inFrom: // reported for TO
		case same:
			a.note("the file cannot be read, and is the same in both folders: " + file.err.Error())
		case inFrom:
			a.note("Warning: " + file.err.Error())
		default:
			a.leaveOut(file.err)
		}
	}
}

// changesObjects reports whether a skipped file that differs in the other folder changes objects that are not compared: a
// patch, the templates of a chart, or a kustomization that differs in more than its resources, such as its images.
func (a *App) changesObjects(s manifest.Skipped, other string) bool {
	switch s.Reason {
	case manifest.KustomizeInput, manifest.ChartTemplates:
		return true
	case manifest.Kustomization:
		return exists(other) && !document.Equal(a.withoutResources(s.Position.Name), a.withoutResources(other))
	}
	return false
}

// withoutResources returns a kustomization without the files with its objects.
func (a *App) withoutResources(name string) document.Value {
	data, err := a.read(name)
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
func (v *versionsOfFolder) other(name string) (other string, inFrom bool) {
	inTo, errTo := filepath.Rel(v.to, name)
	within, errFrom := filepath.Rel(v.from, name)
	isTo, isFrom := errTo == nil && filepath.IsLocal(inTo), errFrom == nil && filepath.IsLocal(within)
	if isFrom && (!isTo || len(within) < len(inTo)) {
		return filepath.Join(v.to, within), true
	}
	return filepath.Join(v.from, inTo), false
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// sameFiles reports whether two files have the same contents, or two folders the same files.
func (a *App) sameFiles(one, other string) bool {
	if isFolder(one) && isFolder(other) {
		return a.filesIn(one, other) && a.filesIn(other, one)
	}
	x, err := a.read(one)
	y, otherErr := a.read(other)
	return cmp.Or(err, otherErr) == nil && bytes.Equal(x, y)
}

// filesIn reports whether a folder has all files of another, with the same contents.
func (a *App) filesIn(folder, other string) bool {
	return fs.WalkDir(os.DirFS(other), ".", func(name string, e fs.DirEntry, err error) error {
		name = filepath.FromSlash(name)
		if err == nil && !e.IsDir() && !a.sameFiles(filepath.Join(folder, name), filepath.Join(other, name)) {
			return errors.ErrUnsupported // the result is false
		}
		return err
	}) == nil
}
