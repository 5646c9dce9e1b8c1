// Package inputs reads what commands work on: manifests in files, folders and kustomizations, objects of a
// cluster, definitions and policies, and the flags that select them.
package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// Flags select the input files of a command.
type Flags struct {
	Files     []string
	Kustomize string
	Recursive bool
	Exclude   excludeFlag
	Kubectl   KubectlFlags

	Command *cobra.Command // the command that reads them
	Live    string         // "" for none
	others  []string       // further objects of the cluster, if live is one
	// Folders are set if both inputs are folders with two versions of the same manifests, of which
	// either may be empty.
	Folders *VersionsOfFolder
}

// Add adds the flags to a command.
func (f *Flags) Add(c *cobra.Command) {
	f.Command = c
	first, second := argumentNames(c)
	flags := c.Flags()
	flags.StringSliceVarP(&f.Files, "filename", "f", nil, "file, folder, glob or - to read in place of "+second+" (repeatable)")
	flags.StringVarP(&f.Kustomize, "kustomize", "k", "", "kustomization directory to read in place of "+second+"; it is built with kustomize or kubectl")
	flags.BoolVarP(&f.Recursive, "recursive", "R", false, "process the folders of "+first+", "+second+" and -f recursively")
	f.Exclude.Add(c)
	f.Kubectl.Add(c)
}

// argumentNames returns the names of the two arguments in the usage of a command.
func argumentNames(c *cobra.Command) (first, second string) {
	words := strings.Fields(c.Use)
	return strings.Trim(words[1], "[]"), strings.Trim(words[2], "[]")
}

// Again returns the command for Markdown, with its arguments unless they are long, but without its summary and output.
func (f *Flags) Again(a *program.App, output string) string {
	const longest = 300
	command := a.CalledAs() + " " + f.Command.Name()
	full := command
	for _, arg := range f.Command.Flags().Args() {
		full += " " + program.ShellQuote(arg)
	}
	full += program.FlagsOf(f.Command, "summary", "output", "quiet", "exit-code", "color") + output
	if len(full) > longest || strings.ContainsFunc(full, func(r rune) bool { return r == '`' || !strconv.IsPrint(r) }) {
		return command + output
	}
	return full
}

// LiveArguments returns LIVE for another command that reads it, with the flags that concern it.
func (f *Flags) LiveArguments() string {
	var others []string
	f.Command.Flags().VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "namespace", "context", "kubeconfig", "recursive", "crd", "crds-from-cluster", "openapi", "kube-version":
		default:
			others = append(others, flag.Name)
		}
	})
	return program.ShellQuote(f.Live) + program.FlagsOf(f.Command, others...)
}

// Complete takes LIVE and PATCH from the arguments.
func (f *Flags) Complete(args []string) error {
	switch n := len(args); {
	case f.Kustomize != "" && len(f.Files) > 0:
		return program.Usage("-f and -k cannot be used together")
	case f.Kustomize != "" || len(f.Files) > 0:
		if n >= 2 {
			return program.Usage("the change is specified twice: as argument " + args[1] + " and with -f or -k" + severalFiles)
		}
	case n > 2:
		return program.Usage("'" + f.Command.CommandPath() + "' accepts two arguments, not " + strconv.Itoa(n) + severalFiles + "\nUsage: " + f.Command.UseLine())
	case n == 1 && f.Command.Name() == "explain" && looksLikeField(args[0]):
		return program.Usage("'" + f.Command.CommandPath() + "' explains a change, and requires the arguments LIVE and PATCH; for the fields of a kind, use: " + f.Command.Root().CommandPath() + " schema " + args[0])
	case n != 2:
		first, change := argumentNames(f.Command)
		instead := ""
		switch {
		case n == 1 && f.Command.Name() == "apply" && IsFile(args[0]):
			instead = "; to create the objects of the file, use: " + f.Command.CommandPath() + " -f " + program.ShellQuote(args[0])
		case n == 1 && f.Command.Name() == "explain":
			instead = "; for the owners of the fields of an object, use: " + f.Command.Root().CommandPath() + " blame " + program.ShellQuote(args[0])
		}
		return program.Usage("'" + f.Command.CommandPath() + "' requires the arguments " + first + " and " + change + ", or the change in -f or -k" + instead + "\nUsage: " + f.Command.UseLine())
	default:
		f.Files = args[1:]
	}
	if len(args) > 0 {
		if f.Live = args[0]; f.Live == "" { // not the same as an argument that is left out
			first, _ := argumentNames(f.Command)
			return program.Usage(first + " is empty" + program.UnsetVariable)
		}
	}
	stdin := 0
	for _, name := range append([]string{f.Live}, f.Files...) {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		first, second := argumentNames(f.Command)
		return program.Usage("only one of " + first + " and " + second + " can be standard input")
	}
	return nil
}

