package document

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func mustKey(t testing.TB, text string) Step {
	t.Helper()
	s, _, err := ParseElement(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParsePath(t *testing.T) {
	app := mustKey(t, `k:{"name":"app"}`)
	ports := mustKey(t, `k:{"containerPort":80,"protocol":"TCP"}`)
	containers := Keys("spec", "containers")
	for _, c := range []struct {
		text   string
		want   Path
		reason string
	}{
		{".", nil, "the object itself"},
		{"$", nil, "the object itself in JSONPath"},
		{"{.}", nil, "the object itself for kubectl"},
		{".spec.replicas", Keys("spec", "replicas"), "with a leading dot"},
		{"spec.replicas", Keys("spec", "replicas"), "without a leading dot"},
		{"{.spec.replicas}", Keys("spec", "replicas"), "kubectl get -o jsonpath"},
		{"{$.spec.replicas}", Keys("spec", "replicas"), "JSONPath with a root"},
		{" .spec.replicas\n", Keys("spec", "replicas"), "surrounding white space"},
		{"spec.ports[0].name", Keys("spec", "ports").Item(0).Child("name"), "an index"},
		{"spec.ports.[0].name", Keys("spec", "ports").Item(0).Child("name"), "a dot before a bracket"},
		{`.metadata.labels["a/b"]`, Keys("metadata", "labels", "a/b"), "a quoted name"},
		{`.metadata.labels['a.b/c']`, Keys("metadata", "labels", "a.b/c"), "a name in single quotes"},
		{`{.metadata.labels.app\.kubernetes\.io/name}`, Keys("metadata", "labels", "app.kubernetes.io/name"), "escaped dots"},
		{`.metadata.labels['app\.kubernetes\.io/name']`, Keys("metadata", "labels", "app.kubernetes.io/name"), "escaped dots in quotes"},
		{`.metadata.labels.a/b`, Keys("metadata", "labels", "a/b"), "a slash is part of a name"},
		{`spec.limits[cpu]`, Keys("spec", "limits", "cpu"), "a map key in the notation of Status causes"},
		{`metadata.annotations[example.com/a]`, Keys("metadata", "annotations", "example.com/a"), "a key of a map with dots"},
		{`.data["0"]`, Keys("data", "0"), "a name consisting of digits"},
		{`.a[""]`, Keys("a", ""), "the empty name"},
		{`.a["\u00e9\n"]`, Keys("a", "é\n"), "escapes in a name"},
		{`.größe`, Keys("größe"), "letters outside ASCII"},
		{`.spec.containers[name="app"].image`, containers.Join(app).Child("image"), "a key"},
		{`.spec.containers[name=app].image`, containers.Join(app).Child("image"), "a key without quotes"},
		{`.spec.containers[name='app'].image`, containers.Join(app).Child("image"), "a key in single quotes"},
		{`.spec.containers["name"="app"].image`, containers.Join(app).Child("image"), "a quoted key field"},
		{`{.spec.containers[?(@.name=="app")].image}`, containers.Join(app).Child("image"), "a filter"},
		{`.p[?(@.protocol=="TCP" && @.containerPort==80)]`, Keys("p").Join(ports), "a filter with two fields"},
		{`.p[containerPort=80,protocol="TCP"]`, Keys("p").Join(ports), "two key fields"},
		{`.p[protocol=TCP,containerPort=80.0]`, Keys("p").Join(ports), "key fields in another order, a number in another form"},
		{`.f[="a.b/c]"]`, Keys("f").Join(mustKey(t, `v:"a.b/c]"`)), "an item of a set"},
		{`.f[=1.5]`, Keys("f").Join(mustKey(t, `v:1.5`)), "a number in a set"},
		{`.f[=1e+06]`, Keys("f").Join(mustKey(t, `v:1000000`)), "a number in the notation of conflict messages"},
		{`f:spec.f:containers.k:{"name":"app"}.f:image`, containers.Join(app).Child("image"), "managedFields"},
		{`f:spec/f:containers/k:{"name":"app"}/f:image`, containers.Join(app).Child("image"), "managedFields with slashes"},
		{`f:metadata.f:labels.f:a.b/c`, Keys("metadata", "labels", "a.b/c"), "dots in a name of managedFields"},
		{`f:p.k:{ "protocol":"TCP", "containerPort":80 }`, Keys("p").Join(ports), "a key in another order"},
		{`f:f.v:"a".f:b`, Keys("f").Join(mustKey(t, `v:"a"`)).Child("b"), "a value of managedFields"},
		{`f:f.v:1.f:b`, Keys("f").Join(mustKey(t, `v:1`)).Child("b"), "a number of managedFields"},
		{`f:f.i:3`, Keys("f").Item(3), "an index of managedFields"},
		{`.f[i:-1]`, Keys("f").Item(-1), "a negative index in managedFields"},
		{`.f[k:{}]`, Keys("f").Join(mustKey(t, `k:{}`)), "a key in managedFields that KeyStep refuses"},
		{`.spec.containers.k:{"name":"app"}`, containers.Join(app), "both spellings"},
	} {
		got, err := ParsePath(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s (%s): %v, %v; want %v", c.text, c.reason, got, err, c.want)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "a path is required"},
		{"{}", "a path is required"},
		{"..spec", `".." matches more than one field`},
		{".spec..replicas", `".." matches more than one field`},
		{".spec.", "after the last dot"},
		{".spec.*", "matches more than one field"},
		{".items[*].spec", "matches every item"},
		{".a[-1]", "cannot be negative"},
		{".a[]", "in the brackets"},
		{".a[", "missing closing bracket"},
		{".a[0", "expected a closing bracket"},
		{".a[0]b", "a dot or an opening bracket"},
		{`.a["b]`, "no closing quote"},
		{".a b", "a dot or an opening bracket"},
		{".a{b", `'{' cannot be part of a field name`},
		{`.a[name="x",]`, "cannot be part of a field name"},
		{`.a[name="x",b]`, "a key field requires a value"},
		{`.a[name="x",name="y"]`, "given twice"},
		{`.a[name={"x":1}]`, "must be a scalar"},
		{`.a[=null]`, "must be a string, a number or a boolean"},
		{`.a[=[1]]`, "must be a string, a number or a boolean"},
		{`.a[?(@.n>1)]`, "unsupported JSONPath filter"},
		{"f:a.k:[1]", "must be an object"},
		{"f:a.i:x", "an index must be an integer"},
	} {
		got, err := ParsePath(c.text)
		var e *PathError
		if !errors.As(err, &e) || !errors.Is(err, ErrPath) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want an error with %q", c.text, got, err, c.want)
		}
	}
}

func TestPathString(t *testing.T) {
	for _, c := range []struct {
		path Path
		want string
	}{
		{nil, "."},
		{Keys("spec", "template", "spec", "containers").Join(mustKey(t, `k:{"name":"web"}`)).Child("image"), `.spec.template.spec.containers[name="web"].image`},
		{Keys("metadata", "labels", "a/b"), `.metadata.labels["a/b"]`},
		{Keys("p").Join(mustKey(t, `k:{"protocol":"TCP","containerPort":1000000}`)), `.p[containerPort=1000000,protocol="TCP"]`},
		{Keys("a", ""), `.a[""]`},
		{Keys("rules").Join(mustKey(t, `k:{"rule":"self \u003e 0 \u0026\u0026 self \u003c 9"}`)), `.rules[rule="self > 0 && self < 9"]`},
		{Keys("a").Join(mustKey(t, `v:"\u003cb\u003e"`)), `.a[="<b>"]`},
		{Path{}.Item(3).Item(0), "[3][0]"},
		{Keys("a").Join(mustKey(t, `k:{"a/b":1}`)), `.a[k:{"a/b":1}]`},
		{Keys("a").Join(mustKey(t, `v:null`)), `.a[v:null]`},
	} {
		if got := c.path.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		var again struct{ P Path }
		text, err := json.Marshal(map[string]Path{"P": c.path})
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !slices.Equal(again.P, c.path) {
			t.Errorf("%s is marshaled as %s and read back as %s, %v", c.want, text, again.P, err)
		}
	}
}

func TestStepConstructorsRefuseInvalidKeys(t *testing.T) {
	parse := func(text string) Value {
		d, err := Parse([]byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	a, err := KeyStep(parse(`{"protocol":"TCP","containerPort":80.0}`))
	if b, _ := KeyStep(parse(`{"containerPort":80,"protocol":"TCP"}`)); err != nil || a != b {
		t.Errorf("%v, %v; want the same step as %v", a, err, b)
	}
	for _, text := range []string{`{}`, `[]`, `"x"`, `{"a":{}}`, `{"a":[1]}`, `null`} {
		if s, err := KeyStep(parse(text)); !errors.Is(err, ErrPath) {
			t.Errorf("KeyStep(%s): %v, %v; want an error", text, s, err)
		}
	}
	for _, text := range []string{`{}`, `[]`, `null`} {
		if s, err := ValueStep(parse(text)); !errors.Is(err, ErrPath) {
			t.Errorf("ValueStep(%s): %v, %v; want an error", text, s, err)
		}
	}
}

func TestFollow(t *testing.T) {
	d, err := Parse([]byte(`{"ports":[{"port":80,"name":"a"},{"port":80,"protocol":"TCP","name":"b"},{"port":53,"name":"c"}],"set":["x",2]}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want, reason string }{
		{".ports[0].name", `"a"`, "by index"},
		{".ports[3]", "nothing", "an index beyond the end"},
		{".ports[i:-1]", "nothing", "a negative index"},
		{".ports[port=80,protocol=TCP].name", `"b"`, "an item with all key fields"},
		{".ports[port=53,protocol=TCP].name", `"c"`, "an item without the field that has a default"},
		{".ports[port=54,protocol=TCP]", "nothing", "no such item"},
		{".set[=2]", "2", "an item of a set"},
		{".set[=2].a", "nothing", "a field of a scalar"},
		{".ports.name", "nothing", "a field of a list"},
	} {
		p, err := ParsePath(c.path)
		if got := d.Root.Follow(p).String(); err != nil || got != c.want {
			t.Errorf("%s (%s): %s, %v; want %s", c.path, c.reason, got, err, c.want)
		}
	}
}

func TestSet(t *testing.T) {
	const object = `{"list":[{"name":"a","v":1}],"set":["x"],"text":"t","null":null}`
	d, err := Parse([]byte(object), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, value, want, reason string }{
		{".a.b", "1", `{"a":{"b":1},"list":[{"name":"a","v":1}],"null":null,"set":["x"],"text":"t"}`, "missing objects are created"},
		{".null.b", "1", `{"list":[{"name":"a","v":1}],"null":{"b":1},"set":["x"],"text":"t"}`, "null becomes an object"},
		{".list[name=a].v", "2", `{"list":[{"name":"a","v":2}],"null":null,"set":["x"],"text":"t"}`, "in an item"},
		{".list[0]", "", `{"list":[],"null":null,"set":["x"],"text":"t"}`, "an item is removed"},
		{".set[=x]", `"y"`, `{"list":[{"name":"a","v":1}],"null":null,"set":["y"],"text":"t"}`, "an item of a set"},
		{".a.b", "", object, "removing a missing value creates nothing"},
		{".list.b", "1", "", "a field of a list"},
		{".text.b", "1", "", "a field of a scalar"},
		{".list[1].b", "1", "", "no such item"},
		{".text[0]", "1", "", "an item of a scalar"},
	} {
		p, err := ParsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		var value Value
		if c.value != "" {
			if err := value.UnmarshalJSON([]byte(c.value)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := d.Root.SetAt(p, value)
		if c.want == "" {
			if !errors.Is(err, ErrPath) || got.String() != d.Root.String() {
				t.Errorf("%s (%s): %s, %v; want an error", c.path, c.reason, got, err)
			}
		} else if want, _ := Parse([]byte(c.want), Options{}); err != nil || !Identical(got, want.Root) {
			t.Errorf("%s (%s): %s, %v; want %s", c.path, c.reason, got, err, c.want)
		}
		var names []string
		for _, s := range p {
			name, ok := s.Name()
			if !ok {
				names = nil
				break
			}
			names = append(names, name)
		}
		if len(names) == 0 {
			continue
		}
		want := got // unchanged after an error
		if got := d.Root.Set(value, names...); !Identical(got, want) {
			t.Errorf("Set %s (%s): %s, want %s", c.path, c.reason, got, want)
		}
	}
}

func TestValueAsJSON(t *testing.T) {
	type record struct {
		A Value
		B Value `json:",omitzero"`
		C Value
	}
	in := record{A: NewObject().With("x", NewString("<é>")), C: NewNull()}
	text, err := json.Marshal(in)
	var out record
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil || string(text) != `{"A":{"x":"\u003cé\u003e"},"C":null}` || !Identical(out.A, in.A) || out.B.Exists() || !out.C.IsNull() {
		t.Errorf("%s, %v: %v", text, err, out)
	}
	if text, err := json.Marshal(Value{}); err != nil || string(text) != "null" {
		t.Errorf("an absent value is %s, %v", text, err)
	}
}

func TestCompareSteps(t *testing.T) {
	in := []string{`i:10`, `i:9`, `v:10`, `v:9`, `v:"10"`, `v:true`, `k:{"n":10}`, `k:{"n":9}`, `k:{"m":"z"}`, `f:b`, `f:a`, `f:`}
	want := []string{`f:`, `f:a`, `f:b`, `k:{"m":"z"}`, `k:{"n":9}`, `k:{"n":10}`, `v:9`, `v:10`, `v:"10"`, `v:true`, `i:9`, `i:10`}
	var p Path
	for _, e := range in {
		p = append(p, mustKey(t, e))
	}
	slices.SortFunc(p, Step.Compare)
	for i, s := range p {
		if s.Element() != want[i] {
			t.Errorf("position %d: %s, want %s", i, s.Element(), want[i])
		}
	}
}

// FuzzParsePath checks that Path.String and ParsePath are inverses, and that each step
// survives a round trip through managedFields' form.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{
		`.spec.containers[name="app"].image`, `{.spec.replicas}`, `f:spec.k:{"a":[1,{"b":null}]}.v:1e9.i:-5`, `.a["x\u0000\"<"]['y\'']`,
		`.p[?(@.a=="b" && @.c==true)]`, `.m[x=1,y='z',"w w"=-0.5]`, `$[0][="]"]`, `.a\ b.\\c`, "\xff.\xfe", `.f[k:{}][v:{"a":1}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			var e *PathError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		again, err := ParsePath(p.String())
		if err != nil || !slices.Equal(again, p) {
			t.Fatalf("%q is read as %s, and that as %s, %v", text, p, again, err)
		}
		for _, s := range p {
			if e, known, err := ParseElement(s.Element()); err != nil || !known || e != s {
				t.Fatalf("%q: the element %s is read as %s, %v", text, s.Element(), e, err)
			}
		}
	})
}
