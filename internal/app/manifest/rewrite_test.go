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
		got, err := Rewrite(commented, 0, wanted)
		if want := strings.Replace(commented, c.old, c.text, 1); err != nil || got != want || want == commented {
			t.Errorf("%s: %v\n%s", c.why, err, got)
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
		{"a list with another item and one more keeps its indentation", "a: # of a\n  - x # of x\nb: 1 # of b\n", "{a: [m, z], b: 1}", "a: # of a\n  - m # of x\n  - z\nb: 1 # of b\n"},
		{"an object replaces a scalar", "a: 1 # of a\nb: 2\n", "{a: {c: 1}, b: 2}", "a: # of a\n  c: 1\nb: 2\n"},
		{"a scalar replaces an object", "a: # of a\n  c: 1\nb: 2\n", "{a: 1, b: 2}", "a: 1 # of a\nb: 2\n"},
		{"a multi-line text is replaced", "a: |\n  x\n  y\nb: 2 # of b\n", "{a: z, b: 2}", "a: z\nb: 2 # of b\n"},
		{"an object becomes empty", "a:\n  c: 1\nb: 2\n", "{a: {}, b: 2}", "a: {}\nb: 2\n"},
		{"flow style is kept", "a: {b: 1, c: 'x, y'} # of a\nd: [1, {e: 2}]\n", "{a: {c: 'x, y'}, d: [1, {e: 3}]}", "a: {c: 'x, y'} # of a\nd: [1, {e: 3}]\n"},
		{"members in flow style keep their order, and texts their quotes", "a: {z: 1, u: \"b:1\", d: [{m: 'p', i: 1}, {m: q, i: 2}]}\n",
			"{a: {z: 2, u: 'b:1', d: [{m: q, i: 2}, {m: r, i: 3}], k: 1}}", "a: {z: 2, u: \"b:1\", d: [{m: q, i: 2}, {m: r, i: 3}], k: 1}\n"},
		{"a changed text in flow style has the quotes that it needs", "a: {p: 'b:1', m: 'c'}\n", "{a: {p: 'b: 2', m: c}}", "a: {p: 'b: 2', m: 'c'}\n"},
		{"null without a value in flow style", "a: {p: ,\n  b:\n  , m: 1}\n", "{a: {p: null, b: null, m: 2}}", "a: {p: null, b: null, m: 2}\n"},
		{"a quoted text of several lines in flow style", "a: {p: 'b\n  c', m: 1}\n", "{a: {p: 'b c', m: 2}}", "a: {p: b c, m: 2}\n"},
		{"a text of several lines replaces a scalar", "data:\n  k: plain # keep me\n  l: x\n", `{data: {k: "live1\nlive2\n", l: x}}`, "data:\n  k: | # keep me\n    live1\n    live2\n  l: x\n"},
		{"a text of several lines replaces a quoted one", "k: \"a # b\" # keep me\n", `{k: "a\nb"}`, "k: |- # keep me\n  a\n  b\n"},
		{"a text of several lines replaces a quoted one of several lines", "k: 'a\n\n  b # b' # keep me\n# end\n", `{k: "a\nb\n"}`, "k: | # keep me\n  a\n  b\n# end\n"},
		{"a text of several lines replaces a plain one of several lines", "k: a\n  b # keep me\nl: x\n", `{k: "a\nb\n", l: x}`, "k: | # keep me\n  a\n  b\nl: x\n"},
		{"a text of several lines replaces a folded one", "k: >- # keep me\n  a\n  # b\nl: x\n", `{k: "a\nb\n", l: x}`, "k: | # keep me\n  a\n  b\nl: x\n"},
		{"a text with an empty line", "k: x\n", `{k: "a\n\nb\n"}`, "k: |\n  a\n\n  b\n"},
		{"a text below its key", "k: # of k\n  x # of x\n", `{k: "a\nb\n"}`, "k: | # of k # of x\n  a\n  b\n"},
		{"a scalar below its key stays there", "k: # of k\n  x # of x\n", `{k: z}`, "k: # of k\n  z # of x\n"},
		{"an empty text whose sign is below its key, in the same column", "k: # of k\n| # of it\nl: x\n", `{k: z, l: x}`, "k: z # of k # of it\nl: x\n"},
		{"a comment below a scalar is kept", "m:\n  k: 'a' # one\n    # two\n  l: x\n", `{m: {k: b, l: x}}`, "m:\n  k: b # one\n    # two\n  l: x\n"},
		{"an item that is a text of several lines", "command:\n- sh # the shell\n- -c\n- | # the program\n  echo 1\n  # no comment\n- last # one\n", `{command: [sh, -c, "echo 2\n", last]}`, "command:\n- sh # the shell\n- -c\n- | # the program\n  echo 2\n- last # one\n"},
		{"an item becomes a text of several lines", "command:\n  - sh # the shell\n  - echo # it\n", `{command: [sh, "a\nb\n"]}`, "command:\n  - sh # the shell\n  - | # it\n    a\n    b\n"},
		{"an item that is a quoted text of several lines", "command:\n- sh # the shell\n- \"echo 1\n\n  echo 2\" # it\n", `{command: [sh, x]}`, "command:\n- sh # the shell\n- x # it\n"},
		{"items are inserted after a text of several lines", "command:\n- sh # the shell\n- |\n  a\n- z # last\n", `{command: [sh, "a\n", b, "c\nd\n", z]}`, "command:\n- sh # the shell\n- |\n  a\n- b\n- |\n  c\n  d\n- z # last\n"},
		{"items are inserted at the beginning", "a:\n  # the first\n  - x # of x\n", `{a: [v, w, x]}`, "a:\n  # the first\n  - v\n  - w\n  - x # of x\n"},
		{"an item is an object", "a:\n- x # of x\n- y\n", `{a: [{b: 1, c: 2}, y]}`, "a:\n- # of x\n  b: 1\n  c: 2\n- y\n"},
		{"an item of a list in a list", "a:\n- - x # of x\n  - y\n- - z\n", `{a: [[v, y], [z, "a\nb\n"]]}`, "a:\n- - v # of x\n  - y\n- - z\n  - |\n    a\n    b\n"},
		{"the first item of a list in a list is removed", "a:\n- - x\n  - y # of y\n", `{a: [[y]]}`, "a:\n- - y # of y\n"},
		{"a dash on a line of its own", "a:\n-\n  b: 1 # of b\n- c: 1\n", `{a: [{b: 2}, {c: "a\nb\n"}]}`, "a:\n-\n  b: 2 # of b\n- c: |\n    a\n    b\n"},
		{"flow style on several lines", "a: [x,\n  'y ] # z'] # of a\nb: 1 # of b\n", `{a: [x, z], b: 1}`, "a: [x, z] # of a\nb: 1 # of b\n"},
		{"a text of several lines in lines that end in CR LF", "k: x # keep me\r\nl:\r\n- y\r\n", `{k: "a\n\nb\n", l: [y, "c\n"], m: 1}`, "k: | # keep me\r\n  a\r\n\r\n  b\r\nl:\r\n- y\r\n- |\r\n  c\r\nm: 1\r\n"},
		{"a value for a key without one", "a: # of a\n# of b\nb:\nc:\n  d:\n  # of e\n  e: 1\n", "{a: x, b: {f: 1}, c: {d: '', e: 1}}", "a: x # of a\n# of b\nb:\n  f: 1\nc:\n  d: \"\"\n  # of e\n  e: 1\n"},
		{"a value for a dash without one", "a:\n- # first\n-\n- c\n", "{a: [b, {d: 1}, c]}", "a:\n- b # first\n- d: 1\n- c\n"},
		{"an empty text is replaced", "a:\n- '' # first\n- \"\"\n- - ''\n", "{a: [b, {d: 1}, [e]]}", "a:\n- b # first\n- d: 1\n- - e\n"},
		{"an empty text is removed, and an item inserted after one", "a:\n- '' # first\n- '' # second\n- c\nb:\n- '' # third\n", "{a: ['', c], b: ['', d]}", "a:\n- '' # first\n- c\nb:\n- '' # third\n- d\n"},
		{"an empty text in flow style keeps its quotes", "a: ['', x]\n", "{a: ['', z]}", "a: ['', z]\n"},
		{"a key without a value is removed", "a:\nb: # of b\n# of c\nc:\n-\n- d\n", "{a: null, c: [d]}", "a:\n# of c\nc:\n- d\n"},
		{"a null with a text", "a: ~ # of a\n", "{a: x}", "a: x # of a\n"},
		{"comments between a key and its value belong to the value", "a: # of a\n\n  # of b\n  b: 1\nc: 2\n", "{c: 2}", "c: 2\n"},
		{"an item below its dash", "a:\n- # of b\n  b: 1\n  c: 2\n- # of d\n  d: 1\n- e\n", "{a: [{c: 2}, e]}", "a:\n- # of b\n  c: 2\n- e\n"},
		{"the comment of the second member, which moves to the line of the dash", "a:\n- b: 1 # of b\n  # of c\n  c: 2\n", "{a: [{c: 2}]}", "a:\n- # of c\n  c: 2\n"},
		{"a comment below a text of several lines is kept", "a: x\n  y\n  # of b\nb: 1\n", "{a: z, b: 1}", "a: z\n  # of b\nb: 1\n"},
		{"an object replaces a list, and a list an object", "a:\n- b\nc:\n  d: 1\n", "{a: {b: c}, c: [d]}", "a:\n  b: c\nc:\n- d\n"},
		{"an object replaces an item without a comment", "a:\n- b\n- c\n", "{a: [{d: 1, e: 2}, c]}", "a:\n- d: 1\n  e: 2\n- c\n"},
		{"an item after one that it equals", "a:\n- b # one\n- b # two\n", "{a: [b, b, b]}", "a:\n- b # one\n- b # two\n- b\n"},
		{"a member of an only line without an end", "a: 1", "{a: 1, b: 2}", "a: 1\nb: 2\n"},
		{"columns are counted in characters", "é: x # of é\nà: {b: 1} # of à\n", "{é: z, à: {b: 2}}", "é: z # of é\nà: {b: 2} # of à\n"},
		{"lines that end in CR LF", "a: 1 # x\r\nb:\r\n  c: 1\r\n  d: 2\r\n", "{a: 2, b: {d: 2}}", "a: 2 # x\r\nb:\r\n  d: 2\r\n"},
	} {
		d, err := document.ParseYAML([]byte(c.wanted), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Rewrite(c.text, 0, d.Root); err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.why, err, got, c.want)
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
	got, err := Rewrite(text, 1, d.Root)
	if want := "# first\na: 1\n---\n# second\na: 5 # two\n---\na: {c: 3}\n"; err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	for _, n := range []int{-1, 3} {
		if _, err := Rewrite(text, n, d.Root); err == nil {
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
			got, err := Rewrite(c.text, 0, wanted)
			if err != nil {
				continue
			}
			if again, err := document.ParseYAML([]byte(got), document.Options{}); err != nil || !document.Identical(again.Root, wanted) {
				t.Errorf("%s: became\n%s", c.why, got)
			}
		}
	}
	if _, err := Rewrite("a: 1\n", 0, document.Value{}); err == nil {
		t.Error("a manifest without remaining fields was rewritten")
	}
}

