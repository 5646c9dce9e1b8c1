package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// MaxBytes is the maximum size of a file, which may have many documents: the dump of a cluster with 13,600
// objects has 165 MiB, much of it the schemas of CustomResourceDefinitions.
const MaxBytes = 512 << 20

// StdinName is the name of standard input in positions.
const StdinName = "<stdin>"

// A Source reads files by name. The zero value reads the operating system's files, and
// directories without their subdirectories.
type Source struct {
	// Contents reads a file of the operating system by its name, or standard input, whose name
	// is "-". With nil, Read opens files itself, and "-" is an error.
	Contents func(name string) ([]byte, error)
	// FS is the file system; nil is the operating system's.
	FS fs.FS
	// Recursive includes the subdirectories of directories.
	Recursive bool
	// RecursiveFlag is the flag with which users of a command set Recursive; the error for a directory
	// without manifests names it. It is empty if there is none.
	RecursiveFlag string
	// Exclude has patterns of files and directories that are skipped in directories and among the matches of
	// globs. A pattern without a slash matches a name in any directory, another one the path within the
	// directory that was named; ** matches any number of directories.
	Exclude []string
	// Excluded, if not nil, is called with each file or directory that a pattern of Exclude skips.
	Excluded func(pattern, name string)
	// Encrypted includes documents that SOPS has encrypted in what Documents returns.
	Encrypted bool
	// Shallow, if not nil, is called with each directory that has manifests besides those in its
	// subdirectories, which are not read because Recursive is not set.
	Shallow func(dir string)
	// Duplicates determines the treatment of duplicate keys. The zero value refuses them.
	Duplicates document.Duplicates
	// Unread, if not nil, is called with the name and the error of each file of a directory or glob that
	// cannot be parsed, such as a template; the file is skipped. With nil, reading fails with that
	// error.
	Unread func(file string, err error)
	// Empty, if not nil, is called with each directory that has no manifests, and whose subdirectories
	// have none. With nil, such a directory is an error. A directory of which only the subdirectories have
	// manifests is an error in either case if they are not read.
	Empty func(dir string)
	// Replaced, if not nil, is called with each CustomResourceDefinition that CRDs leaves out because
	// a later one with the same name differs from it.
	Replaced func(earlier, later Object)
	// Wanted, if not nil, reports whether CRDs returns a CustomResourceDefinition. The memory of the
	// others is free once their file has been read: a folder can have thousands of definitions, of
	// which a command uses a few.
	Wanted func(Object) bool

	// templates, if not nil, is called with each directory of a chart's templates, which is skipped.
	templates func(dir string)
}

