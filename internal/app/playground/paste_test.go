package playground

import (
	"os"
	"strings"
	"testing"
)

// liveSettings is a ConfigMap as printed by kubectl with --show-managed-fields: alice
// applied colour, and a controller updated size.
const liveSettings = `apiVersion: v1
kind: ConfigMap
metadata:
  creationTimestamp: "2026-03-02T08:15:00Z"
  managedFields:
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {"f:data": {"f:colour": {}}}
    manager: alice
    operation: Apply
    time: "2026-03-02T08:15:00Z"
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {"f:data": {"f:size": {}}}
    manager: tailor
    operation: Update
    time: "2026-03-04T17:00:30Z"
  name: settings
  namespace: shop
  resourceVersion: "48151623"
  uid: 9d3b8a52-7c57-4d5b-9a39-6f1b5d9e2c11
data:
  colour: blue
  face: "\U0001F980\u202Eabc"
  size: s
`

func crd(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/crds/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPasteClassifiesDocuments(t *testing.T) {
	widget := "apiVersion: lab.example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
	for _, c := range []struct{ why, text, want string }{
		{"an object with its managers", liveSettings, "ConfigMap/settings live known alice,tailor"},
		{"a manifest without managers", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "ConfigMap/x known"},
		{"a List, and another document", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
			"ConfigMap/a known; Secret/b known; ConfigMap/c known"},
		{"a custom resource alone", widget, "Widget/w (a custom resource needs its CustomResourceDefinition: kubectl get crd widgets.lab.example.com -o yaml)"},
		{"a kind that is more than a word for a shell has no command", strings.Replace(widget, "Widget", "w$(id)", 1), "w$(id)/w"},
		{"a custom resource before its definition", widget + "---\n" + crd(t), "Widget/w known; definition widgets.lab.example.com"},
		{"a misspelt kind", "apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: x}\n", "Deploymnt/x (did you mean Deployment (apps/v1)?)"},
		{"a removed version", "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: x}\n", "Deployment/x (Deployment is served in apps/v1, not in extensions/v1beta1)"},
		{"empty documents", "---\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n# the end\n", "ConfigMap/x known"},
		{"JSON", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j"}}`, "ConfigMap/j known"},
		{"a scenario", "scenario: patchlab.dev/v1\ntitle: T\n", "scenario T"},
	} {
		var out PasteOutput
		must(t, New(), "paste", PasteInput{Text: c.text}, &out)
		if got := pastedText(&out); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	for why, text := range map[string]string{"no object": "", "a text": "hello", "no kind": "metadata: {name: x}\n",
		"managedFields that are none": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, managedFields: 7}\n", "no YAML": "a: ["} {
		if f := ask(t, New(), "paste", PasteInput{Text: text}, &PasteOutput{}); f == nil || f.Message == "" {
			t.Errorf("%s is accepted", why)
		}
	}
}

func pastedText(out *PasteOutput) string {
	if out.Scenario != nil {
		return "scenario " + out.Scenario.Title
	}
	var parts []string
	for _, o := range out.Objects {
		text := o.Target.Kind + "/" + o.Target.Name
		if o.Live {
			text += " live"
		}
		if o.Known {
			text += " known"
		}
		if o.Hint != "" {
			text += " (" + o.Hint + ")"
		}
		var names []string
		for _, m := range o.Managers {
			names = append(names, m.Name)
		}
		if len(names) > 0 {
			text += " " + strings.Join(names, ",")
		}
		parts = append(parts, text)
	}
	for _, d := range out.Definitions {
		parts = append(parts, "definition "+d.Name)
	}
	return strings.Join(parts, "; ")
}

// TestScenarioBeginsWithLiveObject checks that a pasted live object is shown
// unchanged before the first step and that its managers own their fields and conflict
// with steps.
func TestScenarioBeginsWithLiveObject(t *testing.T) {
	s := Scenario{Objects: []string{liveSettings}, Actors: []Actor{{Name: "bob"}},
		Steps: []Step{{Actor: "bob", Do: "apply", Body: strings.Replace(configMap, "name: settings", "name: settings\n  namespace: shop", 1) + "  size: m\n"}}}
	e := New()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s}, &out)
	if out.Object == nil || out.Object.ResourceVersion != "48151623" || len(out.Object.Managers) != 2 || out.Object.Managers[1].Time != "2026-03-04T17:00:30Z" {
		t.Fatalf("before the first step: %+v", out.Object)
	}
	if got := owners(&out, "  colour: blue") + " " + owners(&out, "  size: s"); got != "alice tailor" {
		t.Errorf("owners %s", got)
	}
	if got := owners(&out, "  face: \"🦀\u202eabc\""); got != "" {
		t.Errorf("the line with the emoji: owners %q, want the line without owners", got)
	}
	for _, r := range out.Rows {
		if r.Mark != "" {
			t.Errorf("row %+v is marked before the first step", r)
		}
	}
	must(t, e, "run", RunInput{Scenario: s, At: 1}, &out)
	if len(out.Conflicts) != 1 || out.Conflicts[0].Owner.Name != "tailor" || out.Rows[out.Conflicts[0].Line-1].Text != "  size: s" || out.Conflicts[0].Mark.Line != 7 {
		t.Fatalf("conflicts %+v", out.Conflicts)
	}
	for _, at := range []int{0, 1} {
		var line LineOutput
		must(t, e, "line", LineInput{Scenario: s, At: at, Line: out.Conflicts[0].Line}, &line)
		if line.Meaning != isOwned || len(line.Owners) != 1 || line.Owners[0].Since != 0 {
			t.Errorf("after step %d: %+v, want the owners of the live object", at, line)
		}
	}
	var managed ManagedOutput
	must(t, e, "managed", ManagedInput{Scenario: s}, &managed)
	if !strings.Contains(managed.YAML, "manager: tailor") {
		t.Errorf("managedFields %s", managed.YAML)
	}
	s.Objects = append(s.Objects, "apiVersion: v1\nkind: Nothing\nmetadata: {name: x}\n")
	must(t, e, "run", RunInput{Scenario: s, At: 1}, &out)
	if len(out.Objects) != 2 || !out.Objects[0].OK || out.Objects[1].OK || out.Objects[1].Mark.Message == "" || len(out.Conflicts) != 1 {
		t.Errorf("with one that cannot be used: %+v", out.Objects)
	}
}

// TestEncryptedManifestHasHint: a manifest that SOPS has encrypted is an object of a known kind, and no API server accepts it.
func TestEncryptedManifestHasHint(t *testing.T) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	for text, want := range map[string]string{
		secret: "",
		secret + "sops: {mac: \"ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\"}\n": "encrypted by SOPS; paste the output of 'sops decrypt'",
	} {
		var out PasteOutput
		must(t, New(), "paste", PasteInput{Text: text}, &out)
		if len(out.Objects) != 1 || !out.Objects[0].Known || out.Objects[0].Hint != want {
			t.Errorf("%s: %+v, want the hint %q", text, out.Objects, want)
		}
	}
}

