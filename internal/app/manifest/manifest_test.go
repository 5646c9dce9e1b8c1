package manifest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// names formats objects as kind/name@line.
func names(objects []manifest.Object) string {
	var out []string
	for _, o := range objects {
		at := o.Position()
		out = append(out, o.Kind()+"/"+o.Value.Lookup("metadata", "name").StringOr("")+"@"+strings.TrimPrefix(at.String(), at.Name+":"))
	}
	return strings.Join(out, " ")
}

func TestSplitDocuments(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"two documents", "kind: A\nmetadata: {name: x}\n---\nkind: B\nmetadata: {name: z}\n", "A/x@1:1 B/z@4:1"},
		{"documents without content", "---\n---\n# a comment\n---\nkind: A\n---\n", "A/@5:1"},
		{"lines that end in CR LF", "kind: A\r\nmetadata:\r\n  name: x\r\n---\r\nkind: B\r\n", "A/x@1:1 B/@5:1"},
		{"a byte order mark", "\ufeffkind: A\nmetadata: {name: x}\n", "A/x@1:1"},
		{"anchors and merge keys", "kind: A\nmetadata: &m {name: x}\nother: {<<: *m}\n", "A/x@1:1"},
		{"a List", "kind: List\napiVersion: v1\nitems:\n- kind: A\n  metadata: {name: x}\n- kind: B\n", "A/x@4:3 B/@6:3"},
		{"a typed list whose items have no kind", `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"x"}}]}`, "ConfigMap/x@1:52"},
		{"a list in a List", "kind: List\nitems:\n- kind: RoleList\n  items:\n  - {metadata: {name: x}}\n", "Role/x@5:5"},
		{"an empty List", "kind: List\nitems: []\n", ""},
		{"a List with null for the items", "kind: List\napiVersion: v1\nitems:\n", ""},
		{"an object whose kind ends in List", "kind: AllowList\nmetadata: {name: x}\nitems: [1]\n", "AllowList/x@1:1"},
		{"a JSON patch", "[{\"op\":\"remove\",\"path\":\"/a\"}]", "/@1:1"},
		{"an empty input", "", ""},
		{"white space and a comment", "\n  \n# nothing\n", ""},
	} {
		docs, err := manifest.Parse("f", []byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if got := names(manifest.Split(docs...)); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestListItemsInheritTypeFromList checks that a list item without a kind gets its kind and
// apiVersion from the list.
func TestListItemsInheritTypeFromList(t *testing.T) {
	docs, err := manifest.Parse("", []byte(`{"kind":"RoleBindingList","apiVersion":"rbac.authorization.k8s.io/v1","items":[{"metadata":{"name":"x"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := manifest.Split(docs...)[0].Value.String()
	if want := `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"x"}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPositionsWithinAList checks the line and column of a field of a list item.
func TestPositionsWithinAList(t *testing.T) {
	docs, err := manifest.Parse("f.yaml", []byte("kind: List\nitems:\n- kind: A\n- kind: B\n  spec:\n    x: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := manifest.Split(docs...)[1]
	if got := b.PositionOf(document.Keys("spec", "x")).String(); got != "f.yaml:6:8" {
		t.Errorf("spec.x is at %s, want f.yaml:6:8", got)
	}
	if got := b.PositionOf(document.Keys("spec", "y")).String(); got != "f.yaml:5:3" {
		t.Errorf("an absent field is at %s, want f.yaml:5:3, the position of spec", got)
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"kind: {{ .Values.kind }}\n", "helm template"},
		{"kind: A\nspec:\n\tx: 1\n", "begins with a tab"},
		{"Name:         web\nAnnotations:  deployment.kubernetes.io/revision: 1\n", "kubectl describe"},
		{"{\"kind\": \"PodList\", \"items\": []}\n==== START logs for container web of pod shop/web ====\nstarted\n", "kubectl cluster-info dump"},
	} {
		_, err := manifest.Parse("f.yaml", []byte(c.in))
		var syntax *document.SyntaxError
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &syntax) {
			t.Errorf("%q: %v, want a hint with %q", c.in, err, c.want)
		}
	}
}

const widgetCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
`

// folder holds CRDs beside other files, some in subfolders, as projects publish them.
var folder = map[string]string{
	"crds/kustomization.yaml":   "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [widgets.yaml]\n",
	"crds/widgets.yaml":         widgetCRD + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: beside}\n",
	"crds/README.md":            "# not YAML: at all",
	"crds/more/list.YML":        "apiVersion: v1\nkind: List\nitems:\n- kind: CustomResourceDefinition\n  metadata: {name: gadgets.example.com}\n",
	"crds/more/values.yaml":     "replicas: 1\n",
	"empty/notes.txt":           "nothing",
	"one.yaml":                  "kind: A\napiVersion: v1\n",
	"crds/more/deep/third.json": `{"kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"}}`,
}

// sources returns the folder as a directory on disk and as an fs.FS.
func sources(t *testing.T) map[string]*manifest.Source {
	t.Helper()
	dir := t.TempDir()
	m := fstest.MapFS{}
	for name, text := range folder {
		m[name] = &fstest.MapFile{Data: []byte(text)}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return map[string]*manifest.Source{"files": {}, "fs.FS": {FS: m}}
}

func TestCRDsOfAFolder(t *testing.T) {
	for name, s := range sources(t) {
		crds, skipped, err := s.CRDs("crds")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, o := range crds {
			got = append(got, o.Value.Lookup("metadata", "name").StringOr(""))
		}
		if want := []string{"things.example.com", "gadgets.example.com", "widgets.example.com"}; !slices.Equal(got, want) || skipped != 3 {
			t.Errorf("%s: %q and %d skipped, want %q and 3", name, got, skipped, want)
		}
	}
}

// Projects have the same definition in several folders, such as those of a chart and of kustomize.
func TestLastOfEachCRD(t *testing.T) {
	definition := func(name, comment string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + name + ", annotations: {a: " + comment + "}}\n")}
	}
	files := fstest.MapFS{
		"a/x.yaml": definition("xs", "old"), "a/y.yaml": definition("ys", "same"),
		"b/x.yaml": definition("xs", "new"), "b/y.yaml": definition("ys", "same"), "b/z.yaml": definition("zs", "new"),
	}
	var replaced []string
	s := manifest.Source{FS: files, Replaced: func(earlier, later manifest.Object) {
		replaced = append(replaced, earlier.Position().String()+" by "+later.Position().String())
	}}
	crds, _, err := s.CRDs("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range crds {
		got = append(got, o.Position().String())
	}
	if want := []string{"b/x.yaml:1:1", "b/y.yaml:1:1", "b/z.yaml:1:1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []string{"a/x.yaml:1:1 by b/x.yaml:1:1"}; !slices.Equal(replaced, want) {
		t.Errorf("replaced %q, want %q: a definition that does not differ is not reported", replaced, want)
	}
}

// TestWantedCRDs checks that CRDs returns only the wanted definitions, and that a folder whose
// definitions are all unwanted is no error, unlike one without any.
func TestWantedCRDs(t *testing.T) {
	definition := func(group string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs." + group + "}\nspec: {group: " + group + "}\n---\nkind: Other\n")}
	}
	files := fstest.MapFS{"crds/a.yaml": definition("a"), "crds/b.yaml": definition("b"), "none/c.yaml": {Data: []byte("kind: Other\n")}}
	for _, c := range []struct {
		why, folder, group string
		want               []string
	}{
		{"one of two", "crds", "b", []string{"crds/b.yaml:1:1"}},
		{"none of two", "crds", "c", nil},
	} {
		s := manifest.Source{FS: files, Wanted: func(o manifest.Object) bool { return o.Value.Lookup("spec", "group").StringOr("") == c.group }}
		crds, skipped, err := s.CRDs(c.folder)
		var got []string
		for _, o := range crds {
			got = append(got, o.Position().String())
		}
		if err != nil || skipped != 2 || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %d skipped, %v", c.why, got, skipped, err)
		}
	}
	s := manifest.Source{FS: files, Wanted: func(manifest.Object) bool { return true }}
	if _, _, err := s.CRDs("none"); err == nil {
		t.Error("a folder without definitions is accepted")
	}
}

func TestObjectsOfFiles(t *testing.T) {
	for name, s := range sources(t) {
		for _, c := range []struct {
			in        string
			recursive bool
			want      int
			skipped   int
			why       string
		}{
			{"crds", false, 2, 1, "a folder, without subfolders and kustomization.yaml"},
			{"crds", true, 4, 2, "a folder with subfolders; a CRD without apiVersion is a mistake and is not skipped"},
			{"*.yaml", false, 1, 0, "a glob"},
			{"one.yaml", false, 1, 0, "a file"},
		} {
			s.Recursive = c.recursive
			objects, skipped, err := s.Objects(c.in)
			if err != nil || len(objects) != c.want || len(skipped) != c.skipped {
				t.Errorf("%s: %s: %d objects, %v skipped (%v), want %d and %d", name, c.why, len(objects), skipped, err, c.want, c.skipped)
			}
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for name, s := range sources(t) {
		for _, c := range []struct{ in, want string }{
			{"none.yaml", "none.yaml: no such file"},
			{"empty", "empty: the folder has no .yaml, .yml or .json file (folders within it are not read)"},
			{"none*.yaml", "none*.yaml: no file matches the pattern"},
			{"-", "<stdin>: the name - (standard input) is not supported here"},
		} {
			_, err := s.Read(c.in)
			if err == nil || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			if c.in != "-" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v is not fs.ErrNotExist", name, err)
			}
		}
	}
}

// TestFolderOfFileSystem checks the error for a folder that does not exist and whose name the file
// system does not contain.
func TestFolderOfFileSystem(t *testing.T) {
	s := manifest.Source{FS: os.DirFS(filepath.Join(t.TempDir(), "none"))}
	if _, err := s.Read("."); err == nil || err.Error() != ".: the file system has no files; the folder that it was made for may not exist" {
		t.Error(err)
	}
}

func TestStandardInput(t *testing.T) {
	s := &manifest.Source{Contents: func(string) ([]byte, error) { return []byte("kind: A\n"), nil }}
	docs, err := s.Read("-")
	if err != nil || len(docs) != 1 || docs[0].Position(docs[0].Root).String() != "<stdin>:1:1" {
		t.Errorf("%v, %v", docs, err)
	}
}

// FuzzParse checks that Parse never panics and that every object has a position within
// its document.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"kind: List\nitems: [{kind: A}]\n", "\ufeff---\r\na: &x 1\n---\nb: 2\n", `{"kind":"XList","items":[1,{}]}`, "a: {{b}}\n\t"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := manifest.Parse("f", data)
		if err != nil {
			return
		}
		for _, o := range manifest.Split(docs...) {
			if !o.Document.Root.Follow(o.At).Exists() {
				t.Errorf("%s does not resolve", o.At)
			}
		}
	})
}

// TestFilesThatAreNotText checks the hint for files in other encodings and binary files.
func TestFilesThatAreNotText(t *testing.T) {
	const notText = "not a text file in UTF-8"
	for _, c := range []struct {
		why, text, hint string
	}{
		{"Latin-1", "a: caf\xe9\n", notText},
		{"UTF-16 without a byte order mark", "\x00a\x00:\x00 \x001", notText},
		{"a compressed file", "\x1f\x8b\x08\x00\x00", "compressed by gzip; decompress it first"},
		{"another file that is not text", "PK\x03\x04\x00", notText},
		{"UTF-16 with a byte order mark", "\xfe\xff\x00a\x00:\x00 \x00[", ""},
		{"UTF-8", "a: [\n", ""},
	} {
		_, err := manifest.Parse("a.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.hint) || c.hint == "" && strings.Contains(err.Error(), notText) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// TestChartTemplates checks that the templates of a chart are reported as one.
func TestChartTemplates(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"a/Chart.yaml", "a/values.yaml", "a/templates/one.yaml", "a/templates/two.yaml", "b/templates/three.yaml"} {
		files[name] = &fstest.MapFile{Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")}
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	for root, s := range map[string]*manifest.Source{".": {FS: files, Recursive: true}, folder: {Recursive: true}} {
		want := filepath.Join(root, "a", "templates") + ": these are the templates of a Helm chart; render them first, for example with 'helm template'"
		if _, err := s.Read(root); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", root, err, want)
		}
		var unread []string
		s.Unread = func(_ string, err error) { unread = append(unread, err.Error()) }
		docs, err := s.Read(root)
		if err != nil || len(docs) != 3 || !slices.Equal(unread, []string{want}) {
			t.Errorf("%s: %d documents and %q (%v), want 3 and one chart", root, len(docs), unread, err)
		}
	}
}

// TestTooLarge checks that the message about a file that is too large has a way out, even if the file
// contains what templates contain.
func TestTooLarge(t *testing.T) {
	data := make([]byte, manifest.MaxBytes+1) // only the first page is ever used
	copy(data, "a: '{{b}}'\n")
	_, err := manifest.Parse("dump.yaml", data)
	const want = "dump.yaml: the input is larger than the 512 MiB allowed; split it into several files of a folder, which may have any size together"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestWithNamespace(t *testing.T) {
	for _, test := range []struct{ why, config, namespace, want string }{
		{"none is added", `{"metadata":{"name":"a"}}`, "shop", `{"metadata":{"name":"a","namespace":"shop"}}`},
		{"null is none", `{"metadata":{"namespace":null}}`, "shop", `{"metadata":{"namespace":"shop"}}`},
		{"the empty text is none", `{"metadata":{"namespace":""}}`, "shop", `{"metadata":{"namespace":"shop"}}`},
		{"its own is kept", `{"metadata":{"namespace":"a"}}`, "shop", `{"metadata":{"namespace":"a"}}`},
		{"a value of another type is left to the API server", `{"metadata":{"namespace":5}}`, "shop", `{"metadata":{"namespace":5}}`},
		{"a cluster-scoped kind has none", `{"metadata":{"name":"a"}}`, "", `{"metadata":{"name":"a"}}`},
		{"that of a cluster-scoped kind is removed", `{"metadata":{"name":"a","namespace":"shop"}}`, "", `{"metadata":{"name":"a"}}`},
		{"so is an empty one", `{"metadata":{"namespace":""}}`, "", `{"metadata":{}}`},
		{"a patch that is a list has no metadata", `[1]`, "shop", `[1]`},
	} {
		d, err := document.Parse([]byte(test.config), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := manifest.WithNamespace(d.Root, test.namespace).String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}
