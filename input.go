package patchlab

import (
	"fmt"
	"io/fs"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// Input is the source of an object, several objects, or a patch. The items of a List are
// read as separate objects.
type Input interface {
	// Documents returns the documents of the input. It may be called more than
	// once.
	Documents() ([]*document.Document, error)
}

// Bytes is an Input of YAML or JSON with any number of documents.
type Bytes []byte

// Documents parses the bytes. Its errors have a line and column.
func (b Bytes) Documents() ([]*document.Document, error) { return manifest.Parse("", b) }

// Named returns an Input of YAML or JSON whose errors begin with name, usually the file's
// name.
func Named(name string, data []byte) Input { return named{name, data} }

type named struct {
	name string
	data []byte
}

func (n named) Documents() ([]*document.Document, error) { return manifest.Parse(n.name, n.data) }

// Files returns an Input that reads files from a file system, such as os.DirFS("manifests"), in
// the order of names. A name is a file, a directory (its .yaml, .yml and .json files are read, but not
// its subdirectories; fs.WalkDir finds the names of those) or a glob. Reading from a nil file system is
// an error that wraps ErrInput.
func Files(fsys fs.FS, names ...string) Input { return files{fsys, names} }

type files struct {
	fsys  fs.FS
	names []string
}

func (f files) Documents() ([]*document.Document, error) {
	if f.fsys == nil { // manifest.Source would read the files of the operating system
		return nil, fmt.Errorf("%w: Files requires a file system, such as os.DirFS(\".\")", ErrInput)
	}
	source := manifest.Source{FS: f.fsys}
	return source.Read(f.names...)
}

// objects returns the objects of an input; a nil input has none.
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