// TestRewriteReasons checks that the error names the field that cannot be changed in place, and
// the reason.
func TestRewriteReasons(t *testing.T) {
	for _, c := range []struct{ why, text, wanted, want string }{
		{"an alias has no place of its own", "a: &x [1]\nb: *x\n", "{a: [1], b: [2]}", ".b[0]: the key or the dash of the value is not before it"},
		{"a tag is not the value", "a: 1\nb: !!str 1\n", "{a: 1, b: z}", ".b: "},
		{"a comment would be lost", "a: 1\nb: [x, # of x\n  y]\n", "{a: 1, b: [z]}", ".b: the value is in flow style"},
		{"JSON is printed as JSON", "{\"a\": 1}\n", "{a: 2}", "the document: the value is in flow style"},
	} {
		d, err := document.ParseYAML([]byte(c.wanted), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Rewrite(c.text, 0, d.Root); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
}

// FuzzRewrite removes and replaces each field of a text. Parsing the rewritten text
// must return the wanted value.
func FuzzRewrite(f *testing.F) {
	f.Add(commented)
	f.Add("a:\n- b: 1\n  c: |\n    x\n\n    # y\n- - d\n  - e\nf:\n")
	f.Add("a: {b: 1}\n\"c\" : 'd' # e\n? g\n: h\n")
	f.Add("a:\n|") // a value that is not further right than its key
	f.Fuzz(func(t *testing.T, text string) {
		docs, err := document.Read([]byte(text), document.Options{})
		if err != nil || len(docs) != 1 || len(text) > 1<<12 {
			return
		}
		var walk func(v document.Value, path document.Path)
		walk = func(v document.Value, path document.Path) {
			for name, kid := range v.Members() {
				below := path.Child(name)
				for _, wanted := range []document.Value{explain.Drop(nil, docs[0].Root, below), explain.Adopt(nil, docs[0].Root, below, document.NewString("z #")), explain.Adopt(nil, docs[0].Root, below, document.NewString("x\n\n# y\n"))} {
					got, refused := Rewrite(text, 0, wanted)
					if again, err := document.Read([]byte(got), document.Options{}); refused == nil && (err != nil || len(again) != 1 || !document.Identical(again[0].Root, wanted)) {
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