func TestStartsAreAppliedConfigurations(t *testing.T) {
	last := strings.Replace(liveSettings, "metadata:\n", "metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{\"kind\": \"ConfigMap\"}'\n", 1)
	var out StartsOutput
	must(t, New(), "starts", StartsInput{Scenario: Scenario{Objects: []string{last}}}, &out)
	want := []Step{
		{Actor: "kubectl-client-side-apply", Do: "client-side-apply", Body: "kind: ConfigMap\n"},
		{Actor: "alice", Do: "apply", Body: "apiVersion: v1\ndata:\n  colour: blue\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: shop\n"},
		{Do: "apply", Body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: shop\n"},
	}
	if len(out.Steps) != len(want) {
		t.Fatalf("%+v", out.Steps)
	}
	for i := range want {
		if out.Steps[i] != want[i] {
			t.Errorf("start %d: %+v, want %+v", i, out.Steps[i], want[i])
		}
	}
}

// TestLineDescribesItsField checks the description of a line: identity, owned, shared,
// defaulted or server-managed. Only a field without an owner may be described as free.
func TestLineDescribesItsField(t *testing.T) {
	body := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      - name: web\n        image: nginx\n"
	s := Scenario{Steps: []Step{{Actor: "a", Do: "apply", Body: body}, {Actor: "b", Do: "apply", Body: body}, {Actor: "a", Do: "apply", Body: strings.Replace(body, "  replicas: 1\n", "", 1)}}}
	e := New()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 3, Against: 2}, &out)
	for text, want := range map[string]string{
		"apiVersion: apps/v1": isIdentity, "  name: web": isIdentity, "  namespace: default": isIdentity, "  generation: 1": isServers,
		"  replicas: 1": isOwned, "      - image: nginx": isShared, "  revisionHistoryLimit: 10": isDefault, "      dnsPolicy: ClusterFirst": isDefault,
		"spec:": isMembers, "metadata:": isNobodys,
	} {
		found := false
		for _, r := range out.Rows {
			if r.Text != text || r.Line == 0 {
				continue
			}
			found = true
			var line LineOutput
			must(t, e, "line", LineInput{Scenario: s, At: 3, Line: r.Line}, &line)
			if line.Meaning != want || line.Text == "" || line.Rule.Name == "" || !strings.HasPrefix(line.Rule.URL, "https://") {
				t.Errorf("%q is %+v, want %s", text, line, want)
			}
		}
		if !found {
			t.Errorf("no line %q", text)
		}
	}
}

