package cli

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// noteSkippedVersions reports which of the files differ in the two folders that were skipped, and those that cannot
// be parsed. What is the same in both is none of the changes between them, and only a file of TO is an error.
func (a *App) noteSkippedVersions(f *inputFlags) {
	v := f.folders
	var differ []manifest.Skipped
	for _, s := range v.skipped {
		other, inFrom := v.other(s.Position.Name)
		if a.sameFiles(s.Position.Name, other) || inFrom && exists(other) { // which is reported
			continue
		}
		differ = append(differ, s)
	}
	a.noteSkipped(f, differ)
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

// other returns the name in the other folder of a file or folder, and whether it is one of FROM.
func (v *versionsOfFolder) other(name string) (other string, inFrom bool) {
	if within, err := filepath.Rel(v.to, name); err == nil && filepath.IsLocal(within) {
		return filepath.Join(v.from, within), false
	}
	within, err := filepath.Rel(v.from, name)
	if err != nil {
		return name, true
	}
	return filepath.Join(v.to, within), true
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
