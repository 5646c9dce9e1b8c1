// Package notice generates the file NOTICE, which lists the modules and packages in the
// commands and the page with their licences.
package notice

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// own is the prefix of this repository's modules.
const own = "github.com/patchlab-dev/patchlab"

// A binary is a program that is built here and distributed.
type binary struct {
	name, folder, pkg string
	environment       []string
}

// binaries are the commands, and the engines of the page and of its npm package.
var binaries = []binary{
	{"patchlab", ".", "./cmd/patchlab", nil},
	{"patchlab-reference", ".", "./cmd/patchlab-reference", nil},
	{"patchlab-admission", "admission", "./cmd/patchlab-admission", nil},
	{"patchlab-etcd", "cmd/patchlab-etcd", ".", nil},
	{"playground", ".", "./wasm", []string{"GOOS=js", "GOARCH=wasm", "GOFLAGS=-tags=lab"}},
}

// A Component is a Go module, an npm package or Go's own library.
type Component struct {
	Name, Version string
	// In are the names of the binaries that contain it.
	In []string
	// Licence is its SPDX identifier.
	Licence string
	// dir is the folder with its licence, "" if it is not installed.
	dir string
}

// Components returns what the binaries of a repository contain, sorted by name.
func Components(repository string) ([]Component, error) {
	found := map[string]*Component{}
	for _, b := range binaries {
		modules, err := b.modules(repository)
		if err != nil {
			return nil, err
		}
		for _, m := range modules {
			c := found[m.Name]
			if c == nil {
				c = &m
				found[m.Name] = c
			}
			c.In = append(c.In, b.name)
		}
	}
	packages, err := npmPackages(filepath.Join(repository, "web"))
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		found["npm:"+p.Name] = &p
	}
	all := make([]Component, 0, len(found))
	for _, c := range found {
		if err := c.readLicence(); err != nil {
			return nil, err
		}
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Component) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// modules lists the modules that are linked into a binary. The standard library has no
// version here: it is that of the Go which builds the binary.
func (b binary) modules(repository string) ([]Component, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}", b.pkg)
	list.Dir = filepath.Join(repository, b.folder)
	list.Env = append(os.Environ(), b.environment...)
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s in %s: %w\n%s", b.pkg, b.folder, err, &stderr)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	all := []Component{{Name: "Go standard library", dir: strings.TrimSpace(string(goroot))}}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		version, dir, _ := strings.Cut(rest, "\t")
		if path == "" || seen[path] || path == own || strings.HasPrefix(path, own+"/") {
			continue
		}
		seen[path] = true
		all = append(all, Component{Name: path, Version: version, dir: dir})
	}
	return all, nil
}

// imported finds what the page's sources import by name.
var imported = regexp.MustCompile(`from ["'](@[^/"']+/[^/"']+|[^@./"'][^/"':]*)["'/]`)

// npmPackages lists the npm packages that are bundled into the page: those imported by
// its sources, and their dependencies.
func npmPackages(web string) ([]Component, error) {
	data, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Link             bool
			Dependencies     map[string]string
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	wanted, err := imports(filepath.Join(web, "src"))
	if err != nil {
		return nil, err
	}
	var all []Component
	seen := map[string]bool{}
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		p, ok := lock.Packages["node_modules/"+name]
		if seen[name] || !ok || p.Link {
			continue
		}
		seen[name] = true
		all = append(all, Component{Name: name, Version: p.Version, Licence: p.License, In: []string{"playground"}, dir: filepath.Join(web, "node_modules", name)})
		wanted = append(wanted, slices.Sorted(maps.Keys(p.Dependencies))...)
	}
	return all, nil
}

func imports(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".ts" {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range imported.FindAllSubmatch(data, -1) {
			names = append(names, string(m[1]))
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// licenceFile finds files that hold a licence.
var licenceFile = regexp.MustCompile(`(?i)^(LICEN[SC]E(-[A-Z0-9]+)?|COPYING)(\.(txt|md))?$`)

var errUnknown = errors.New("no licence that is known here")

// text returns the licence and the notices of a component. The licence is "" if its
// file is not installed.
func (c *Component) text() (licence, notice string) {
	files, err := os.ReadDir(c.dir)
	if err != nil {
		return "", ""
	}
	for _, f := range files {
		if data, err := os.ReadFile(filepath.Join(c.dir, f.Name())); err == nil && licenceFile.MatchString(f.Name()) {
			if licence != "" {
				licence += "\n"
			}
			licence += clean(data)
		}
	}
	if data, err := os.ReadFile(filepath.Join(c.dir, "NOTICE")); err == nil {
		notice = clean(data)
	}
	return licence, notice
}

func clean(data []byte) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(string(data), "\r\n", "\n")) {
		b.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return strings.Trim(b.String(), "\n") + "\n"
}

// licences are the known licences, each identified by words of its text.
var licences = []struct{ id, words, not string }{
	{"MIT", "Permission is hereby granted, free of charge", ""},
	{"Apache-2.0", "Apache License, Version 2.0", ""},
	{"Apache-2.0", "Apache License Version 2.0, January 2004", ""},
	{"BSD-3-Clause", "endorse or promote", ""},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms", "endorse or promote"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software", ""},
	{"MPL-2.0", "Mozilla Public License", ""},
}

// readLicence identifies the licences of a Go module by their texts.
func (c *Component) readLicence() error {
	if c.Licence != "" {
		return nil
	}
	text, _ := c.text()
	words := strings.Join(strings.Fields(text), " ")
	var found []string
	for _, l := range licences {
		if strings.Contains(words, l.words) && (l.not == "" || !strings.Contains(words, l.not)) && !slices.Contains(found, l.id) {
			found = append(found, l.id)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("%s %s: %w in %s", c.Name, c.Version, errUnknown, c.dir)
	}
	c.Licence = strings.Join(found, " AND ")
	return nil
}
