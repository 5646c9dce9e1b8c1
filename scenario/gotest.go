package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// GoTest converts a scenario to a Go test in a package. The test uses client-go's dynamic
// client to send the requests of the steps to an API server of package patchlabtest, and
// compares responses, objects and managers with results, the results of Run. A step without
// a request becomes a comment. An error means that a definition or object is invalid, or that pkg is
// not a valid package name.
func GoTest(s *Scenario, results []Result, pkg string) ([]byte, error) {
	if !isPackageName(pkg) {
		return nil, fmt.Errorf("%q is not the name of a Go package: letters, digits and _, not beginning with a digit, and no keyword", pkg)
	}
	g := &goTest{scenario: s, results: results}
	for _, texts := range [...][]string{s.Definitions, s.Objects} {
		for _, text := range texts {
			docs, err := manifest.Parse("", []byte(text))
			if err != nil {
				return nil, err
			}
			objects := manifest.Split(docs...)
			manifest.SortForCreation(objects)
			g.values = append(g.values, objects...)
		}
	}
	g.function()
	body := g.b.String()
	var head strings.Builder
	fmt.Fprintf(&head, "// Written by 'patchlab export --to go'.\n\npackage %s\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"reflect\"\n\t\"testing\"\n\t\"time\"\n\n", pkg)
	for _, i := range [...][2]string{
		{`apierrors "k8s.io/apimachinery/pkg/api/errors"`, "apierrors."},
		{`metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"`, "metav1."},
		{`"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"`, "unstructured."},
		{`"k8s.io/apimachinery/pkg/runtime/schema"`, "schema."},
		{`"k8s.io/apimachinery/pkg/types"`, "types."},
		{`"k8s.io/client-go/dynamic"`, "dynamic."},
	} {
		if strings.Contains(body, i[1]) {
			head.WriteString("\t" + i[0] + "\n")
		}
	}
	head.WriteString("\n\t\"github.com/patchlab-dev/patchlab/patchlabtest\"\n)\n\n")
	return []byte(head.String() + body), nil
}

// goKeywords are Go's keywords, which cannot be names.
const goKeywords = " break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var "

// isPackageName reports whether a Go package can have a name. go/token, which knows this too, would
// be in the page.
func isPackageName(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != "" && name != "_" && !strings.Contains(goKeywords, " "+name+" ")
}

// goTest prints the test function.
type goTest struct {
	scenario *Scenario
	results  []Result
	values   []manifest.Object
	began    bool // a step has been sent
	b        strings.Builder
}

func (g *goTest) print(format string, args ...any) { fmt.Fprintf(&g.b, format, args...) }

func (g *goTest) function() {
	s := g.scenario
	name := goName(s.Title)
	g.comment("", strings.TrimSpace("Test"+name+" runs the scenario "+strconv.Quote(s.Title)+".\n"+s.About))
	g.print("func Test%s(t *testing.T) {\n\tctx := context.Background()\n", name)
	g.print("\tobject := func(text string) *unstructured.Unstructured {\n\t\tt.Helper()\n\t\to := &unstructured.Unstructured{}\n"+
		"\t\tif err := o.UnmarshalJSON([]byte(text)); err != nil {\n\t\t\tt.Fatal(err)\n\t\t}\n\t\treturn o\n\t}\n"+
		"\tclock := patchlabtest.NewClock(%s)\n\tserver := patchlabtest.StartWith(t, patchlabtest.Options{Now: clock.Now", goTime(g.start()))
	if s.Kubernetes != "" {
		g.print(", Version: %q", s.Kubernetes)
	}
	if g.writesServices() {
		g.print(", NoAddresses: true")
	}
	if len(g.values) > 0 {
		g.print(", Values: []any{\n")
		for _, o := range g.values {
			g.print("\t\tobject(%s),\n", goText(indentJSON(o.Value)))
		}
		g.print("\t}")
	}
	g.print("})\n\tclient, err := dynamic.NewForConfig(server.Config())\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n%s", goExpect)
	for i := range s.Steps {
		g.step(i)
	}
	g.print("}\n")
}

// goExpect is the source of the comparison in a generated test.
const goExpect = `	// expect compares the answer to a step, and the object after it with its managers. What
	// the server counts and generates is left out.
	expect := func(step string, err error, code int32, objects dynamic.ResourceInterface, name, want string) {
		t.Helper()
		clock.Advance(time.Minute)
		got := int32(0)
		if status, ok := err.(apierrors.APIStatus); ok {
			got = status.Status().Code
		} else if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if got != code {
			t.Fatalf("%s: the server returned %d (%v), want %d", step, got, err, code)
		}
		live, err := objects.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) && want == "" {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp"} {
			unstructured.RemoveNestedField(live.Object, "metadata", field)
		}
		if wanted := object(want); !reflect.DeepEqual(live.Object, wanted.Object) {
			text, _ := json.MarshalIndent(live.Object, "", "  ")
			t.Errorf("%s: the object is\n%s\nwant\n%s", step, text, want)
		}
	}
`

// writesServices reports whether a step writes a Service, to which Run allocates no addresses.
func (g *goTest) writesServices() bool {
	return slices.ContainsFunc(g.results, func(r Result) bool { return r.sent != nil && r.Kind.Group == "" && r.Kind.Resource == "services" })
}