func TestUnknownKindHasSuggestion(t *testing.T) {
	for _, c := range []struct {
		why, version, kind string
		line               int
		want               string
	}{
		{"a similar kind", "apps/v1", "Deploymnt", 2, `unknown kind "Deploymnt": did you mean Deployment (apps/v1)?`},
		{"the kind of another version", "apps/v2", "Deployment", 1, "Deployment is served in apps/v1, not in apps/v2"},
	} {
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: Scenario{Steps: []Step{{Actor: "a", Do: "apply", Body: "apiVersion: " + c.version + "\nkind: " + c.kind + "\nmetadata: {name: x}\n"}}}, At: 1}, &out)
		if m := out.Steps[0].Marks; len(m) != 1 || m[0].Line != c.line || m[0].Message != c.want {
			t.Errorf("%s: marks %+v", c.why, m)
		}
	}
}

func TestRefusedStepHasHint(t *testing.T) {
	for _, c := range []struct{ why, body, want string }{
		{"a field that the kind does not have", namedDeployment + "spec: {replcas: 1}\n", ".spec.replcas: field not declared in schema; did you mean replicas?"},
		{"a field in an item of a list", namedDeployment + "spec: {template: {spec: {containers: [{name: a, imag: b}]}}}\n", `.spec.template.spec.containers[name="a"].imag: field not declared in schema; did you mean image?`},
		{"a field without a similar one", namedDeployment + "spec: {zzzzzz: 1}\n", ".spec.zzzzzz: field not declared in schema"},
		{"a live object", liveSettings, "metadata.managedFields must be nil; this is a live object; remove managedFields, and the other fields that the API server sets, from the manifest"},
		{"a tab", "a:\n\tb: c\n", "invalid YAML: found character that cannot start any token; this line begins with a tab; indent YAML with spaces"},
		{"a template of Jinja", "{% raw %}\na: b\n", "; this looks like a template; render it first, for example with 'helm template'"},
		{"a template", "a: b\n{{- toYaml .Values.a }}\n", "; this looks like a template; render it first, for example with 'helm template'"},
	} {
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: Scenario{Steps: []Step{{Actor: "a", Do: "apply", Body: c.body}}}, At: 1}, &out)
		if m := out.Steps[0].Marks; len(m) != 1 || !strings.HasSuffix(m[0].Message, c.want) {
			t.Errorf("%s: marks %+v, want %q", c.why, m, c.want)
		}
	}
}

const namedDeployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n"

func TestPasteNamesWhatKubectlPrinted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"NAME   READY   UP-TO-DATE\nweb    3/3     3\n", "this is a table of kubectl; print the object with -o yaml --show-managed-fields"},
		{"Name:                   web\nAnnotations:            revision: 1\n", "kubectl describe"},
		{"NAMES\n", "expected a Kubernetes object, found a string"},
	} {
		var out PasteOutput
		if failure := ask(t, New(), "paste", PasteInput{Text: c.text}, &out); failure == nil || !strings.Contains(failure.Message, c.want) {
			t.Errorf("%q: %+v, want %q", c.text, failure, c.want)
		}
	}
}

// TestWhyNamesRuleOfChangedAndKeptFields checks the explanation of a rejected
// step and of a step that omits a field that another manager also owns.
func TestWhyNamesRuleOfChangedAndKeptFields(t *testing.T) {
	s := twoManagers()
	s.Steps = append(s.Steps, Step{Actor: "bob", Do: "apply", Body: configMap + "  colour: blue\n"}, Step{Actor: "bob", Do: "apply", Body: configMap + "  shape: round\n"})
	e := New()
	for _, c := range []struct {
		at                       int
		path, effect, rule, kept string
		line, mark               int
	}{
		{1, ".data.colour", "set", "apply/own", "", 3, 6},
		{2, ".data.colour", "conflicting", "apply/conflict", "alice", 3, 7},
		{3, ".data.colour", "shared", "apply/share", "", 3, 6},
		{4, ".data.colour", "given up", "apply/co-owned-kept", "alice", 3, 0},
	} {
		var out WhyOutput
		must(t, e, "why", WhyInput{Scenario: s, At: c.at}, &out)
		found := false
		for _, r := range out.Reasons {
			if r.Path == c.path {
				found = true
				if r.Effect != c.effect || r.Rule != c.rule || strings.Join(r.KeptBy, ",") != c.kept || r.Text == "" || r.Line != c.line || c.mark > 0 && r.Mark.Line != c.mark {
					t.Errorf("step %d: %+v, want %+v", c.at, r, c)
				}
			}
		}
		if !found {
			t.Errorf("step %d: no reason for %s in %+v", c.at, c.path, out.Reasons)
		}
	}
}
