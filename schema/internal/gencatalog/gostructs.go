package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// apiModules maps prefixes of OpenAPI names to the modules of the API types.
var apiModules = []struct{ prefix, module string }{
	{"io.k8s.api.", "k8s.io/api"},
	{"io.k8s.apimachinery.", "k8s.io/apimachinery"},
	{"io.k8s.apiextensions-apiserver.", "k8s.io/apiextensions-apiserver"},
	{"io.k8s.kube-aggregator.", "k8s.io/kube-aggregator"},
}

// goStructs reads from the sources of the API types how their Go structs declare fields:
// pointers, omitempty and omitzero.
type goStructs struct {
	version string
	structs map[string]map[string]structFields // by import path and type name
	done    map[*schema.Type]bool
}

// structFields maps the JSON names of a struct's fields to their declaration.
type structFields map[string]fieldTags

type fieldTags struct {
	goField            schema.GoField
	strategy, mergeKey string
}

func newGoStructs(version string) *goStructs {
	return &goStructs{version: version, structs: map[string]map[string]structFields{}, done: map[*schema.Type]bool{}}
}

// apply sets the Go declaration of all fields below t and verifies that the patch
// strategies of OpenAPI equal those of the Go tags, which the server uses.
func (g *goStructs) apply(t *schema.Type) error {
	if t == nil || g.done[t] {
		return nil
	}
	g.done[t] = true
	if t.List != nil {
		if err := g.apply(t.List.Elem); err != nil {
			return err
		}
	}
	if t.Map == nil {
		return nil
	}
	if err := g.apply(t.Map.Elem); err != nil {
		return err
	}
	declared, err := g.of(t.Name)
	if err != nil {
		return err
	}
	if declared != nil && len(t.Map.Fields) == 0 && t.Scalar == schema.NoScalar && t.Format == "" {
		t.Map.PreserveUnknown = false // a struct without fields, such as BasicSchedulingPolicy
	}
	for i := range t.Map.Fields {
		f := &t.Map.Fields[i]
		if declared != nil {
			tags, ok := declared[f.Name]
			if !ok {
				return fmt.Errorf("%s has no Go field %q", t.Name, f.Name)
			}
			if err := tags.agrees(f); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			f.Go = tags.goField
		}
		if err := g.apply(f.Type); err != nil {
			return err
		}
	}
	return nil
}

func (f fieldTags) agrees(with *schema.Field) error {
	if f.strategy != with.Strategy.String() || f.mergeKey != with.MergeKey {
		return fmt.Errorf("field %q: Go says patch strategy %q, merge key %q; OpenAPI says %q, %q",
			with.Name, f.strategy, f.mergeKey, with.Strategy, with.MergeKey)
	}
	return nil
}

// of returns the fields of an OpenAPI type; nil if its Go type is not a struct with JSON
// fields.
func (g *goStructs) of(name string) (structFields, error) {
	for _, m := range apiModules {
		rest, ok := strings.CutPrefix(name, m.prefix)
		if !ok {
			continue
		}
		i := strings.LastIndexByte(rest, '.')
		return g.structOf(m.module+"/"+strings.ReplaceAll(rest[:i], ".", "/"), rest[i+1:])
	}
	return nil, nil
}

func (g *goStructs) structOf(path, name string) (structFields, error) {
	if _, ok := g.structs[path]; !ok {
		if err := g.parse(path); err != nil {
			return nil, err
		}
	}
	return g.structs[path][name], nil
}

func (g *goStructs) parse(path string) error {
	g.structs[path] = map[string]structFields{}
	parts := strings.SplitN(path, "/", 3)
	dir, err := moduleDir(parts[0]+"/"+parts[1], g.version)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, parts[2], "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if err := g.parseFile(path, file); err != nil {
			return err
		}
	}
	return g.inline(path)
}

// parseFile collects the structs of a file, and the aliases of structs.
func (g *goStructs) parseFile(path, file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			spec, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			switch st := spec.Type.(type) {
			case *ast.StructType:
				declared, err := fields(path, parsed, st)
				if err != nil {
					return fmt.Errorf("%s.%s: %w", path, spec.Name.Name, err)
				}
				g.structs[path][spec.Name.Name] = declared
			case *ast.Ident, *ast.SelectorExpr: // an alias, or a type with the same fields
				g.structs[path][spec.Name.Name] = structFields{same + qualified(path, parsed, st): {}}
			}
		}
	}
	return nil
}

// Keys that are not JSON names: one for embedded structs, one for a struct with the same
// fields.
const (
	embedded = "\x00"
	same     = "\x01"
)

func fields(path string, file *ast.File, st *ast.StructType) (structFields, error) {
	declared := structFields{}
	for _, f := range st.Fields.List {
		tag := reflect.StructTag("")
		if f.Tag != nil {
			text, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return nil, err
			}
			tag = reflect.StructTag(text)
		}
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		if name == "" && len(f.Names) == 0 {
			declared[embedded+qualified(path, file, f.Type)] = fieldTags{}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		tags := fieldTags{strategy: tag.Get("patchStrategy"), mergeKey: tag.Get("patchMergeKey")}
		if _, ok := f.Type.(*ast.StarExpr); ok {
			tags.goField |= schema.GoPointer
		}
		for _, o := range strings.Split(options, ",") {
			switch o {
			case "omitempty":
				tags.goField |= schema.GoOmitEmpty
			case "omitzero":
				tags.goField |= schema.GoOmitZero
			}
		}
		declared[name] = tags
	}
	return declared, nil
}

// qualified returns the import path and name of an embedded type.
func qualified(path string, file *ast.File, t ast.Expr) string {
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch t := t.(type) {
	case *ast.Ident:
		return path + "#" + t.Name
	case *ast.SelectorExpr:
		alias := t.X.(*ast.Ident).Name
		for _, imp := range file.Imports {
			p, _ := strconv.Unquote(imp.Path.Value)
			if imp.Name != nil && imp.Name.Name == alias || imp.Name == nil && strings.HasSuffix(p, "/"+alias) {
				return p + "#" + t.Sel.Name
			}
		}
	}
	return ""
}

// inline replaces embedded structs and aliases by the fields of the structs they refer to.
func (g *goStructs) inline(path string) error {
	for _, declared := range g.structs[path] {
		if err := g.expand(declared); err != nil {
			return err
		}
	}
	return nil
}

func (g *goStructs) expand(declared structFields) error {
	for again := true; again; {
		again = false
		for key := range declared {
			if key == "" || key[0] > same[0] {
				continue
			}
			delete(declared, key)
			from, name, _ := strings.Cut(key[1:], "#")
			if !strings.HasPrefix(from, "k8s.io/") {
				continue
			}
			inner, err := g.structOf(from, name)
			if err != nil {
				return err
			}
			for n, f := range inner {
				more := n[0] <= same[0] // inner is not expanded yet
				if key[0] == embedded[0] {
					f.goField |= schema.GoInline
					if more {
						n = embedded + n[1:]
					}
				}
				if _, ok := declared[n]; !ok {
					declared[n] = f
					again = again || more
				}
			}
		}
	}
	return nil
}
