package playground

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

const pasted = `apiVersion: apps/v1
kind: Deployment
metadata:
  managedFields:
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:replicas": {}}}
    manager: operator
    operation: Update
    time: "2026-03-02T08:15:00Z"
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:selector": {}, "f:template": {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:containers": {'k:{"name":"web"}': {".": {}, "f:image": {}, "f:name": {}}}}}}}
    manager: helm
    operation: Apply
    time: "2026-03-02T08:15:00Z"
  labels: {app: web}
  name: web
  namespace: shop
  resourceVersion: "48151623"
  uid: 9d3b8a52-7c57-4d5b-9a39-6f1b5d9e2c11
spec:
  replicas: 7
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27"}
`

// TestPasteAcceptsTerminalFormats checks that objects can be pasted as terminals and
// editors format them.
func TestPasteAcceptsTerminalFormats(t *testing.T) {
	d, err := document.ParseYAML([]byte(pasted), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asJSON := string(d.Root.JSON())
	forms := map[string]string{
		"as kubectl prints it": pasted,
		"Windows line ends":    strings.ReplaceAll(pasted, "\n", "\r\n"),
		"byte order mark":      "\uFEFF" + pasted,
		"separators":           "---\n" + pasted + "---\n",
		"trailing spaces":      strings.ReplaceAll(pasted, "\n", "  \n"),
		"JSON":                 asJSON,
		"JSON with tabs":       "\t" + strings.ReplaceAll(asJSON, ",", ",\n\t"),
		"a List":               "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(pasted), "\n", "\n  ") + "\n",
		"indented":             "  " + strings.ReplaceAll(strings.TrimSpace(pasted), "\n", "\n  ") + "\n",
		"a large ConfigMap":    pasted + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata:\n  text: |\n" + strings.Repeat("    a line of a large text that somebody keeps in the cluster\n", 15_000),
	}
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			e := New()
			var out PasteOutput
			must(t, e, "paste", PasteInput{Text: text}, &out)
			if len(out.Objects) == 0 || out.Objects[0].Target != (Target{"apps/v1", "Deployment", "shop", "web"}) || !out.Objects[0].Live || !out.Objects[0].Known || len(out.Objects[0].Managers) != 2 {
				t.Fatalf("found %.300v", out.Objects)
			}
			s := Scenario{Actors: []Actor{{Name: "a"}}, Steps: []Step{{Actor: "a", Do: "apply", Body: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 3}\n"}}}
			for _, o := range out.Objects {
				s.Objects = append(s.Objects, o.Text)
			}
			var run RunOutput
			must(t, e, "run", RunInput{Scenario: s, At: 1}, &run)
			if len(run.Conflicts) != 1 || run.Conflicts[0].Owner.Name != "operator" {
				t.Errorf("%d %s: conflicts %v, objects %+v", run.Steps[0].Code, run.Steps[0].Message, run.Conflicts, run.Objects)
			}
		})
	}
}

// TestEntriesOfUnservedVersionsAreNoted checks that the page warns about managedFields
// entries in versions that are not served, because the API server will remove them.
func TestEntriesOfUnservedVersionsAreNoted(t *testing.T) {
	old := strings.Replace(pasted, "  - apiVersion: apps/v1\n", "  - apiVersion: apps/v1beta1\n", 1)
	s := Scenario{Objects: []string{old}, Actors: []Actor{{Name: "a"}}, Steps: []Step{{Actor: "a", Do: "apply", Body: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 3}\n"}}}
	e := New()
	var run RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 1}, &run)
	if notes := run.Objects[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "entry of operator uses apps/v1beta1") {
		t.Errorf("the notes are %q", notes)
	}
	for _, m := range run.Object.Managers {
		if m.Name == "operator" {
			t.Errorf("%v was not removed", m)
		}
	}
	s.Objects[0] = pasted
	must(t, e, "run", RunInput{Scenario: s, At: 1}, &run)
	if notes := run.Objects[0].Notes; len(notes) != 0 {
		t.Errorf("notes on served versions: %q", notes)
	}
}

// TestPasteOfKustomizeFile checks that no definition is asked for: kustomize reads the file
// itself, and no cluster has its kind.
func TestPasteOfKustomizeFile(t *testing.T) {
	var out PasteOutput
	must(t, New(), "paste", PasteInput{Text: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n"}, &out)
	if len(out.Objects) != 1 || out.Objects[0].Hint != "a kustomize file; paste the output of kustomize build" {
		t.Errorf("found %+v", out.Objects)
	}
}

// TestPastedTextIsKept checks the texts of manifests, in which comments, quotes and the order of
// fields are kept wherever the manifest is a document of its own.
func TestPastedTextIsKept(t *testing.T) {
	const one = "# what it is for\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a} # short\ndata:\n  size: 's'\n  colour: |\n    ---x\n    blue\n"
	const two = "kind: ConfigMap\napiVersion: v1\nmetadata:\n    name: b\n"
	const printed = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	for _, c := range []struct {
		why, text string
		want      []string
	}{
		{"one manifest", one, []string{one}},
		{"one manifest without a newline at its end", strings.TrimSuffix(one, "\n"), []string{one}},
		{"with a byte order mark", "\ufeff" + two, []string{two}},
		{"two manifests", one + "---\n" + two, []string{one, two}},
		{"empty documents and documents of comments", "# licence\n---\n---\n" + one + "\n---\n# nothing\n---\n" + two + "...\n# end\n", []string{one, two}},
		{"comments beside the separators", "--- # first\n" + two + "--- # second\n" + one, []string{"# first\n" + two, "# second\n" + one}},
		{"a document that is indented as a whole", "---\n  kind: ConfigMap\n  apiVersion: v1\n  metadata: {name: a}\n", []string{"  kind: ConfigMap\n  apiVersion: v1\n  metadata: {name: a}\n"}},
		{"a value beside a separator", "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n--- # second\n" + two, []string{printed, "# second\n" + two}},
		{"flow style with a comment", "{apiVersion: v1, kind: ConfigMap, # short\n metadata: {name: a}}\n", []string{"{apiVersion: v1, kind: ConfigMap, # short\n metadata: {name: a}}\n"}},
		{"JSON", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`, []string{printed}},
		{"an item of a List", "apiVersion: v1\nkind: List\nitems:\n- kind: ConfigMap # short\n  apiVersion: v1\n  metadata: {name: a}\n---\n" + two, []string{printed, two}},
		{"a directive, which is not in the text of a document", "%YAML 1.1\n---\nkind: ConfigMap # short\napiVersion: v1\nmetadata: {name: a}\n", []string{printed}},
		{"a live object, whose text is not edited", "kind: ConfigMap # short\napiVersion: v1\nmetadata: {name: a, uid: u}\n", []string{"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  uid: u\n"}},
		{"a definition", "# from the operator\n" + crd(t), []string{"# from the operator\n" + crd(t)}},
	} {
		var out PasteOutput
		must(t, New(), "paste", PasteInput{Text: c.text}, &out)
		var got []string
		for _, o := range out.Objects {
			got = append(got, o.Text)
		}
		for _, d := range out.Definitions {
			got = append(got, d.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
