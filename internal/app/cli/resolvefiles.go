package cli

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// rewrittenFile is a file with its resolved manifests.
type rewrittenFile struct{ name, before, after string }

// sourceFile is the text of a file by document, so that changing one does not require parsing
// all.
type sourceFile struct {
	name   string
	heads  []string // the lines that begin with ---, before each document
	bodies []string
	starts []int // line numbers of the bodies, from 1
}

func splitFile(name, text string) *sourceFile {
	f := &sourceFile{name: name, heads: []string{""}, starts: []int{1}}
	number, from, at := 0, 0, 0 // from and at are the offsets of the body and of the line
	for line := range strings.Lines(text) {
		number++
		if mark := strings.TrimRight(line, " \r\n"); mark == "---" || strings.HasPrefix(line, "--- ") {
			f.heads, f.bodies, f.starts = append(f.heads, line), append(f.bodies, text[from:at]), append(f.starts, number+1)
			from = at + len(line)
		}
		at += len(line)
	}
	f.bodies = append(f.bodies, text[from:])
	return f
}

// text joins the documents of a file.
func (f *sourceFile) text(bodies []string) string {
	var b strings.Builder
	for i, body := range bodies {
		b.WriteString(f.heads[i] + body)
	}
	return b.String()
}

// source returns the file of a manifest and the index of its document.
func (r *resolving) source(one *resolved) (*sourceFile, int) {
	at := one.Document.Position(one.Document.Root)
	if r.o.inputs.kustomize != "" { // printed by kubectl or kustomize: one document per manifest
		return &sourceFile{name: fileName(one.Target), heads: []string{""}, bodies: []string{string(one.Document.Root.YAML())}, starts: []int{1}}, 0
	}
	f, known := r.sources[at.Name]
	if !known {
		if text, ok := r.text(at.Name); ok {
			f = splitFile(at.Name, text)
		}
		if f != nil && len(f.bodies) == 1 && r.changes.within(at.Name) > 1 {
			f = nil // JSON objects that follow each other
		}
		r.sources[at.Name] = f
	}
	if f == nil { // one document per manifest
		f = &sourceFile{name: at.Name, heads: []string{""}, bodies: []string{string(one.Document.Root.YAML())}, starts: []int{1}}
		return f, 0
	}
	n, _ := slices.BinarySearch(f.starts, at.Line+1)
	return f, max(0, n-1)
}

// files returns the files of all manifests after rewriting.
func (r *resolving) files() []rewrittenFile {
	var order []*sourceFile
	bodies := map[*sourceFile][]string{}
	for i := range r.resolved {
		f, n := r.source(&r.resolved[i])
		if bodies[f] == nil {
			order = append(order, f)
			bodies[f] = slices.Clone(f.bodies)
		}
		bodies[f][n] = r.rewrite(bodies[f][n], &r.resolved[i], r.resolved[i].Config)
	}
	var files []rewrittenFile
	for _, f := range order {
		files = append(files, rewrittenFile{f.name, f.text(f.bodies), f.text(bodies[f])})
	}
	return files
}

// rewrite replaces a manifest in a document by the resolved one. Other items of the same List
// may have been resolved before.
func (r *resolving) rewrite(text string, one *resolved, config document.Value) string {
	if document.SameNode(config, one.Value) {
		return text
	}
	root := config
	if len(one.At) > 0 {
		now, err := document.Read([]byte(text), document.Options{MaxBytes: manifest.MaxBytes, Duplicates: document.DuplicatesLast})
		if err != nil || len(now) != 1 {
			return text
		}
		if root, err = now[0].Root.SetAt(one.At, config); err != nil {
			return text
		}
	}
	out, err := manifest.Rewrite(text, 0, root)
	if err == nil {
		return out
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return string(indent(root))
	}
	r.app.noteOnce(one.Position().String() + ": the manifest cannot be edited in place and is printed without its comments: " + err.Error())
	return string(root.YAML())
}
