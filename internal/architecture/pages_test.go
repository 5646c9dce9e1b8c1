package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const repository = "../.."

var (
	// pageLink matches the target of a Markdown link.
	pageLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// codeSpan matches inline code.
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	// sourceFile matches the name of a source file, with or without its folder.
	sourceFile = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)*\.(go|ts|mjs|css|sh|md)$`)
	// goName matches an exported name that is qualified with its package, and possibly a method
	// or a field of it: patchlab.Lab.Run.
	goName = regexp.MustCompile(`^([a-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?$`)
)

// TestPagesNameWhatExists checks the documentation pages: the targets of their links exist, and
// so do the files of this repository and the exported names of its packages that are in inline
// code. Files and names of other projects are not checked. The changelog may name what has been
// removed.
func TestPagesNameWhatExists(t *testing.T) {
	r := readRepository(t)
	if len(r.pages) < 40 || len(r.names) < 1000 {
		t.Fatalf("only %d pages and %d names were found", len(r.pages), len(r.names))
	}
	for page, text := range r.pages {
		text = withoutFences(text)
		for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
			if !r.hasTarget(page, m[1]) {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			}
		}
		if page == "CHANGELOG.md" {
			continue
		}
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			if !r.hasFile(page, m[1]) {
				t.Errorf("%s names the file %s, which does not exist", page, m[1])
			}
			if !r.hasName(m[1]) {
				t.Errorf("%s names %s, which its package does not export", page, m[1])
			}
		}
	}
}

// repositoryFiles holds what pages may refer to.
type repositoryFiles struct {
	paths    map[string]bool   // files and folders, from the root
	suffixes map[string]bool   // the same without one or more leading folders
	pages    map[string]string // the text of each Markdown file
	packages map[string]bool   // names of packages
	names    map[string]bool   // exported names with their package: schema.Kind, schema.Kind.Type
}

func readRepository(t *testing.T) *repositoryFiles {
	t.Helper()
	r := &repositoryFiles{paths: map[string]bool{".": true}, suffixes: map[string]bool{}, pages: map[string]string{},
		packages: map[string]bool{}, names: map[string]bool{}}
	err := filepath.WalkDir(repository, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "dist") {
			return fs.SkipDir
		}
		relative, err := filepath.Rel(repository, name)
		if err != nil {
			return err
		}
		p := filepath.ToSlash(relative)
		r.paths[p] = true
		for rest, more := p, true; more; {
			r.suffixes[rest] = true
			_, rest, more = strings.Cut(rest, "/")
		}
		switch {
		case d.IsDir():
		case path.Ext(p) == ".md":
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			r.pages[p] = string(text)
		case path.Ext(p) == ".go" && !strings.HasPrefix(p, "test/"): // nobody imports the packages in test
			return r.declare(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// declare records the exported names of a Go file: functions, types, constants and variables,
// and the methods and fields of types.
func (r *repositoryFiles) declare(name string) error {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := f.Name.Name
	r.packages[pkg] = true
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				r.names[pkg+"."+d.Name.Name] = true
			} else {
				r.names[pkg+"."+receiver(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					r.names[pkg+"."+s.Name.Name] = true
					r.declareMembers(pkg+"."+s.Name.Name, s.Type)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						r.names[pkg+"."+n.Name] = true
					}
				}
			}
		}
	}
	return nil
}

// declareMembers records the fields of a struct and the methods of an interface. Embedded ones
// are recorded with the name of their type only.
func (r *repositoryFiles) declareMembers(owner string, t ast.Expr) {
	var members *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		members = t.Fields
	case *ast.InterfaceType:
		members = t.Methods
	default:
		return
	}
	for _, m := range members.List {
		for _, n := range m.Names {
			r.names[owner+"."+n.Name] = true
		}
	}
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

// hasTarget reports whether the target of a link exists: a file or folder, and in a page the
// heading that a fragment refers to. Addresses with a scheme are not checked.
func (r *repositoryFiles) hasTarget(page, target string) bool {
	if strings.Contains(target, ":") {
		return true
	}
	file, fragment, _ := strings.Cut(target, "#")
	if file = path.Join(path.Dir(page), file); target[0] == '#' {
		file = page
	}
	if !r.paths[file] {
		return false
	}
	text, isPage := r.pages[file]
	return fragment == "" || !isPage || hasHeading(text, fragment)
}

// hasHeading reports whether a page has a heading to which GitHub gives the fragment.
func hasHeading(text, fragment string) bool {
	for line := range strings.Lines(withoutFences(text)) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		title := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		id := strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
				return c
			}
			return -1
		}, title)
		if id == fragment {
			return true
		}
	}
	return false
}

// hasFile reports whether inline code that is the name of a source file of this repository
// names an existing one. A name with a folder is one of ours if its first folder is at the root
// of the repository or beside the page; a name without a folder may be anywhere.
func (r *repositoryFiles) hasFile(page, code string) bool {
	if strings.HasPrefix(code, "internal/") && !strings.ContainsAny(code, " *(") {
		return r.suffixes[strings.TrimSuffix(code, "/")]
	}
	if !sourceFile.MatchString(code) {
		return true
	}
	first, _, inFolder := strings.Cut(code, "/")
	if inFolder && !r.paths[first] && !r.paths[path.Join(path.Dir(page), first)] {
		return true
	}
	return r.suffixes[code] || r.paths[path.Join(path.Dir(page), code)]
}

// hasName reports whether inline code that is a qualified Go name is exported by the package of
// that name in this repository, if there is one. A method or field may be that of any type of
// the package, because it may be promoted from an embedded one.
func (r *repositoryFiles) hasName(code string) bool {
	m := goName.FindStringSubmatch(strings.TrimSuffix(code, "()"))
	if m == nil || !r.packages[m[1]] {
		return true
	}
	return r.names[m[1]+"."+m[2]] && (m[3] == "" || r.hasMember(m[1], m[3]))
}

// hasMember reports whether any type of a package has the method or field.
func (r *repositoryFiles) hasMember(pkg, member string) bool {
	for name := range r.names {
		if strings.HasPrefix(name, pkg+".") && strings.HasSuffix(name, "."+member) {
			return true
		}
	}
	return false
}

// withoutFences returns a page without its fenced code blocks.
func withoutFences(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			fenced = !fenced
		} else if !fenced {
			b.WriteString(line)
		}
	}
	return b.String()
}
