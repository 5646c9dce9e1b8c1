package cli

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
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// inputFlags select the input files of a command.
type inputFlags struct {
	files     []string
	kustomize string
	recursive bool
	exclude   excludeFlag
	kubectl   kubectlFlags

	command *cobra.Command // the command that reads them
	live    string         // "" for none
	others  []string       // further objects of the cluster, if live is one
	// folders are set if both inputs are folders with two versions of the same manifests, of which
	// either may be empty.
	folders *versionsOfFolder
}

func (f *inputFlags) add(c *cobra.Command) {
	f.command = c
	first, second := argumentNames(c)
	flags := c.Flags()
	flags.StringSliceVarP(&f.files, "filename", "f", nil, "file, folder, glob or - to read in place of "+second+" (repeatable)")
	flags.StringVarP(&f.kustomize, "kustomize", "k", "", "kustomization directory to read in place of "+second+"; it is built with kustomize or kubectl")
	flags.BoolVarP(&f.recursive, "recursive", "R", false, "process the folders of "+first+", "+second+" and -f recursively")
	f.exclude.add(c)
	f.kubectl.add(c)
}

// argumentNames returns the names of the two arguments in the usage of a command.
func argumentNames(c *cobra.Command) (first, second string) {
	words := strings.Fields(c.Use)
	return strings.Trim(words[1], "[]"), strings.Trim(words[2], "[]")
}

// again returns the command for Markdown, with its arguments unless they are long, but without its summary and output.
func (f *inputFlags) again(a *App, output string) string {
	const longest = 300
	command := a.program() + " " + f.command.Name()
	full := command
	for _, arg := range f.command.Flags().Args() {
		full += " " + shellQuote(arg)
	}
	full += flagsOf(f.command, "summary", "output", "quiet", "exit-code", "color") + output
	if len(full) > longest || strings.ContainsFunc(full, func(r rune) bool { return r == '`' || !strconv.IsPrint(r) }) {
		return command + output
	}
	return full
}

// liveArguments returns LIVE for another command that reads it, with the flags that concern it.
func (f *inputFlags) liveArguments() string {
	var others []string
	f.command.Flags().VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "namespace", "context", "kubeconfig", "recursive", "crd", "crds-from-cluster", "openapi", "kube-version":
		default:
			others = append(others, flag.Name)
		}
	})
	return shellQuote(f.live) + flagsOf(f.command, others...)
}

// complete takes LIVE and PATCH from the arguments.
func (f *inputFlags) complete(args []string) error {
	switch n := len(args); {
	case f.kustomize != "" && len(f.files) > 0:
		return usage("-f and -k cannot be used together")
	case f.kustomize != "" || len(f.files) > 0:
		if n >= 2 {
			return usage("the change is specified twice: as argument " + args[1] + " and with -f or -k" + severalFiles)
		}
	case n > 2:
		return usage("'" + f.command.CommandPath() + "' accepts two arguments, not " + strconv.Itoa(n) + severalFiles + "\nUsage: " + f.command.UseLine())
	case n == 1 && f.command.Name() == "explain" && looksLikeField(args[0]):
		return usage("'" + f.command.CommandPath() + "' explains a change, and requires the arguments LIVE and PATCH; for the fields of a kind, use: " + f.command.Root().CommandPath() + " schema " + args[0])
	case n != 2:
		first, change := argumentNames(f.command)
		instead := ""
		switch {
		case n == 1 && f.command.Name() == "apply" && isFile(args[0]):
			instead = "; to create the objects of the file, use: " + f.command.CommandPath() + " -f " + shellQuote(args[0])
		case n == 1 && f.command.Name() == "explain":
			instead = "; for the owners of the fields of an object, use: " + f.command.Root().CommandPath() + " blame " + shellQuote(args[0])
		}
		return usage("'" + f.command.CommandPath() + "' requires the arguments " + first + " and " + change + ", or the change in -f or -k" + instead + "\nUsage: " + f.command.UseLine())
	default:
		f.files = args[1:]
	}
	if len(args) > 0 {
		if f.live = args[0]; f.live == "" { // not the same as an argument that is left out
			first, _ := argumentNames(f.command)
			return usage(first + " is empty" + unsetVariable)
		}
	}
	stdin := 0
	for _, name := range append([]string{f.live}, f.files...) {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		first, second := argumentNames(f.command)
		return usage("only one of " + first + " and " + second + " can be standard input")
	}
	return nil
}