// IsFile reports whether an argument is the name of a file, and not of a folder.
func IsFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// looksLikeField reports whether an argument of explain is a field of a kind, as that of 'kubectl
// explain', and is not a file.
func looksLikeField(name string) bool {
	_, err := os.Stat(name)
	return err != nil && fieldOfKind.MatchString(name) && filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml" && filepath.Ext(name) != ".json"
}

// fieldOfKind matches KIND[.PATH]: deployment.spec.replicas
var fieldOfKind = regexp.MustCompile(`^[a-z]+(\.[A-Za-z]+)*$`)

// severalFiles is the advice for several files of changes, as when a shell expands a glob.
const severalFiles = "; repeat -f for several files, or put a glob in quotes"

// Documents are parsed documents that implement patchlab.Input.
type Documents []*document.Document

// Documents returns the documents.
func (d Documents) Documents() ([]*document.Document, error) { return d, nil }

// Objects returns the objects and patches among the documents.
func (d Documents) Objects() []manifest.Object { return manifest.Split(d...) }

// Within returns the number of documents in a file.
func (d Documents) Within(name string) int {
	n := 0
	for _, one := range d {
		if one.Position(one.Root).Name == name {
			n++
		}
	}
	return n
}

// Read reads the live objects and the changes. namespace is the namespace for objects from a
// cluster.
func (f *Flags) Read(ctx context.Context, a *program.App, namespace string) (live, changes Documents, err error) {
	return f.ReadBeside(ctx, a, namespace, func() (Documents, error) { return f.ReadChanges(ctx, a) })
}

// ReadBeside reads the live objects, and others with a function. If LIVE is an object of a cluster whose
// namespace no flag states, the others are read first, because they may state it.
func (f *Flags) ReadBeside(ctx context.Context, a *program.App, namespace string, read func() (Documents, error)) (live, others Documents, err error) {
	defer func() {
		if err == nil {
			f.Exclude.NoteUnused(a)
		}
	}()
	if namespace == "" && f.IsResource(f.Live) {
		if others, err = read(); err != nil {
			return nil, nil, err
		}
		live, err = f.ReadLive(ctx, a, f.namespaceIn(others))
		return live, others, err
	}
	if live, err = f.ReadLive(ctx, a, namespace); err != nil {
		return nil, nil, err
	}
	kept := OnlyObjects(a, live)
	if others, err = read(); err != nil {
		return nil, nil, err
	}
	return kept, withoutRefused(a, others, live), nil
}

// namespaceIn returns the namespace that manifests with the name of the live object state, as it is
// that of 'kubectl apply'. It returns "" if they state none or several.
func (f *Flags) namespaceIn(changes Documents) string {
	_, name, _ := strings.Cut(f.Live, "/")
	namespace := ""
	for _, o := range changes.Objects() {
		stated := NamespaceOf(o)
		if stated == "" || o.Value.Lookup("metadata", "name").StringOr("") != name {
			continue
		}
		if namespace != "" && namespace != stated {
			return ""
		}
		namespace = stated
	}
	return namespace
}

// ReadChanges reads the changes.
func (f *Flags) ReadChanges(ctx context.Context, a *program.App) (changes Documents, err error) {
	switch {
	case f.Kustomize != "" && f.Folders != nil:
		changes, err = f.Folders.readVersion(ctx, a, f.Kustomize)
	case f.Kustomize != "":
		changes, err = BuildKustomization(ctx, f.Kustomize)
	default:
		changes, err = ReadDocuments(a, f, document.DuplicatesLast, a.LeaveOutFile, f.Files...)
	}
	if err == nil {
		err = cmp.Or(refuseKustomization(changes), refuseUntypedItems(changes))
	}
	if err != nil {
		return nil, err
	}
	NoteDuplicates(a, changes, f.Folders)
	if f.Folders == nil && len(changes.Objects()) == 0 {
		return nil, errors.New(Names(f.Files) + f.Kustomize + ": no objects passed to " + f.Command.Name())
	}
	if f.Folders == nil {
		NoteTwice(a, changes.Objects(), "; both are processed, in this order")
		noteHooks(a, changes)
	}
	return changes, nil
}

// NoteDuplicates reports keys that a manifest has twice. Clients such as kubectl and Helm decode
// a manifest before they send it, so that the API server sees the last value only. (A patch is
// sent as it is.) Of two folders, those in a file that is the same in both are not reported.
func NoteDuplicates(a *program.App, changes Documents, folders *VersionsOfFolder) {
	for _, d := range changes {
		if len(d.Duplicates) == 0 || d.Root.Get("apiVersion").StringOr("") == "" || d.Root.Get("kind").StringOr("") == "" {
			continue
		}
		if file := d.PositionOf(nil).Name; folders != nil {
			if other, _ := folders.other(file); sameFiles(a, file, other) {
				d.Duplicates = nil
			}
		}
		for _, duplicate := range d.Duplicates {
			a.NoteOnce("Warning: " + duplicate.Position.String() + ": " + duplicate.Path.String() + " is specified twice; kubectl sends the last value")
		}
		d.Duplicates = nil
	}
}