// start returns the time before the first step that is sent.
func (g *goTest) start() time.Time {
	for _, r := range g.results {
		if r.sent != nil {
			return r.at
		}
	}
	return Start()
}

func (g *goTest) step(i int) {
	step := &g.scenario.Steps[i]
	g.print("\n")
	g.comment("\t", strings.TrimSpace(fmt.Sprintf("Step %d: %s, %s. %s", i+1, step.Actor, step.Do, step.Note)))
	if i >= len(g.results) || g.results[i].sent == nil {
		why := "nothing is sent"
		if i < len(g.results) && g.results[i].Err != nil {
			why = g.results[i].Err.Error()
		}
		g.comment("\t", "Left out: "+why)
		if g.began {
			g.print("\tclock.Advance(time.Minute)\n")
		}
		return
	}
	g.began = true
	r := &g.results[i]
	objects := fmt.Sprintf("client.Resource(schema.GroupVersionResource{Group: %q, Version: %q, Resource: %q})", r.Kind.Group, r.Kind.Version, r.Kind.Resource)
	if r.Kind.Namespaced {
		objects += fmt.Sprintf(".Namespace(%q)", r.Target.Namespace)
	}
	g.print("\tobjects%d := %s\n\t", i+1, objects)
	if r.sent.Verb == cluster.Delete {
		g.print("err = ")
	} else {
		g.print("_, err = ")
	}
	g.print("objects%d.%s\n", i+1, g.call(step, r))
	code := 0
	if r.Err != nil {
		code = r.Code
	}
	want := `""`
	if after := r.After.Join(); after.Exists() {
		for _, key := range [...]string{"uid", "resourceVersion", "generation", "creationTimestamp"} {
			after = after.Remove("metadata", key)
		}
		want = goText(indentJSON(after))
	}
	g.print("\texpect(\"step %d\", err, %d, objects%d, %q, %s)\n", i+1, code, i+1, r.Target.Name, want)
}

// call returns the dynamic client's call for the request of a step.
func (g *goTest) call(s *Step, r *Result) string {
	q := r.sent
	sub := ""
	if s.Subresource != "" {
		sub = ", " + strconv.Quote(s.Subresource)
	}
	options := fmt.Sprintf("FieldManager: %q, FieldValidation: %q", q.FieldManager, q.FieldValidation)
	switch q.Verb {
	case cluster.Create:
		return fmt.Sprintf("Create(ctx, object(%s), metav1.CreateOptions{%s}%s)", goText(indentJSON(q.Document.Root)), options, sub)
	case cluster.Update:
		return fmt.Sprintf("Update(ctx, object(%s), metav1.UpdateOptions{%s}%s)", goText(indentJSON(q.Document.Root)), options, sub)
	case cluster.Delete:
		return fmt.Sprintf("Delete(ctx, %q, metav1.DeleteOptions{}%s)", q.Name, sub)
	}
	types := map[cluster.Format]string{cluster.ApplyPatch: "ApplyPatchType", cluster.JSONPatch: "JSONPatchType",
		cluster.MergePatch: "MergePatchType", cluster.StrategicPatch: "StrategicMergePatchType"}
	body := indentJSON(q.Document.Root)
	if q.Format == cluster.ApplyPatch {
		body = strings.TrimSuffix(s.Body, "\n") + "\n"
		options += fmt.Sprintf(", Force: new(%t)", s.Do == ForceApply)
	}
	return fmt.Sprintf("Patch(ctx, %q, types.%s, []byte(%s), metav1.PatchOptions{%s}%s)", q.Name, types[q.Format], goText(body), options, sub)
}

func (g *goTest) comment(indent, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		g.b.WriteString(strings.TrimRight(indent+"// "+printable(line), " ") + "\n")
	}
}

// goText returns a text as a Go literal.
func goText(text string) string {
	text = strings.TrimSuffix(text, "\n")
	if strings.ContainsAny(text, "`\r\ufeff") || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

func goTime(t time.Time) string {
	return fmt.Sprintf("time.Date(%d, %d, %d, %d, %d, 0, 0, time.UTC)", t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute())
}

// goName derives the name of a test from a title: "Two managers" becomes TwoManagers.
func goName(title string) string {
	var b strings.Builder
	upper := true
	for _, r := range title {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "Scenario"
	}
	return b.String()
}

// indentJSON formats a value as indented JSON. Unlike in compact form, <, > and & are not
// escaped.
func indentJSON(v document.Value) string {
	var b strings.Builder
	appendIndented(&b, v, "")
	return b.String()
}

func appendIndented(b *strings.Builder, v document.Value, indent string) {
	within := indent + "  "
	switch {
	case v.Kind() == document.Object && v.Len() > 0:
		b.WriteString("{")
		separator := "\n"
		for key, member := range v.Members() {
			b.WriteString(separator + within + document.NewString(key).String() + ": ")
			appendIndented(b, member, within)
			separator = ",\n"
		}
		b.WriteString("\n" + indent + "}")
	case v.Kind() == document.List && v.Len() > 0:
		b.WriteString("[")
		separator := "\n"
		for _, item := range v.Items() {
			b.WriteString(separator + within)
			appendIndented(b, item, within)
			separator = ",\n"
		}
		b.WriteString("\n" + indent + "]")
	default:
		b.WriteString(v.String())
	}
}