// isFile reports whether an argument is the name of a file, and not of a folder.
func isFile(name string) bool {
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

// documents are parsed documents that implement patchlab.Input.
type documents []*document.Document

// Documents returns the documents.
func (d documents) Documents() ([]*document.Document, error) { return d, nil }

// objects returns the objects and patches among the documents.
func (d documents) objects() []manifest.Object { return manifest.Split(d...) }

// within returns the number of documents in a file.
func (d documents) within(name string) int {
	n := 0
	for _, one := range d {
		if one.Position(one.Root).Name == name {
			n++
		}
	}
	return n
}

// read reads the live objects and the changes. namespace is the namespace for objects from a
// cluster.
func (f *inputFlags) read(ctx context.Context, a *App, namespace string) (live, changes documents, err error) {
	return f.readBeside(ctx, a, namespace, func() (documents, error) { return f.readChanges(ctx, a) })
}

// readBeside reads the live objects, and others with a function. If LIVE is an object of a cluster whose
// namespace no flag states, the others are read first, because they may state it.
func (f *inputFlags) readBeside(ctx context.Context, a *App, namespace string, read func() (documents, error)) (live, others documents, err error) {
	defer func() {
		if err == nil {
			f.exclude.noteUnused(a)
		}
	}()
	if namespace == "" && f.isResource(f.live) {
		if others, err = read(); err != nil {
			return nil, nil, err
		}
		live, err = f.readLive(ctx, a, f.namespaceIn(others))
		return live, others, err
	}
	if live, err = f.readLive(ctx, a, namespace); err != nil {
		return nil, nil, err
	}
	kept := a.onlyObjects(live)
	if others, err = read(); err != nil {
		return nil, nil, err
	}
	return kept, a.withoutRefused(others, live), nil
}

// namespaceIn returns the namespace that manifests with the name of the live object state, as it is
// that of 'kubectl apply'. It returns "" if they state none or several.
func (f *inputFlags) namespaceIn(changes documents) string {
	_, name, _ := strings.Cut(f.live, "/")
	namespace := ""
	for _, o := range changes.objects() {
		stated := namespaceOf(o)
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

// readChanges reads the changes.
func (f *inputFlags) readChanges(ctx context.Context, a *App) (changes documents, err error) {
	switch {
	case f.kustomize != "" && f.folders != nil:
		changes, err = f.folders.readVersion(ctx, a, f.kustomize)
	case f.kustomize != "":
		changes, err = a.kustomize(ctx, f.kustomize)
	default:
		changes, err = a.documents(f, document.DuplicatesLast, a.leaveOutFile, f.files...)
	}
	if err == nil {
		err = cmp.Or(refuseKustomization(changes), refuseUntypedItems(changes))
	}
	if err != nil {
		return nil, err
	}
	a.noteDuplicates(changes, f.folders)
	if f.folders == nil && len(changes.objects()) == 0 {
		return nil, errors.New(inputNames(f.files) + f.kustomize + ": no objects passed to " + f.command.Name())
	}
	if f.folders == nil {
		a.noteTwice(changes.objects(), "; both are processed, in this order")
		a.noteHooks(changes)
	}
	return changes, nil
}

// noteDuplicates reports keys that a manifest has twice. Clients such as kubectl and Helm decode
// a manifest before they send it, so that the API server sees the last value only. (A patch is
// sent as it is.) Of two folders, those in a file that is the same in both are not reported.
func (a *App) noteDuplicates(changes documents, folders *versionsOfFolder) {
	for _, d := range changes {
		if len(d.Duplicates) == 0 || d.Root.Get("apiVersion").StringOr("") == "" || d.Root.Get("kind").StringOr("") == "" {
			continue
		}
		if file := d.PositionOf(nil).Name; folders != nil {
			if other, _ := folders.other(file); a.sameFiles(file, other) {
				d.Duplicates = nil
			}
		}
		for _, duplicate := range d.Duplicates {
			a.noteOnce("Warning: " + duplicate.Position.String() + ": " + duplicate.Path.String() + " is specified twice; kubectl sends the last value")
		}
		d.Duplicates = nil
	}
}

// noteHooks reports the manifests of a rendered chart that are not part of the release: Helm deletes
// a hook and creates it again, so that a change that an apply would be refused for is no problem.
func (a *App) noteHooks(changes documents) {
	hooks := 0
	for _, o := range changes.objects() {
		if o.Value.Lookup("metadata", "annotations", "helm.sh/hook").Exists() {
			hooks++
		}
	}
	if hooks > 0 {
		a.note(count(hooks, "manifest is a Helm hook, which Helm creates anew instead of applying it; 'helm template --no-hooks' leaves it out",
			"manifests are Helm hooks, which Helm creates anew instead of applying them; 'helm template --no-hooks' leaves them out"))
	}
}

// inputNames lists inputs for a message: a.yaml, standard input
func inputNames(names []string) string {
	shown := slices.Clone(names)
	for i, name := range shown {
		if name == "-" {
			shown[i] = "standard input"
		}
	}
	return strings.Join(shown, ", ")
}

func (f *inputFlags) readLive(ctx context.Context, a *App, namespace string) (documents, error) {
	switch {
	case f.live == "":
		return nil, nil
	case f.isResource(f.live):
		live, err := f.kubectl.get(ctx, f.live, namespace)
		if err == nil && len(live.objects()) == 0 {
			if len(f.others) > 0 {
				return nil, errors.New(notFound(f.live, namespace))
			}
			a.note(notFound(f.live, namespace))
		}
		for _, name := range f.others {
			if err != nil {
				break
			}
			var next documents
			if next, err = f.kubectl.get(ctx, name, namespace); err == nil && len(next.objects()) == 0 {
				err = errors.New(notFound(name, namespace))
			}
			live = append(live, next...)
		}
		return live, err
	}
	if f.folders != nil && f.folders.built {
		return f.folders.readVersion(ctx, a, f.live)
	}
	a.noteShadowed(f.live)
	if f.folders != nil {
		live, err := a.documents(f, document.DuplicatesLast, a.leaveOutFile, f.live)
		a.noteDuplicates(live, f.folders)
		return live, err
	}
	live, err := a.documents(f, document.DuplicatesRefused, nil, f.live)
	err = withResourceAdvice(f.live, err)
	if err == nil && len(live.objects()) == 0 {
		a.note(inputNames([]string{f.live}) + " contains no live objects")
	}
	a.noteTwice(live.objects(), ", which is used")
	return live, err
}

// noteTwice reports objects that an input has twice with other contents, as in several dumps of a
// folder, or in a chart and an overlay of it. Two states of one object, of which the later is used, are not
// reported. consequence is the part of the message about what happens to the others.
func (a *App) noteTwice(objects []manifest.Object, consequence string) {
	const most = 5
	first := map[sameName]manifest.Object{}
	n := 0
	for _, o := range objects {
		key := sameNameOf(o)
		if key.kind == "" || key.name == "" {
			continue
		}
		if earlier, twice := first[key]; twice && !document.Equal(o.Value, earlier.Value) && !statesOfOne(o.Value, earlier.Value) {
			if n++; n <= most {
				a.note("Warning: " + o.Position().String() + ": " + key.kind + " " + key.name + " is also at " + earlier.Position().String() + consequence)
			}
		} else if !twice {
			first[key] = o
		}
	}
	if n > most {
		a.note("Warning: " + count(n-most, "more object is", "more objects are") + " in the input twice")
	}
}

// statesOfOne reports whether two objects of a name have the same uid.
func statesOfOne(a, b document.Value) bool {
	uid := a.Lookup("metadata", "uid").StringOr("")
	return uid != "" && uid == b.Lookup("metadata", "uid").StringOr("")
}

// notFound describes an object that a cluster does not have.
func notFound(resource, namespace string) string {
	if namespace == "" {
		return resource + " was not found; without --namespace, kubectl reads the namespace of its context"
	}
	return resource + " was not found in namespace " + namespace
}

// leaveOut reports a file with changes that cannot be parsed. The command processes the other
// files and then fails.
func (a *App) leaveOut(err error) {
	a.unread = append(a.unread, err.Error())
	a.fail(err.Error())
}

// leaveOutFile is leaveOut for the reader of files.
func (a *App) leaveOutFile(_ string, err error) { a.leaveOut(err) }

// resourceName matches KIND/NAME: deployment/web, widgets.example.com/a.
var resourceName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[a-z0-9][a-z0-9.:-]*$`)

// isResource reports whether LIVE is an object of a cluster rather than a file. A file or folder that
// exists takes precedence, since a path such as manifests/web has the same form.
func isResource(name string) bool {
	if _, err := os.Stat(name); err == nil || !resourceName.MatchString(name) {
		return false
	}
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return false
	}
	return true
}

// isResource reports whether an input is an object of a cluster. Two folders may have such names.
func (f *inputFlags) isResource(name string) bool { return f.folders == nil && isResource(name) }

// withResourceAdvice adds to the error of an input that is not a file how an object of a cluster is named,
// if the name could be that of a kind, as in 'kubectl get deployment web'.
func withResourceAdvice(name string, err error) error {
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

// documents reads files and reports the skipped documents. unread is called for
// files of a directory that cannot be parsed; with nil they are an error.
func (a *App) documents(f *inputFlags, d document.Duplicates, unread func(string, error), names ...string) (documents, error) {
	source := a.source()
	source.Recursive, source.Duplicates, source.Unread = f.recursive, d, unread
	f.exclude.apply(source)
	if f.folders != nil {
		source.Encrypted = true
		source.Unread = func(file string, err error) { f.folders.unread = append(f.folders.unread, unreadFile{file, err}) }
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			missing := !isFolder(name)
			if missing {
				a.noteMissing(name)
			}
			return missing
		})
		source.Empty = func(dir string) { a.note(dir + " has no .yaml, .yml or .json file") }
	}
	if f.command != nil && f.command.Flags().Lookup("exclude") != nil && source.Unread != nil {
		report, folders := source.Unread, names
		source.Unread = func(file string, err error) { report(file, f.exclude.advised(folders, file, err)) }
	}
	if f.command != nil && f.command.Flags().Lookup("recursive") != nil {
		source.RecursiveFlag = "-R"
		source.Shallow = func(dir string) { a.note("the folders within " + dir + " are not read; -R reads them") }
	}
	docs, skipped, err := source.Documents(names...)
	if err != nil {
		return nil, err
	}
	if f.folders == nil {
		a.noteSkipped(f, skipped)
	} else { // they are reported with those of the other folder
		f.folders.skipped = append(f.folders.skipped, skipped...)
	}
	return docs, nil
}

// refuseKustomization returns an error if a file that was named by itself is a kustomization.
// Those in folders are skipped.
func refuseKustomization(docs documents) error {
	for _, o := range docs.objects() {
		if at := o.Position(); manifest.IsKustomization(o.Document) {
			return fmt.Errorf("%s: a kustomization is not sent to the API server; build it with -k %s", at, filepath.Dir(at.Name))
		}
	}
	return nil
}

// refuseUntypedItems returns an error if an item of a List is not a manifest. As a document, it could be a
// patch; kubectl refuses the List.
func refuseUntypedItems(docs documents) error {
	for _, o := range docs.objects() {
		if len(o.At) > 0 && !o.Typed() {
			return fmt.Errorf("%s: an item of a List requires apiVersion and kind", o.Position())
		}
	}
	return nil
}

// source returns the reader for input files.
func (a *App) source() *manifest.Source { return &manifest.Source{Contents: a.read} }

// crds reads the CustomResourceDefinitions that are wanted, all if wanted is nil, and reports other
// documents in the files.
func (a *App) crds(names []string, wanted func(crd manifest.Object) bool) ([]manifest.Object, error) {
	source := a.source()
	source.Wanted = wanted
	source.Unread = func(_ string, err error) { a.note("Warning: --crd: " + err.Error()) }
	source.Replaced = func(earlier, later manifest.Object) {
		a.note("Warning: --crd: " + earlier.Position().String() + " is not used, because " + later.Position().String() + " defines the same kind differently")
	}
	crds, skipped, err := source.CRDs(names...)
	if err != nil {
		return nil, err
	}
	if skipped > 0 {
		a.note(fmt.Sprintf("--crd: %s skipped", count(skipped, "document that is not a CustomResourceDefinition", "documents that are not CustomResourceDefinitions")))
	}
	return crds, nil
}

// count formats a number with the singular or plural of a noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
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