// noteHooks reports the manifests of a rendered chart that are not part of the release: Helm deletes
// a hook and creates it again, so that a change that an apply would be refused for is no problem.
func noteHooks(a *program.App, changes Documents) {
	hooks := 0
	for _, o := range changes.Objects() {
		if o.Value.Lookup("metadata", "annotations", "helm.sh/hook").Exists() {
			hooks++
		}
	}
	if hooks > 0 {
		a.Note(terminal.Count(hooks, "manifest is a Helm hook, which Helm creates anew instead of applying it; 'helm template --no-hooks' leaves it out",
			"manifests are Helm hooks, which Helm creates anew instead of applying them; 'helm template --no-hooks' leaves them out"))
	}
}

// Names lists inputs for a message: a.yaml, standard input
func Names(names []string) string {
	shown := slices.Clone(names)
	for i, name := range shown {
		if name == "-" {
			shown[i] = "standard input"
		}
	}
	return strings.Join(shown, ", ")
}

// ReadLive reads the live objects; namespace is that of objects of a cluster.
func (f *Flags) ReadLive(ctx context.Context, a *program.App, namespace string) (Documents, error) {
	switch {
	case f.Live == "":
		return nil, nil
	case f.IsResource(f.Live):
		live, err := f.Kubectl.Get(ctx, f.Live, namespace)
		if err == nil && len(live.Objects()) == 0 {
			if len(f.others) > 0 {
				return nil, errors.New(NotFound(f.Live, namespace))
			}
			a.Note(NotFound(f.Live, namespace))
		}
		for _, name := range f.others {
			if err != nil {
				break
			}
			var next Documents
			if next, err = f.Kubectl.Get(ctx, name, namespace); err == nil && len(next.Objects()) == 0 {
				err = errors.New(NotFound(name, namespace))
			}
			live = append(live, next...)
		}
		return live, err
	}
	if f.Folders != nil && f.Folders.built {
		return f.Folders.readVersion(ctx, a, f.Live)
	}
	noteShadowed(a, f.Live)
	if f.Folders != nil {
		live, err := ReadDocuments(a, f, document.DuplicatesLast, a.LeaveOutFile, f.Live)
		NoteDuplicates(a, live, f.Folders)
		return live, err
	}
	live, err := ReadDocuments(a, f, document.DuplicatesRefused, nil, f.Live)
	err = WithResourceAdvice(f.Live, err)
	if err == nil && len(live.Objects()) == 0 {
		a.Note(Names([]string{f.Live}) + " contains no live objects")
	}
	NoteTwice(a, live.Objects(), ", which is used")
	return live, err
}

// NoteTwice reports objects that an input has twice with other contents, as in several dumps of a
// folder, or in a chart and an overlay of it. Two states of one object, of which the later is used, are not
// reported. consequence is the part of the message about what happens to the others.
func NoteTwice(a *program.App, objects []manifest.Object, consequence string) {
	const most = 5
	first := map[SameName]manifest.Object{}
	n := 0
	for _, o := range objects {
		key := SameNameOf(o)
		if key.Kind == "" || key.name == "" {
			continue
		}
		if earlier, twice := first[key]; twice && !document.Equal(o.Value, earlier.Value) && !statesOfOne(o.Value, earlier.Value) {
			if n++; n <= most {
				a.Note("Warning: " + o.Position().String() + ": " + key.Kind + " " + key.name + " is also at " + earlier.Position().String() + consequence)
			}
		} else if !twice {
			first[key] = o
		}
	}
	if n > most {
		a.Note("Warning: " + terminal.Count(n-most, "more object is", "more objects are") + " in the input twice")
	}
}

// statesOfOne reports whether two objects of a name have the same uid.
func statesOfOne(a, b document.Value) bool {
	uid := a.Lookup("metadata", "uid").StringOr("")
	return uid != "" && uid == b.Lookup("metadata", "uid").StringOr("")
}

// NotFound describes an object that a cluster does not have.
func NotFound(resource, namespace string) string {
	if namespace == "" {
		return resource + " was not found; without --namespace, kubectl reads the namespace of its context"
	}
	return resource + " was not found in namespace " + namespace
}

