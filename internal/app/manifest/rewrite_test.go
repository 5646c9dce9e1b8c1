package manifest

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/schema"
)

const commented = `# The shop's front.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # as the Service has it
spec:
  replicas: 3 # enough for a Monday
  # Who is asked first.
  strategy:
    type: Recreate
    # never two at once
  # The pods.
  template:
    spec:
      containers:
      # first the shop
      - name: web # also in the route
        image: "shop/web:1" # pinned
        env:
        - name: A
          value: 'it''s'
        # then B
        - name: B
          value: b
        ports:
          - containerPort: 80
      - image: proxy:2
        name: proxy
`

func TestRewriteKeepsComments(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.ParseYAML([]byte(commented), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := schema.NewRegistry(catalog).Of(d.Root)
	if !ok {
		t.Fatal("no Deployment is registered")
	}
	containers := document.Keys("spec", "template", "spec", "containers")
	in := func(path document.Path, elements ...string) document.Path {
		for _, e := range elements {
			step, _, err := document.ParseElement(e)
			if err != nil {
				t.Fatal(err)
			}
			path = path.Join(step)
		}
		return path
	}
	web := in(containers, `k:{"name":"web"}`)
	for _, c := range []struct {
		why       string
		path      document.Path
		value     document.Value
		old, text string // the replaced text and its replacement
	}{
		{"a scalar followed by a comment", document.Keys("spec", "replicas"), document.NewInt(5), "replicas: 3 #", "replicas: 5 #"},
		{"a scalar is removed", document.Keys("spec", "replicas"), document.Value{}, "  replicas: 3 # enough for a Monday\n", ""},
		{"an object is removed with its comment", document.Keys("spec", "strategy", "type"), document.Value{}, "  strategy:\n    type: Recreate\n    # never two at once\n", ""},
		{"a quoted scalar", in(web, "f:image"), document.NewString("shop/web:2"), `"shop/web:1"`, "shop/web:2"},
		{"quotes in quotes", in(web, "f:env", `k:{"name":"A"}`, "f:value"), document.NewString("# no"), "'it''s'", "'# no'"},
		{"a member of an item is removed", in(web, "f:image"), document.Value{}, "        image: \"shop/web:1\" # pinned\n", ""},
		{"the first member of an item is removed", in(containers, `k:{"name":"proxy"}`, "f:image"), document.Value{}, "      - image: proxy:2\n        name: proxy\n", "      - name: proxy\n"},
		{"an unindented list is removed", in(web, "f:env"), document.Value{}, commented[strings.Index(commented, "        env:"):strings.Index(commented, "        ports:")], ""},
		{"an indented list is removed", in(web, "f:ports"), document.Value{}, "        ports:\n          - containerPort: 80\n", ""},
		{"an item is removed", in(web, "f:env", `k:{"name":"A"}`), document.Value{}, "        - name: A\n          value: 'it''s'\n", ""},
		{"the last item is removed", in(containers, `k:{"name":"proxy"}`), document.Value{}, "      - image: proxy:2\n        name: proxy\n", ""},
	} {
		wanted := explain.Drop(kind.Type(), d.Root, c.path)
		if c.value.Exists() {
			wanted = explain.Adopt(kind.Type(), d.Root, c.path, c.value)
		}
		got, ok := Rewrite(commented, 0, wanted)
		if want := strings.Replace(commented, c.old, c.text, 1); !ok || got != want || want == commented {
			t.Errorf("%s: %v\n%s", c.why, ok, got)
		}
	}
}

// TestRewrite checks the edited text for every kind of change to a value.
func TestRewrite(t *testing.T) {
	for _, c := range []struct{ why, text, wanted, want string }{
		{"a member is added after the last one, before the next comment",
			"a:\n  b: 1 # one\n# next\nc: 2\n", "{a: {b: 1, x: {m: [1]}}, c: 2}", "a:\n  b: 1 # one\n  x:\n    m:\n    - 1\n# next\nc: 2\n"},
		{"a member is added to a text without a final newline", "a:\n  b: 1", "{a: {b: 1, c: 2}}", "a:\n  b: 1\n  c: 2\n"},
		{"several changes at once", "a: 1 # x\nb: 2\nc:\n- d # y\n- e\n", "{a: 3, c: [e]}", "a: 3 # x\nc:\n- e\n"},
		{"a list with other items is printed again", "a: # of a\n  - x # of x\nb: 1 # of b\n", "{a: [m, z], b: 1}", "a: # of a\n- m\n- z\nb: 1 # of b\n"},
		{"an object replaces a scalar", "a: 1 # of a\nb: 2\n", "{a: {c: 1}, b: 2}", "a:\n  c: 1\nb: 2\n"},
		{"a scalar replaces an object", "a: # of a\n  c: 1\nb: 2\n", "{a: 1, b: 2}", "a: 1 # of a\nb: 2\n"},
		{"a multi-line text is replaced", "a: |\n  x\n  y\nb: 2 # of b\n", "{a: z, b: 2}", "a: z\nb: 2 # of b\n"},
		{"an object becomes empty", "a:\n  c: 1\nb: 2\n", "{a: {}, b: 2}", "a: {}\nb: 2\n"},
		{"flow style is kept", "a: {b: 1, c: 'x, y'} # of a\nd: [1, {e: 2}]\n", "{a: {c: 'x, y'}, d: [1, {e: 3}]}", "a: {c: \"x, y\"} # of a\nd: [1, {e: 3}]\n"},
		{"lines that end in CR LF", "a: 1 # x\r\nb:\r\n  c: 1\r\n  d: 2\r\n", "{a: 2, b: {d: 2}}", "a: 2 # x\r\nb:\r\n  d: 2\r\n"},
	} {
		d, err := document.ParseYAML([]byte(c.wanted), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Rewrite(c.text, 0, d.Root); !ok || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.why, ok, got, c.want)
		}
	}
}

