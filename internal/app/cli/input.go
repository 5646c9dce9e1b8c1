package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// maxInput bounds a file: many documents may be in one.
const maxInput = 64 << 20

// read reads the documents of a file, or of standard input for "-".
func (a *App) read(name string) ([]*document.Document, error) {
	var data []byte
	var err error
	if name == "-" {
		name = "<stdin>"
		data, err = io.ReadAll(io.LimitReader(a.In, maxInput+1))
	} else {
		data, err = readFile(name)
	}
	if err != nil {
		return nil, err
	}
	docs, err := document.Read(data, document.Options{Name: name, MaxBytes: maxInput})
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: there is nothing in it", name)
	}
	return docs, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, plainFileError(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	if err != nil {
		return nil, plainFileError(name, err)
	}
	return data, nil
}

// plainFileError says what is wrong with a file in words for people.
func plainFileError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", name, path.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// readAll reads the documents of files and, of folders, of the files in them
// that end in .yaml, .yml or .json.
func (a *App) readAll(names []string) ([]*document.Document, error) {
	var docs []*document.Document
	for _, name := range names {
		files := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if files, err = manifests(name); err != nil {
				return nil, err
			}
		}
		for _, f := range files {
			d, err := a.read(f)
			if err != nil {
				return nil, err
			}
			docs = append(docs, d...)
		}
	}
	return docs, nil
}

func manifests(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, plainFileError(dir, err)
	}
	var files []string
	for _, e := range entries {
		switch ext := strings.ToLower(filepath.Ext(e.Name())); {
		case !e.IsDir() && (ext == ".yaml" || ext == ".yml" || ext == ".json"):
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	sort.Strings(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there is no .yaml, .yml or .json file in it", dir)
	}
	return files, nil
}

// isTerminal reports whether w is a terminal, for colour.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