// Read returns the documents of files, in the order of the names. A name is a file, a
// directory, of which the .yaml, .yml and .json files are read in order of their names, a glob
// (path.Match), or "-". A file may have no documents.
func (s *Source) Read(names ...string) ([]*document.Document, error) {
	var docs []*document.Document
	for _, name := range names {
		err := s.each(name, func(found []*document.Document) { docs = append(docs, found...) })
		if err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// each calls add with the documents of each file that a name denotes.
func (s *Source) each(name string, add func([]*document.Document)) error {
	files, err := s.Files(name)
	if err != nil {
		return err
	}
	for _, file := range files {
		found, err := s.readFile(file)
		if err != nil && s.Unread != nil && file != name {
			s.Unread(file, err)
			continue
		}
		if err != nil {
			return err
		}
		add(found)
	}
	return nil
}

// Documents reads the same documents as Read, but skips those in directories that are not API
// objects, such as the values of a chart, a kustomization and its patches. If Unread is set, it also skips the templates
// of charts.
func (s *Source) Documents(names ...string) (docs []*document.Document, skipped []Skipped, err error) {
	all := *s
	if s.Unread != nil {
		all.templates = func(dir string) {
			skipped = append(skipped, Skipped{Position: document.Position{Name: dir}, Reason: ChartTemplates})
		}
	}
	for _, name := range names {
		found, err := all.Read(name)
		if err != nil {
			return nil, nil, err
		}
		if !s.isFolder(name) {
			docs = append(docs, found...)
			continue
		}
		files := kustomizedBy(found)
		for _, d := range found {
			reason, skip := Kustomization, IsKustomization(d)
			if !skip {
				reason, skip = files.skippedAs(d)
			}
			if !skip {
				reason, skip = skippedAs(d)
			}
			if !skip || reason == Encrypted && s.Encrypted {
				docs = append(docs, d)
				continue
			}
			one := Skipped{Position: d.PositionOf(nil), Reason: reason}
			if reason == Configuration {
				one.Type = d.Root.Get("kind").StringOr("") + " in " + d.Root.Get("apiVersion").StringOr("")
			}
			skipped = append(skipped, one)
		}
	}
	return docs, skipped, nil
}

// Objects returns the objects in files, including the items of Lists, and skips what Documents
// skips.
func (s *Source) Objects(names ...string) (objects []Object, skipped []Skipped, err error) {
	docs, skipped, err := s.Documents(names...)
	return Split(docs...), skipped, err
}

// CRDs returns the CustomResourceDefinitions in files, and in directories with all
// subdirectories. Of several with the same name the last one is returned, as by envtest. Other
// documents are skipped and counted; a name without any CustomResourceDefinition is an error.
func (s *Source) CRDs(names ...string) (crds []Object, skipped int, err error) {
	all := *s
	all.Recursive = true
	for _, name := range names {
		found := false
		err := all.each(name, func(docs []*document.Document) {
			for _, o := range Split(docs...) {
				switch {
				case !o.IsCRD():
					skipped++
					continue
				case s.Wanted == nil || s.Wanted(o):
					crds = append(crds, o)
				}
				found = true
			}
		})
		if err != nil {
			return nil, 0, err
		}
		if !found {
			return nil, 0, &fileError{name, "no CustomResourceDefinition found", fs.ErrNotExist}
		}
	}
	return s.lastOfEach(crds), skipped, nil
}

// lastOfEach returns the definitions without those that a later one with the same name replaces.
func (s *Source) lastOfEach(crds []Object) []Object {
	name := func(o Object) string { return o.Value.Lookup("metadata", "name").StringOr("") }
	last := map[string]int{}
	for i, o := range crds {
		last[name(o)] = i
	}
	var kept []Object
	for i, o := range crds {
		switch at := last[name(o)]; {
		case at == i || name(o) == "":
			kept = append(kept, o)
		case s.Replaced != nil && !document.Equal(o.Value, crds[at].Value):
			s.Replaced(o, crds[at])
		}
	}
	return kept
}

// Files returns the files that a name denotes.
func (s *Source) Files(name string) ([]string, error) {
	if name == "-" || s.isFile(name) {
		return []string{name}, nil
	}
	if s.isFolder(name) {
		return s.folder(name)
	}
	if strings.ContainsAny(name, "*?[") {
		files, err := s.glob(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(files) == 0 {
			return nil, &fileError{name, "no file matches the pattern", fs.ErrNotExist}
		}
		return files, nil
	}
	return []string{name}, nil // reading the file fails with the error
}

func (s *Source) stat(name string) (fs.FileInfo, error) {
	if s.FS != nil {
		return fs.Stat(s.FS, name)
	}
	return os.Stat(name)
}

func (s *Source) isFolder(name string) bool {
	info, err := s.stat(name)
	return err == nil && info.IsDir()
}

func (s *Source) isFile(name string) bool {
	info, err := s.stat(name)
	return err == nil && !info.IsDir()
}

// glob returns the manifests that match a pattern: files, and those in matching directories.
func (s *Source) glob(pattern string) ([]string, error) {
	match := filepath.Glob
	if s.FS != nil {
		match = func(pattern string) ([]string, error) { return fs.Glob(s.FS, pattern) }
	}
	names, err := match(pattern)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range names {
		if s.excluded(name, name) {
			continue
		}
		if !s.isFolder(name) {
			files = append(files, name)
			continue
		}
		within, err := s.folder(name)
		if err != nil {
			return nil, err
		}
		files = append(files, within...)
	}
	return files, nil
}

// folder returns the manifests in a directory, sorted by name.
func (s *Source) folder(dir string) ([]string, error) {
	fsys, join := s.FS, path.Join
	root := dir
	if fsys == nil {
		fsys, join, root = os.DirFS(dir), filepath.Join, "."
	}
	var files []string
	within, excluded := false, false // manifests that are not read
	err := fs.WalkDir(fsys, root, func(name string, e fs.DirEntry, err error) error {
		file := name
		if s.FS == nil {
			file = join(dir, filepath.FromSlash(name))
		}
		switch {
		case err != nil:
			return err
		case name != root && s.excluded(file, strings.TrimPrefix(name, root+"/")):
			excluded = true
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() && name != root && !s.Recursive:
			within = within || s.Shallow != nil && hasManifests(fsys, name)
			return fs.SkipDir
		case e.IsDir() && isChart(fsys, name):
			return s.leaveOutChart(file)
		case e.IsDir() || !hasManifestName(name):
			return nil
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		return nil, FileError(dir, err)
	}
	switch {
	case len(files) == 0 && s.Empty != nil && !within:
		s.Empty(dir)
		return nil, nil
	case len(files) == 0:
		return nil, s.noManifests(dir, excluded)
	case within:
		s.Shallow(dir)
	}
	slices.Sort(files)
	return files, nil
}

// noManifests returns the error for a directory without manifests; excluded is set if it has some that
// are excluded.
func (s *Source) noManifests(dir string, excluded bool) error {
	text := "the folder has no .yaml, .yml or .json file"
	if excluded {
		text += " that is not excluded"
	}
	switch {
	case s.Recursive:
	case s.RecursiveFlag != "":
		text += " (folders within it are read only with " + s.RecursiveFlag + ")"
	default:
		text += " (folders within it are not read)"
	}
	return &fileError{dir, text, fs.ErrNotExist}
}

// hasManifests reports whether a directory or one below it has files with names of manifests, apart from hidden
// directories and the templates of charts.
func hasManifests(fsys fs.FS, dir string) bool {
	found := false
	_ = fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil, e.IsDir() && (strings.HasPrefix(path.Base(name), ".") || isChart(fsys, name)):
			return fs.SkipDir
		case e.IsDir() || !hasManifestName(name):
			return nil
		}
		found = true
		return fs.SkipAll
	})
	return found
}

// isChart reports whether a directory holds the templates of a Helm chart.
func isChart(fsys fs.FS, templates string) bool {
	if path.Base(templates) != "templates" {
		return false
	}
	_, err := fs.Stat(fsys, path.Join(path.Dir(templates), "Chart.yaml"))
	return err == nil
}

// leaveOutChart reports the templates of a chart, which are manifests only after rendering.
func (s *Source) leaveOutChart(templates string) error {
	if s.templates != nil {
		s.templates(templates)
		return fs.SkipDir
	}
	err := &fileError{templates, "these are the templates of a Helm chart; render them first, for example with 'helm template'", errors.ErrUnsupported}
	if s.Unread == nil {
		return err
	}
	s.Unread(templates, err)
	return fs.SkipDir
}

func hasManifestName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func (s *Source) readFile(name string) ([]*document.Document, error) {
	data, err := s.bytes(name)
	if err != nil {
		return nil, FileError(name, err)
	}
	if name == "-" {
		name = StdinName
	}
	return parse(name, data, s.Duplicates)
}

func (s *Source) bytes(name string) ([]byte, error) {
	switch {
	case s.Contents != nil:
		return s.Contents(name)
	case name == "-":
		return nil, errors.New("the name - (standard input) is not supported here")
	}
	var f fs.File
	var err error
	if s.FS != nil {
		f, err = s.FS.Open(name)
	} else {
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// A fileError is an error of reading or writing a file, with a short message. It unwraps to
// its cause.
type fileError struct {
	name, text string
	err        error
}

func (e *fileError) Error() string { return e.name + ": " + e.text }
func (e *fileError) Unwrap() error { return e.err }

// FileError formats an error of reading or writing a file as "name: reason". The result
// unwraps to err.
func FileError(name string, err error) error {
	if name == "-" {
		name = StdinName
	}
	var failed *fs.PathError
	var known *fileError
	switch {
	case errors.As(err, &known):
		return known
	case name == "":
		return err
	case errors.Is(err, fs.ErrNotExist) && name == ".": // of os.DirFS, which does not know its folder
		return &fileError{name, "the file system has no files; the folder that it was made for may not exist", err}
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(name, "://"):
		return &fileError{name, "no such file; patchlab downloads nothing, so read it from standard input: curl -L " + name + " | patchlab … -", err}
	case errors.Is(err, fs.ErrNotExist):
		if target, linkErr := os.Readlink(name); linkErr == nil {
			return &fileError{name, "the symbolic link leads to " + target + ", which does not exist", err}
		}
		return &fileError{name, "no such file", err}
	case errors.Is(err, fs.ErrPermission):
		return &fileError{name, "permission denied", err}
	case errors.As(err, &failed):
		return &fileError{name, failed.Err.Error(), err}
	}
	return &fileError{name, err.Error(), err}
}
