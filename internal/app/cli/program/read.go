package program

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// Read returns the contents of a file or, for "-", of standard input. What can be read only once,
// which is standard input and a pipe such as that of <(command) in a shell, is kept: resolve
// needs the text of a manifest again, and another program may need all inputs (handedOver).
func (a *App) Read(name string) ([]byte, error) {
	if data, read := a.kept[name]; read {
		return data, nil
	}
	if name == "" {
		return nil, errors.New("the name of a file is empty" + UnsetVariable)
	}
	var data []byte
	var err error
	once := name == "-"
	if once {
		data, err = io.ReadAll(io.LimitReader(a.In, manifest.MaxBytes+1))
	} else {
		data, once, err = readFile(name, a.Stopped)
	}
	if err != nil {
		return nil, manifest.FileError(name, err)
	}
	if once {
		if a.kept == nil {
			a.kept = map[string][]byte{}
		}
		a.kept[name] = data
	}
	return data, nil
}

// readFile returns the contents of a file, and whether it can be read only once. It does not wait
// longer than until stopped is closed: opening a named pipe without a writer blocks.
func readFile(name string, stopped <-chan struct{}) (data []byte, once bool, err error) {
	type contents struct {
		data []byte
		once bool
		err  error
	}
	read := make(chan contents, 1)
	go func() {
		var c contents
		defer func() { read <- c }()
		f, err := os.Open(name)
		if err != nil {
			c.err = err
			return
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			c.once = info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
		}
		c.data, c.err = io.ReadAll(io.LimitReader(f, manifest.MaxBytes+1))
	}()
	select {
	case c := <-read:
		return c.data, c.once, c.err
	case <-stopped:
		return nil, false, errInterrupted
	}
}

// UnsetVariable is the advice for an empty argument.
const UnsetVariable = "; a variable in the command may not be set"

// handedOver returns the arguments and the standard input for another program that begins anew:
// pipes that were read are replaced by files in a temporary folder, which remove deletes.
func (a *App) handedOver() (args []string, in io.Reader, remove func(), err error) {
	args, in, remove = slices.Clone(a.Args), a.In, func() {}
	if data, read := a.kept["-"]; read {
		in = bytes.NewReader(data)
	}
	folder, files := "", 0
	for name, data := range a.kept {
		if name == "-" {
			continue
		}
		if folder == "" {
			if folder, err = os.MkdirTemp("", "patchlab"); err != nil {
				return nil, nil, remove, err
			}
			remove = func() { _ = os.RemoveAll(folder) }
		}
		file := filepath.Join(folder, strconv.Itoa(files)+"-"+filepath.Base(name))
		files++
		if err = os.WriteFile(file, data, 0o600); err != nil {
			return nil, nil, remove, err
		}
		for i, arg := range args {
			if flag, found := strings.CutSuffix(arg, name); found && (flag == "" || strings.HasPrefix(flag, "-")) {
				args[i] = flag + file
			}
		}
	}
	return args, in, remove, nil
}
