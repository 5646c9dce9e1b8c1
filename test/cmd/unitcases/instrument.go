package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The functions whose arguments are recorded, by the files that have them.
var instrumented = []struct{ file, function *regexp.Regexp }{
	{regexp.MustCompile(`^pkg/apis/.*/validation/[^/]*\.go$`), regexp.MustCompile(`(?i)^validate`)},
	{regexp.MustCompile(`^pkg/registry/.*/strategy\.go$`), regexp.MustCompile(`^(Validate|ValidateUpdate|PrepareForCreate|PrepareForUpdate)$`)},
	{regexp.MustCompile(`^pkg/api/[^/]*/[^/]*\.go$`), regexp.MustCompile(`^(GetWarnings|warningsFor|DropDisabled)`)},
}

// instrument adds calls that record to the source, and returns the packages with tests that reach
// them.
func instrument(source string) (packages []string, err error) {
	err = filepath.WalkDir(source, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err := filepath.Rel(source, file)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		folder := module + "/" + path[:max(strings.LastIndexByte(path, '/'), 0)]
		if strings.HasSuffix(path, "_test.go") {
			inRegistry := strings.HasPrefix(path, "pkg/registry/") // where most other tests need etcd
			strategy := strings.HasSuffix(path, "/strategy_test.go") || strings.HasSuffix(path, "/declarative_validation_test.go")
			if strategy || !inRegistry && slices.ContainsFunc(instrumented, func(i struct{ file, function *regexp.Regexp }) bool { return i.file.MatchString(path) }) {
				packages = append(packages, folder)
			}
			return nil
		}
		for _, i := range instrumented {
			if i.file.MatchString(path) {
				return instrumentFile(file, i.function)
			}
		}
		return nil
	})
	slices.Sort(packages)
	return slices.Compact(packages), err
}

// insertion is text to insert at an offset of a file.
type insertion struct {
	at   int
	text string
}

func instrumentFile(file string, function *regexp.Regexp) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return err
	}
	var all []insertion
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Type.TypeParams != nil || !function.MatchString(f.Name.Name) {
			continue
		}
		if args := recordable(set, f); len(args) > 0 {
			call := fmt.Sprintf("\ndefer recorded.Enter(%q, %s)()\n", f.Name.Name, strings.Join(args, ", "))
			all = append(all, insertion{set.Position(f.Body.Lbrace).Offset + 1, call})
		}
	}
	if len(all) == 0 {
		return nil
	}
	all = append([]insertion{{set.Position(parsed.Name.End()).Offset, fmt.Sprintf("\n\nimport recorded %q\n", module+"/"+recordFolder)}}, all...)
	var out bytes.Buffer
	last := 0
	for _, i := range all {
		out.Write(text[last:i.at])
		out.WriteString(i.text)
		last = i.at
	}
	out.Write(text[last:])
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// other matches types of parameters that hold neither an object nor a part of one.
var other = regexp.MustCompile(`^(field|context|sets)\.|Options|func\(|map\[`)

// recordable returns the names of the parameters that may be an object or a part of one. The new
// state is first.
func recordable(set *token.FileSet, f *ast.FuncDecl) (names []string) {
	for _, p := range f.Type.Params.List {
		var text bytes.Buffer
		if err := format.Node(&text, set, p.Type); err != nil {
			continue
		}
		t := strings.TrimLeft(text.String(), "*[]")
		if !strings.Contains(t, ".") || other.MatchString(t) {
			continue
		}
		for _, name := range p.Names {
			if name.Name != "_" {
				names = append(names, name.Name)
			}
		}
	}
	if len(names) > 1 && strings.HasPrefix(strings.ToLower(names[0]), "old") {
		names[0], names[1] = names[1], names[0]
	}
	return names
}
