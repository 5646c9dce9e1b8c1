package playground

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
		t.Fatal("there is no Deployment")
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
		old, text string // what of the text becomes what
	}{
		{"a scalar with a comment behind it", document.Keys("spec", "replicas"), document.NewInt(5), "replicas: 3 #", "replicas: 5 #"},
		{"a scalar goes", document.Keys("spec", "replicas"), document.Value{}, "  replicas: 3 # enough for a Monday\n", ""},
		{"an object goes with the comment in it", document.Keys("spec", "strategy", "type"), document.Value{}, "  strategy:\n    type: Recreate\n    # never two at once\n", ""},
		{"a quoted scalar", in(web, "f:image"), document.NewString("shop/web:2"), `"shop/web:1"`, "shop/web:2"},
		{"quotes in quotes", in(web, "f:env", `k:{"name":"A"}`, "f:value"), document.NewString("# no"), "'it''s'", "'# no'"},
		{"a member of an item goes", in(web, "f:image"), document.Value{}, "        image: \"shop/web:1\" # pinned\n", ""},
		{"the first member of an item goes", in(containers, `k:{"name":"proxy"}`, "f:image"), document.Value{}, "      - image: proxy:2\n        name: proxy\n", "      - name: proxy\n"},
		{"a list in the column of its key goes", in(web, "f:env"), document.Value{}, commented[strings.Index(commented, "        env:"):strings.Index(commented, "        ports:")], ""},
		{"an indented list goes", in(web, "f:ports"), document.Value{}, "        ports:\n          - containerPort: 80\n", ""},
		{"an item goes", in(web, "f:env", `k:{"name":"A"}`), document.Value{}, "        - name: A\n          value: 'it''s'\n", ""},
		{"the last item goes", in(containers, `k:{"name":"proxy"}`), document.Value{}, "      - image: proxy:2\n        name: proxy\n", ""},
	} {
		wanted := explain.Drop(kind.Type(), d.Root, c.path)
		if c.value.Exists() {
			wanted = explain.Adopt(kind.Type(), d.Root, c.path, c.value)
		}
		got, ok := rewrite(commented, wanted, c.path)
		if want := strings.Replace(commented, c.old, c.text, 1); !ok || got != want || want == commented {
			t.Errorf("%s: %v\n%s", c.why, ok, got)
		}
	}
}

// TestRewriteGivesUp: what cannot be changed in the text is not.
func TestRewriteGivesUp(t *testing.T) {
	data := func(name string) document.Path { return document.Keys("data", name) }
	for _, c := range []struct{ why, text string }{
		{"flow style", "data: {a: x, b: y}\n"},
		{"JSON", "{\n  \"data\": {\n    \"a\": \"x\",\n    \"b\": \"y\"\n  }\n}\n"},
		{"an anchor", "data:\n  a: &x x\n  b: *x\n"},
		{"a merge", "base: &base\n  a: x\ndata:\n  <<: *base\n  b: y\n"},
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
			got, ok := rewrite(c.text, wanted, data("a"))
			if !ok {
				continue
			}
			if again, err := document.ParseYAML([]byte(got), document.Options{}); err != nil || !document.Identical(again.Root, wanted) {
				t.Errorf("%s: became\n%s", c.why, got)
			}
		}
	}
	if _, ok := rewrite("a: 1\n", document.Value{}, document.Keys("a")); ok {
		t.Error("a manifest of which nothing is left was rewritten")
	}
}

// FuzzRewrite takes each field out of a text and puts another value into it: what is
// rewritten reads as wanted.
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
					got, ok := rewrite(text, wanted, below)
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
