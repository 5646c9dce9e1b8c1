// Package exported holds a list of the exported names that the repository itself does not use
// outside of their package, and tests that it is complete.
package exported

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exports are the exported names of the packages below the repository's root, and how
// files of other folders use names. A name is that of a package's declaration, such as
// "document.Parse", or of a method, such as "document.Value.Get". Methods are used if
// any selector outside the package has their name, as types are not checked here.
type exports struct {
	declared  map[string]bool            // names
	used      map[string]bool            // names of declarations
	selectors map[string]map[string]bool // the folders in which a selector is used, by its name
}

const module = "github.com/patchlab-dev/patchlab/"

// rootFolder is the folder of the root package, which has the name of the project.
const rootFolder = "patchlab"

// TestExportedNamesAreUsed checks that an exported name is used outside the folder of its
// package or is listed in exported.txt, either as one for users or as one to be removed.
func TestExportedNamesAreUsed(t *testing.T) {
	e := readExports(t, "../../..")
	if len(e.declared) < 500 {
		t.Fatalf("only %d exported names were found", len(e.declared))
	}
	listed := readListed(t)
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(e.declared)) {
		if e.isUsed(name) {
			continue
		}
		if !listed[name] {
			missing = append(missing, name)
		}
		delete(listed, name)
	}
	if len(missing) > 0 {
		t.Errorf("nobody outside their packages uses these exported names; unexport them or, if they are meant for users, list them in exported.txt:\n%s",
			strings.Join(missing, "\n"))
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		t.Errorf("exported.txt lists %s, which is used elsewhere or no longer exists; remove it", name)
	}
}

// readListed reads exported.txt: a name on each line, and lines that begin with "#".
func readListed(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("exported.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case listed[line]:
			t.Errorf("exported.txt:%d: %s is listed twice", i+1, line)
		default:
			listed[line] = true
		}
	}
	return listed
}

func (e *exports) isUsed(name string) bool {
	folder, rest, _ := strings.Cut(name, ".")
	_, method, isMethod := strings.Cut(rest, ".")
	if !isMethod {
		return e.used[name]
	}
	for user := range e.selectors[method] {
		if user != folder {
			return true
		}
	}
	return false
}

// readExports parses every Go file below a folder.
func readExports(t *testing.T, root string) *exports {
	t.Helper()
	e := &exports{declared: map[string]bool{}, used: map[string]bool{}, selectors: map[string]map[string]bool{}}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		if folder = filepath.ToSlash(folder); folder == "." {
			folder = rootFolder
		}
		e.use(folder, f)
		if !strings.HasSuffix(name, "_test.go") && f.Name.Name != "main" {
			e.declare(folder, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// declare records the names that a file exports.
func (e *exports) declare(folder string, f *ast.File) {
	if folder == "test" || strings.HasPrefix(folder, "test/") || folder == "examples" || strings.HasPrefix(folder, "examples/") {
		return // for the repository's own use
	}
	note := func(names ...string) {
		for _, name := range names {
			if !ast.IsExported(name) {
				return
			}
		}
		e.declared[folder+"."+strings.Join(names, ".")] = true
	}
	for _, d := range f.Decls {
		e.mention(folder, d)
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				note(d.Name.Name)
			} else if !isInterfaceMethod(d.Name.Name) {
				note(receiver(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					note(s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						note(name.Name)
					}
				}
			}
		}
	}
}

// mention counts the types in the signature or exported fields of an exported declaration as
// used, because its users handle values of them.
func (e *exports) mention(folder string, d ast.Decl) {
	types := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				return false
			case *ast.Field:
				return len(n.Names) == 0 || slices.ContainsFunc(n.Names, func(name *ast.Ident) bool { return ast.IsExported(name.Name) })
			case *ast.SelectorExpr:
				return false
			case *ast.Ident:
				e.used[folder+"."+n.Name] = true
			}
			return true
		})
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if ast.IsExported(d.Name.Name) && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			for _, list := range []*ast.FieldList{d.Type.Params, d.Type.Results} {
				if list != nil {
					for _, field := range list.List {
						types(field.Type)
					}
				}
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok && ast.IsExported(spec.Name.Name) {
				types(spec.Type)
			}
		}
	}
}

// isInterfaceMethod reports whether a method is called through an interface of the
// standard library, so that no selector names it.
func isInterfaceMethod(name string) bool {
	switch name {
	case "Error", "Unwrap", "Is", "As", "String", "GoString", "Format", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
		"Read", "Write", "Close", "ServeHTTP", "Len", "Less", "Swap", "Timeout", "Temporary", "RoundTrip":
		return true
	}
	return false
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// use records the names of other packages that a file uses.
func (e *exports) use(folder string, f *ast.File) {
	imported := map[string]string{} // folders by the name in the file
	for _, i := range f.Imports {
		at, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		where, ours := strings.CutPrefix(at+"/", module)
		if !ours {
			continue
		}
		where = strings.TrimSuffix(where, "/")
		name := path.Base(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		if where == "" {
			where = rootFolder
		}
		imported[name] = where
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" && imported[x.Name] != folder {
			e.used[imported[x.Name]+"."+s.Sel.Name] = true
		}
		if e.selectors[s.Sel.Name] == nil {
			e.selectors[s.Sel.Name] = map[string]bool{}
		}
		e.selectors[s.Sel.Name][folder] = true
		return true
	})
}
