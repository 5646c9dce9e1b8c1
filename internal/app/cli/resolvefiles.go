package cli

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
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

// text joins the documents of a file without those that are left out.
func (f *sourceFile) text(bodies []string, out map[int]bool) string {
	var b strings.Builder
	for i, body := range bodies {
		if !out[i] {
			b.WriteString(f.heads[i] + body)
		}
	}
	return b.String()
}

// source returns the file of a manifest and the index of its document. A manifest that is in no file
// gets the name.
func (r *resolving) source(o manifest.Object, name string) (*sourceFile, int) {
	at := o.Document.Position(o.Document.Root)
	if r.o.inputs.Kustomize != "" { // printed by kubectl or kustomize: one document per manifest
		return ofDocument(name, o), 0
	}
	f, known := r.sources[at.Name]
	if !known {
		if text, ok := r.text(at.Name); ok {
			f = splitFile(at.Name, text)
		}
		if f != nil && len(f.bodies) == 1 && r.changes.Within(at.Name) > 1 {
			f = nil // JSON objects that follow each other
		}
		r.sources[at.Name] = f
	}
	if f == nil { // one document per manifest
		return ofDocument(at.Name, o), 0
	}
	n, _ := slices.BinarySearch(f.starts, at.Line+1)
	return f, max(0, n-1)
}

// ofDocument returns a file with the document of a manifest alone.
func ofDocument(name string, o manifest.Object) *sourceFile {
	return &sourceFile{name: name, heads: []string{""}, bodies: []string{string(o.Document.Root.YAML())}, starts: []int{1}}
}

// files returns the files of all manifests after rewriting, without those that were refused:
// kubectl would apply them unresolved.
func (r *resolving) files() []rewrittenFile {
	var order []*sourceFile
	bodies, out := map[*sourceFile][]string{}, map[*sourceFile]map[int]bool{}
	for i := range r.resolved {
		f, n := r.source(r.resolved[i].Object, results.FileName(r.resolved[i].Target))
		if bodies[f] == nil {
			order = append(order, f)
			bodies[f], out[f] = slices.Clone(f.bodies), map[int]bool{}
		}
		bodies[f][n] = r.rewrite(bodies[f][n], &r.resolved[i], r.resolved[i].Config)
	}
	for _, o := range slices.Backward(r.refused) { // so that indices of items remain valid
		f, n := r.source(o, "")
		switch {
		case bodies[f] == nil || r.o.output == "diff":
		case len(o.At) == 0:
			out[f][n] = true
		default:
			bodies[f][n] = r.withoutItem(bodies[f][n], o)
		}
	}
	var files []rewrittenFile
	for _, f := range order {
		files = append(files, rewrittenFile{f.name, f.text(f.bodies, nil), f.text(bodies[f], out[f])})
	}
	return files
}

// rewrite replaces a manifest in a document by the resolved one. Other items of the same List
// may have been resolved before.
func (r *resolving) rewrite(text string, one *resolved, config document.Value) string {
	if document.SameNode(config, one.Value) {
		return text
	}
	if len(one.At) == 0 {
		return r.replace(text, one.Object, config)
	}
	now, ok := onlyDocument(text)
	if !ok {
		return text
	}
	root, err := now.SetAt(one.At, config)
	if err != nil {
		return text
	}
	return r.replace(text, one.Object, root)
}

// withoutItem removes an item from the List in a document.
func (r *resolving) withoutItem(text string, o manifest.Object) string {
	now, ok := onlyDocument(text)
	at, last := o.At[:len(o.At)-1], o.At[len(o.At)-1]
	index, isItem := last.Index()
	if !ok || !isItem {
		return text
	}
	var kept []document.Value
	for i, item := range now.Follow(at).Items() {
		if i != index {
			kept = append(kept, item)
		}
	}
	root, err := now.SetAt(at, document.NewList(kept...))
	if err != nil {
		return text
	}
	return r.replace(text, o, root)
}

// onlyDocument parses a text with one document.
func onlyDocument(text string) (document.Value, bool) {
	docs, err := document.Read([]byte(text), document.Options{MaxBytes: manifest.MaxBytes, Duplicates: document.DuplicatesLast})
	if err != nil || len(docs) != 1 {
		return document.Value{}, false
	}
	return docs[0].Root, true
}

// replace replaces the value of a document, in which the object is, and keeps its comments if that
// is possible.
func (r *resolving) replace(text string, o manifest.Object, root document.Value) string {
	out, err := manifest.Rewrite(text, 0, root)
	if err == nil {
		return out
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return string(results.Indent(root))
	}
	r.app.NoteOnce(o.Position().String() + ": the manifest cannot be edited in place and is printed without its comments: " + err.Error())
	return string(root.YAML())
}
