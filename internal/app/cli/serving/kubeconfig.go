package serving

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/server"
)

// entryName is the name of the cluster, user and context that serve adds to a kubeconfig.
const entryName = "patchlab"

// access describes how clients connect to a server.
type access struct {
	address, token string
	certificate    *server.Certificate
}

// mergeKubeconfig adds a cluster, user and context to a kubeconfig and sets current-context,
// like "kubectl config": everything else in the file is kept. The file is replaced atomically
// by a new one with mode 0600, because it contains the token. Symbolic links are not followed,
// and a cluster of the same name that this command has not written is not replaced.
func mergeKubeconfig(name string, a access) error {
	unlock, err := lockKubeconfig(name)
	if err != nil {
		return err
	}
	defer unlock()
	config, err := readKubeconfig(name)
	if err != nil {
		return err
	}
	entry := document.NewString(entryName)
	for _, part := range []struct {
		list, member string
		value        document.Value
	}{
		{"clusters", "cluster", a.cluster()},
		{"users", "user", a.user()},
		{"contexts", "context", document.NewObject().With("cluster", entry).With("user", entry).With("namespace", document.NewString("default"))},
	} {
		config = config.With(part.list, withEntry(config.Get(part.list), part.member, part.value))
	}
	config = config.With("current-context", entry)
	if err := ReplaceFile(name, config.YAML(), 0o600); err != nil { // it contains the token
		return fmt.Errorf("--kubeconfig %w", manifest.FileError(name, err))
	}
	return nil
}

func (a access) cluster() document.Value {
	cluster := document.NewObject().With("server", document.NewString(a.address))
	if a.certificate != nil {
		data := base64.StdEncoding.EncodeToString(a.certificate.PEM)
		cluster = cluster.With("certificate-authority-data", document.NewString(data))
	} else {
		// There is no certificate to verify. Without this, the client library for JavaScript refuses
		// to send requests in plain text.
		cluster = cluster.With("insecure-skip-tls-verify", document.NewBool(true))
	}
	// The mark identifies the entry as this command's, so that the next run may replace it.
	mark := document.NewObject().With("made-by", document.NewString("patchlab serve"))
	extension := document.NewObject().With("name", document.NewString(entryName)).With("extension", mark)
	return cluster.With("extensions", document.NewList(extension))
}

// optionalToken is the token in the kubeconfig of an HTTPS server that requires none. It is not secret.
const optionalToken = "admin"

// user returns the credentials of clients. If the user of an HTTPS server has none, kubectl asks for a
// name and a password. Beside these it refuses the flag --token, which replaces a token.
func (a access) user() document.Value {
	user := document.NewObject()
	switch {
	case a.token != "":
		user = user.With("token", document.NewString(a.token))
	case a.certificate != nil:
		user = user.With("token", document.NewString(optionalToken))
	}
	return user
}

// withEntry returns a list of named entries with one entry replaced or added.
func withEntry(list document.Value, member string, value document.Value) document.Value {
	next := document.NewObject().With("name", document.NewString(entryName)).With(member, value)
	var b document.ListBuilder
	found := false
	for _, old := range list.Items() {
		if old.Get("name").StringOr("") == entryName {
			if !found {
				b.Append(next)
			}
			found = true
			continue
		}
		b.Append(old)
	}
	if !found {
		b.Append(next)
	}
	return b.List()
}

// readKubeconfig reads the file to merge into; if it does not exist, the result is an empty
// config.
func readKubeconfig(name string) (document.Value, error) {
	none := document.NewObject().With("apiVersion", document.NewString("v1")).With("kind", document.NewString("Config"))
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return none, fmt.Errorf("--kubeconfig %w", manifest.FileError(name, err))
	case info.Mode()&fs.ModeSymlink != 0:
		return none, fmt.Errorf("--kubeconfig %s: is a symbolic link; use the name of the target file", name)
	case !info.Mode().IsRegular():
		return none, fmt.Errorf("--kubeconfig %s: is not a regular file", name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return none, fmt.Errorf("--kubeconfig %w", manifest.FileError(name, err))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return none, nil
	}
	d, err := document.ParseYAML(data, document.Options{})
	if err != nil {
		return none, fmt.Errorf("--kubeconfig %s: %w; the file was not changed", name, err)
	}
	return d.Root, checkKubeconfig(name, d.Root)
}

// checkKubeconfig returns an error if the file is not a kubeconfig, or if merging would
// replace a cluster of another program.
func checkKubeconfig(name string, config document.Value) error {
	if kind := config.Get("kind"); config.Kind() != document.Object || kind.Exists() && kind.StringOr("") != "Config" {
		return fmt.Errorf("--kubeconfig %s: not a kubeconfig; the file was not changed", name)
	}
	for _, list := range []string{"clusters", "users", "contexts"} {
		if v := config.Get(list); v.Exists() && !v.IsNull() && v.Kind() != document.List {
			return fmt.Errorf("--kubeconfig %s: %s is not a list; the file was not changed", name, list)
		}
	}
	var own, taken bool
	for _, c := range config.Get("clusters").Items() {
		if c.Get("name").StringOr("") == entryName {
			taken, own = true, isOwn(c.Get("cluster"))
		}
	}
	for _, list := range []string{"users", "contexts"} {
		for _, e := range config.Get(list).Items() {
			taken = taken || e.Get("name").StringOr("") == entryName
		}
	}
	if taken && !own {
		return fmt.Errorf("--kubeconfig %s: has an entry %q that was not written by patchlab serve; rename the entry or use another file", name, entryName)
	}
	return nil
}

// isOwn reports whether this command has written a cluster entry.
func isOwn(cluster document.Value) bool {
	for _, e := range cluster.Get("extensions").Items() {
		if e.Get("name").StringOr("") == entryName {
			return true
		}
	}
	return false
}

// lockKubeconfig creates the lock file with which client-go prevents concurrent changes of a
// kubeconfig.
func lockKubeconfig(name string) (unlock func(), err error) {
	lock := name + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("--kubeconfig %s: another program is changing the file; if that is not the case, remove the lock file %s", name, lock)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--kubeconfig %s: the folder does not exist", name)
	case err != nil:
		return nil, fmt.Errorf("--kubeconfig %w", manifest.FileError(name, err))
	}
	_ = f.Close()
	return func() { _ = os.Remove(lock) }, nil
}

// ReplaceFile replaces a file by one with the given mode. It renames a temporary file, so that
// readers never see an incomplete one.
func ReplaceFile(name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".patchlab-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
