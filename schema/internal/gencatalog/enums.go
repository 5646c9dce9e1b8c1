package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// enumSchemas are the Go declarations of OpenAPI schemas, by the types' OpenAPI names.
// They are the composite literals of type spec.Schema that openapi-gen has written.
type enumSchemas map[string]*ast.CompositeLit

// readEnums parses the Go source of the schemas.
func readEnums(file string) (enumSchemas, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	functions := map[string]*ast.FuncDecl{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions[f.Name.Name] = f
		}
	}
	imports := map[string]string{}
	for _, i := range parsed.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		imports[i.Name.Name] = path
	}
	index := functions["GetOpenAPIDefinitions"]
	if index == nil {
		return nil, fmt.Errorf("%s has no function GetOpenAPIDefinitions", file)
	}
	all := enumSchemas{}
	ast.Inspect(index.Body, func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		// Each value is a call such as schema_k8sio_api_core_v1_Pod(ref).
		f := functions[entry.Value.(*ast.CallExpr).Fun.(*ast.Ident).Name]
		all[openAPIName(goType(entry.Key, imports))] = firstSchema(f)
		return false
	})
	return all, nil
}

// goType returns the path and name of a type, such as k8s.io/api/core/v1.Pod, from a key of
// the index: this text itself or, since Kubernetes 1.35, the expression
// v1.Pod{}.OpenAPIModelName().
func goType(key ast.Expr, imports map[string]string) string {
	switch key := key.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(key.Value)
		return text
	case *ast.CallExpr:
		t := key.Fun.(*ast.SelectorExpr).X.(*ast.CompositeLit).Type.(*ast.SelectorExpr)
		return imports[t.X.(*ast.Ident).Name] + "." + t.Sel.Name
	}
	return ""
}

// openAPIName returns the OpenAPI name of a Go type, in which the domain is reversed:
// io.k8s.api.core.v1.Pod.
func openAPIName(goType string) string {
	domain, rest, _ := strings.Cut(goType, "/")
	labels := strings.Split(domain, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(rest, "/", ".")
}

// firstSchema returns the first schema of a function, which is that of OpenAPI v3.
func firstSchema(f *ast.FuncDecl) *ast.CompositeLit {
	var found *ast.CompositeLit
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && found == nil {
			if t, ok := lit.Type.(*ast.SelectorExpr); ok && t.Sel.Name == "Schema" {
				found = lit
			}
		}
		return found == nil
	})
	return found
}

// addTo adds the enums of a type, and the descriptions of their values, to its published
// schema.
func (e enumSchemas) addTo(name string, s document.Value) (document.Value, error) {
	declared := e[name]
	if declared == nil {
		return s, fmt.Errorf("the Go source of the schemas has no %s", name)
	}
	s, err := withEnums(s, declared)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// withEnums adds the enums below a schema. Apart from the enumeration of values, the
// description in the Go source must be that of the document: they are of one version.
func withEnums(s document.Value, declared *ast.CompositeLit) (document.Value, error) {
	props, _ := member(declared, "SchemaProps").(*ast.CompositeLit)
	if props == nil {
		return s, nil
	}
	description := ""
	if lit, ok := member(props, "Description").(*ast.BasicLit); ok {
		var err error
		if description, err = strconv.Unquote(lit.Value); err != nil {
			return s, err
		}
	}
	plain, _, _ := strings.Cut(description, "\nPossible enum values:\n")
	if published := s.Get("description").StringOr(""); strings.TrimSpace(plain) != strings.TrimSpace(published) {
		return s, fmt.Errorf("description %q in the Go source, %q in the document", plain, published)
	}
	if enum, ok := member(props, "Enum").(*ast.CompositeLit); ok {
		var values document.ListBuilder
		for _, item := range enum.Elts {
			text, err := strconv.Unquote(item.(*ast.BasicLit).Value)
			if err != nil {
				return s, err
			}
			values.Append(document.NewString(text))
		}
		s = s.With("enum", values.List())
		if description != "" {
			s = s.With("description", document.NewString(description))
		}
	}
	for field, key := range map[string]string{"Items": "items", "AdditionalProperties": "additionalProperties"} {
		wrapped, ok := member(props, field).(*ast.UnaryExpr) // &spec.SchemaOrArray{Schema: &spec.Schema{…}}
		if !ok {
			continue
		}
		inner, ok := member(wrapped.X.(*ast.CompositeLit), "Schema").(*ast.UnaryExpr)
		if !ok {
			continue
		}
		changed, err := withEnums(s.Get(key), inner.X.(*ast.CompositeLit))
		if err != nil {
			return s, fmt.Errorf("%s: %w", key, err)
		}
		s = s.With(key, changed)
	}
	properties, ok := member(props, "Properties").(*ast.CompositeLit)
	if !ok {
		return s, nil
	}
	for _, p := range properties.Elts {
		entry := p.(*ast.KeyValueExpr)
		name, err := strconv.Unquote(entry.Key.(*ast.BasicLit).Value)
		if err != nil {
			return s, err
		}
		changed, err := withEnums(s.Get("properties").Get(name), entry.Value.(*ast.CompositeLit))
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		s = s.Set(changed, "properties", name)
	}
	return s, nil
}

// member returns the value of a field in a composite literal, nil if it is not set.
func member(lit *ast.CompositeLit, field string) ast.Expr {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == field {
				return kv.Value
			}
		}
	}
	return nil
}
