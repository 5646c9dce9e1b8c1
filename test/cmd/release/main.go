// Command release writes the published modules of this repository to a folder in the
// layout of a module proxy, or writes the go.mod files of a release:
//
//	go run ./cmd/release -version v0.9.0 -proxy /tmp/proxy
//	go run ./cmd/release -version v0.9.0 -write
//
// Run it in the folder test.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/semver"

	"github.com/patchlab-dev/patchlab/test/release"
)

func main() {
	version := flag.String("version", "", "the version of all modules, such as v0.9.0")
	proxy := flag.String("proxy", "", "folder to write the modules to")
	write := flag.Bool("write", false, "change the go.mod files of the repository")
	flag.Parse()
	if !semver.IsValid(*version) || flag.NArg() > 0 || (*proxy == "") != *write {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*version, *proxy); err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}

func run(version, proxy string) error {
	const repository = ".."
	if proxy != "" {
		return release.WriteProxy(repository, proxy, version)
	}
	for _, folder := range release.Folders() {
		file := filepath.Join(repository, folder, "go.mod")
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if data, err = release.GoMod(data, version); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