// resourceName matches KIND/NAME: deployment/web, widgets.example.com/a.
var resourceName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[a-z0-9][a-z0-9.:-]*$`)

// IsResource reports whether LIVE is an object of a cluster rather than a file. A file or folder that
// exists takes precedence, since a path such as manifests/web has the same form.
func IsResource(name string) bool {
	if _, err := os.Stat(name); err == nil || !resourceName.MatchString(name) {
		return false
	}
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return false
	}
	return true
}

// IsResource reports whether an input is an object of a cluster. Two folders may have such names.
func (f *Flags) IsResource(name string) bool { return f.Folders == nil && IsResource(name) }

// WithResourceAdvice adds to the error of an input that is not a file how an object of a cluster is named,
// if the name could be that of a kind, as in 'kubectl get deployment web'.
func WithResourceAdvice(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || !kindName.MatchString(name) {
		return err
	}
	if _, found := os.Stat(name); found == nil { // the file that does not exist is a link in this folder
		return err
	}
	return fmt.Errorf("%w; an object of a cluster is named KIND/NAME, such as %s/NAME", err, name)
}

// kindName matches names of kinds and resources without a group.
var kindName = regexp.MustCompile(`^[A-Za-z]+$`)

// ReadDocuments reads files and reports the skipped documents. unread is called for
// files of a directory that cannot be parsed; with nil they are an error.
func ReadDocuments(a *program.App, f *Flags, d document.Duplicates, unread func(string, error), names ...string) (Documents, error) {
	source := Source(a)
	source.Recursive, source.Duplicates, source.Unread = f.Recursive, d, unread
	f.Exclude.apply(source)
	if f.Folders != nil {
		source.Encrypted = true
		source.Unread = func(file string, err error) { f.Folders.unread = append(f.Folders.unread, unreadFile{file, err}) }
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			missing := !isFolder(name)
			if missing {
				noteMissing(a, name)
			}
			return missing
		})
		source.Empty = func(dir string) { a.Note(dir + " has no .yaml, .yml or .json file") }
	}
	if f.Command != nil && f.Command.Flags().Lookup("exclude") != nil && source.Unread != nil {
		report, folders := source.Unread, names
		source.Unread = func(file string, err error) { report(file, f.Exclude.advised(folders, file, err)) }
	}
	if f.Command != nil && f.Command.Flags().Lookup("recursive") != nil {
		source.RecursiveFlag = "-R"
		source.Shallow = func(dir string) { a.Note("the folders within " + dir + " are not read; -R reads them") }
	}
	docs, skipped, err := source.Documents(names...)
	if err != nil {
		return nil, err
	}
	if f.Folders == nil {
		NoteSkipped(a, f, skipped)
	} else { // they are reported with those of the other folder
		f.Folders.skipped = append(f.Folders.skipped, skipped...)
	}
	return docs, nil
}

// refuseKustomization returns an error if a file that was named by itself is a kustomization.
// Those in folders are skipped.
func refuseKustomization(docs Documents) error {
	for _, o := range docs.Objects() {
		if at := o.Position(); manifest.IsKustomization(o.Document) {
			return fmt.Errorf("%s: a kustomization is not sent to the API server; build it with -k %s", at, filepath.Dir(at.Name))
		}
	}
	return nil
}

// refuseUntypedItems returns an error if an item of a List is not a manifest. As a document, it could be a
// patch; kubectl refuses the List.
func refuseUntypedItems(docs Documents) error {
	for _, o := range docs.Objects() {
		if len(o.At) > 0 && !o.Typed() {
			return fmt.Errorf("%s: an item of a List requires apiVersion and kind", o.Position())
		}
	}
	return nil
}

// Source returns the reader for input files.
func Source(a *program.App) *manifest.Source { return &manifest.Source{Contents: a.Read} }

// ReadCRDs reads the CustomResourceDefinitions that are wanted, all if wanted is nil, and reports other
// documents in the files.
func ReadCRDs(a *program.App, names []string, wanted func(crd manifest.Object) bool) ([]manifest.Object, error) {
	source := Source(a)
	source.Wanted = wanted
	source.Unread = func(_ string, err error) { a.Note("Warning: --crd: " + err.Error()) }
	source.Replaced = func(earlier, later manifest.Object) {
		a.Note("Warning: --crd: " + earlier.Position().String() + " is not used, because " + later.Position().String() + " defines the same kind differently")
	}
	crds, skipped, err := source.CRDs(names...)
	if err != nil {
		return nil, err
	}
	if skipped > 0 {
		a.Note(fmt.Sprintf("--crd: %s skipped", terminal.Count(skipped, "document that is not a CustomResourceDefinition", "documents that are not CustomResourceDefinitions")))
	}
	return crds, nil
}

// addCRDs adds the kinds of CustomResourceDefinitions to a registry.
func addCRDs(r *schema.Registry, crds []manifest.Object) error {
	for _, o := range crds {
		crd, err := manifest.CRD(o)
		if err != nil {
			return err
		}
		r.AddCRD(crd)
	}
	return nil
}