// TestRewriteOneOfSeveral checks that the other documents of the text are unchanged,
// byte for byte.
func TestRewriteOneOfSeveral(t *testing.T) {
	const text = "# first\na: 1\n---\n# second\na: 2 # two\nb: x\n---\na: {c: 3}\n"
	d, err := document.ParseYAML([]byte("a: 5\n"), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Rewrite(text, 1, d.Root)
	if want := "# first\na: 1\n---\n# second\na: 5 # two\n---\na: {c: 3}\n"; !ok || got != want {
		t.Errorf("%v\n%s\nwant\n%s", ok, got, want)
	}
	for _, n := range []int{-1, 3} {
		if _, ok := Rewrite(text, n, d.Root); ok {
			t.Errorf("document %d of three was rewritten", n)
		}
	}
}

// TestRewriteReportsImpossibleChanges checks that a change that cannot be made in the text is reported
// and not made.
func TestRewriteReportsImpossibleChanges(t *testing.T) {
	data := func(name string) document.Path { return document.Keys("data", name) }
	for _, c := range []struct{ why, text string }{
		{"flow style", "data: {a: x, b: y}\n"},
		{"JSON", "{\n  \"data\": {\n    \"a\": \"x\",\n    \"b\": \"y\"\n  }\n}\n"},
		{"an anchor", "data:\n  a: &x x\n  b: *x\n"},
		{"a merge key", "base: &base\n  a: x\ndata:\n  <<: *base\n  b: y\n"},
	} {
		d, err := document.ParseYAML([]byte(c.text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []document.Value{{}, document.NewString("z")} {
			wanted := explain.Drop(schema.Deduced(), d.Root, data("a"))
			if value.Exists() {
				wanted = explain.Adopt(schema.Deduced(), d.Root, data("a"), value)
			}
			got, ok := Rewrite(c.text, 0, wanted)
			if !ok {
				continue
			}
			if again, err := document.ParseYAML([]byte(got), document.Options{}); err != nil || !document.Identical(again.Root, wanted) {
				t.Errorf("%s: became\n%s", c.why, got)
			}
		}
	}
	if _, ok := Rewrite("a: 1\n", 0, document.Value{}); ok {
		t.Error("a manifest without remaining fields was rewritten")
	}
}

// FuzzRewrite removes and replaces each field of a text. Parsing the rewritten text
// must return the wanted value.
func FuzzRewrite(f *testing.F) {
	f.Add(commented)
	f.Add("a:\n- b: 1\n  c: |\n    x\n\n    # y\n- - d\n  - e\nf:\n")
	f.Add("a: {b: 1}\n\"c\" : 'd' # e\n? g\n: h\n")
	f.Fuzz(func(t *testing.T, text string) {
		docs, err := document.Read([]byte(text), document.Options{})
		if err != nil || len(docs) != 1 || len(text) > 1<<12 {
			return
		}
		var walk func(v document.Value, path document.Path)
		walk = func(v document.Value, path document.Path) {
			for name, kid := range v.Members() {
				below := path.Child(name)
				for _, wanted := range []document.Value{explain.Drop(nil, docs[0].Root, below), explain.Adopt(nil, docs[0].Root, below, document.NewString("z #"))} {
					got, ok := Rewrite(text, 0, wanted)
					if again, err := document.Read([]byte(got), document.Options{}); ok && (err != nil || len(again) != 1 || !document.Identical(again[0].Root, wanted)) {
						t.Fatalf("%s became %q", below, got)
					}
				}
				if len(path) < 20 {
					walk(kid, below)
				}
			}
		}
		walk(docs[0].Root, nil)
	})
}
