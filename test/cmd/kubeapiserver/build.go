package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// build builds the programs that are missing in dir/bin, with kube-apiserver in the version
// kubernetes, and kube-controller-manager if it is needed.
func build(ctx context.Context, dir, kubernetes string, controllers bool) error {
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	const versionPackage = "k8s.io/component-base/version"
	minor := strings.Split(kubernetes, ".")[1]
	flags := fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=1 -X %[1]s.gitMinor=%[3]s", versionPackage, kubernetes, minor)
	programs := []program{
		{"etcd", "go.etcd.io/etcd/server/v3", etcd, "go.etcd.io/etcd/server/v3", ""},
		{"kube-apiserver", "k8s.io/kubernetes", kubernetes, "k8s.io/kubernetes/cmd/kube-apiserver", flags},
	}
	if controllers {
		programs = append(programs, program{"kube-controller-manager", "k8s.io/kubernetes", kubernetes, "k8s.io/kubernetes/cmd/kube-controller-manager", flags})
	}
	for _, p := range programs {
		file := filepath.Join(bin, p.name)
		if _, err := os.Stat(file); err == nil {
			continue
		}
		fmt.Fprintf(os.Stderr, "building %s %s\n", p.name, p.version)
		if err := p.build(ctx, filepath.Join(dir, p.name), file); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// program is a main package of a module.
type program struct{ name, module, version, path, flags string }

// build creates a module that requires the program's module, and builds the program
// there.
func (p program) build(ctx context.Context, dir, file string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod := new(modfile.File)
	if err := errors.Join(mod.AddModuleStmt("example.com/"+p.name), mod.AddGoStmt("1.26.0"), mod.AddRequire(p.module, p.version)); err != nil {
		return err
	}
	if err := p.replace(ctx, dir, mod); err != nil {
		return err
	}
	data, err := mod.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644); err != nil {
		return err
	}
	if _, err := command(ctx, dir, "go", "get", p.path+"@"+p.version); err != nil {
		return err
	}
	_, err = command(ctx, dir, "go", "build", "-mod=mod", "-ldflags", p.flags, "-o", file, p.path)
	return err
}

// replace requires, for each module that the program's go.mod replaces with a folder of
// its repository, the published module of the same release. For instance, k8s.io/api
// v0.36.3 is the folder staging/src/k8s.io/api of k8s.io/kubernetes v1.36.3.
func (p program) replace(ctx context.Context, dir string, mod *modfile.File) error {
	out, err := command(ctx, dir, "go", "mod", "download", "-json", p.module+"@"+p.version)
	if err != nil {
		return err
	}
	var downloaded struct{ GoMod string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return err
	}
	data, err := os.ReadFile(downloaded.GoMod)
	if err != nil {
		return err
	}
	theirs, err := modfile.Parse(downloaded.GoMod, data, nil)
	if err != nil {
		return err
	}
	for _, r := range theirs.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/") {
			if err := mod.AddReplace(r.Old.Path, "", r.Old.Path, "v0."+strings.TrimPrefix(p.version, "v1.")); err != nil {
				return err
			}
		}
	}
	return nil
}

// command runs a command in dir, with Go workspaces disabled.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}
