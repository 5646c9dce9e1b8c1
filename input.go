package patchlab

import (
	"io/fs"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// An Input is what a Lab reads: an object, several objects, or a patch. Lists of
// any kind count as the objects in them.
type Input interface {
	// Documents returns the documents of the input. It may be called more than
	// once.
	Documents() ([]*document.Document, error)
}

// Bytes is YAML or JSON of any number of documents.
type Bytes []byte

// Documents parses the bytes. An error has line and column.
func (b Bytes) Documents() ([]*document.Document, error) { return manifest.Parse("", b) }

// Named returns YAML or JSON as an Input whose errors name it, as with the name of
// the file that it is from.
func Named(name string, data []byte) Input { return named{name, data} }

type named struct {
	name string
	data []byte
}

func (n named) Documents() ([]*document.Document, error) { return manifest.Parse(n.name, n.data) }

// Files returns the documents of files in a file system, in the order of the
// names: files, folders with their .yaml, .yml and .json files, and globs.
func Files(fsys fs.FS, names ...string) Input { return files{fsys, names} }

type files struct {
	fsys  fs.FS
	names []string
}

func (f files) Documents() ([]*document.Document, error) {
	source := manifest.Source{FS: f.fsys}
	return source.Read(f.names...)
}

// objects returns the objects of an input, none for nil.
func objects(in Input) ([]manifest.Object, error) {
	if in == nil {
		return nil, nil
	}
	docs, err := in.Documents()
	if err != nil {
		return nil, err
	}
	return manifest.Split(docs...), nil
}
