package document

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	sigsyaml "sigs.k8s.io/yaml"
)

// checkYAML compares ParseYAML with sigs.k8s.io/yaml, which parses YAML bodies in the API
// server.
func checkYAML(t *testing.T, in []byte, why string) {
	t.Helper()
	want, wantErr := sigsyaml.YAMLToJSON(in)
	d, err := ParseYAML(in, Options{Duplicates: DuplicatesLast})
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q (%s): error %v, sigs.k8s.io/yaml says %v", in, why, err, wantErr)
	}
	if err != nil {
		return
	}
	std, ok := stdPrint(t, want)
	if got := d.Root.JSON(); ok && !bytes.Equal(got, std) {
		t.Fatalf("%q (%s):\n got %s\nwant %s", in, why, got, std)
	}
}

func TestParseYAMLAgreesWithAPIServer(t *testing.T) {
	for _, c := range []struct{ in, why string }{
		{"a: yes\nb: no\nc: on\nd: y\ne: \"yes\"", "YAML 1.1 booleans"},
		{"a: 010\nb: 0x1F\nc: 0b11\nd: 1_000\ne: 0o17\nf: +1\ng: -0\nh: 1e3\ni: 1.0\nj: .5\nk: 1e400\nl: 18446744073709551615", "numbers"},
		{"a: 0b-101\nb: -0b101\nc: 0b+1\nd: -0b-1\ne: 0b_-1\nf: 0o-7\ng: 0x-1", "a sign inside a number"},
		{"a: 2001-01-01\nb: 2001-01-01T00:00:00Z\nc: 1:30", "timestamps remain strings"},
		{"a: ~\nb:\nc: null\nd: ''", "null"},
		{"1: a\n1.5: b\ntrue: c", "other keys become strings"},
		{"? [a]\n: b", "a list as a key is refused"},
		{"~: b", "null as a key is refused"},
		{"a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\nf: {b: 3, <<: *x}", "anchors, aliases and merge keys"},
		{"a: 1\na: 2", "of two equal keys the last is used"},
		{"a: |\n  x\n  y\nb: >\n  x\n  y\nc: \"\\u00e9\"\nd: 'it''s'", "string styles"},
		{"a: !!str 1\nb: !!int \"2\"\nc: !!binary aGk=\nd: !!float 3\ne: !x y", "tags"},
		{"{\"a\":1.0,\"b\":[1,2],\"c\":\"\\u00e9\"}", "JSON is YAML too"},
		{`{"a":"\ud83d\ude00"}`, "an escaped surrogate pair is refused"},
		{`{"a":"x\/y"}`, "an escaped slash, as some libraries print it, is refused"},
		{"a:\n- \"x\\/y\"", "the same in a block"},
		{`{"a":"\b\f\r\n\t\"\\"}`, "the other escapes of JSON"},
		{"a: .inf", "infinity is refused"}, {"a: +.Inf", "an infinity with a sign"}, {"a: -.INF", "the negative infinity"}, {"a: .NaN", "what is no number"}, {"a: .iNF", "a text that only looks like an infinity"},
		{`{"a":123456789012345678901234567890}`, "digits in JSON of which a float64 does not keep all"},
		{`{"a":1234567890123456789}`, "an integer of 19 digits"},
		{"a: b: c", "invalid YAML"}, {"\ta: 1", "a tab cannot indent"}, {"a: 1\n---\nb: [", "only the first document is read"},
		{"a: 1\n---\n@b\n", "a character behind the first document that begins no token"}, {"# a\n---\na: \"\\q\"\n---\n@b\n", "an unknown escape in the first document"},
		{"# a\n---\nb: 1\n---\n\"c", "a comment is no document"}, {"---\n---\nb: 1\n", "an empty first document is null"},
		{"", "an empty input is null"},
	} {
		checkYAML(t, []byte(c.in), c.why)
	}
	words := strings.Fields("~ null Null NULL nuLL y Y yes Yes YES yEs true True TRUE on On ON n N no No NO false False FALSE off Off OFF .nan .NaN .NAN .inf .Inf .INF +.inf +.INF -.inf -.Inf .Nan 1 1.5 0x1 1e3 a")
	for _, word := range words {
		for _, form := range []string{"%s", "'%s'", "[%s]", "!!bool %s", "!!null %s", "!!int %s", "!!float %s", "!!str %s", "!!bool '%s'"} {
			checkYAML(t, fmt.Appendf(nil, "a: "+form+"\n", word), "a word with and without quotes and a tag")
		}
	}
}

func TestReadErrorsHavePositions(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{"a: 1\nb:\n  c: 1\n  c: 2\n", `f.yaml:4:3: key "c" is duplicated in the object`, "a key twice in YAML"},
		{"{\n \"a\": 1,\n \"a\": 2}", `f.yaml:3:2: key "a" is duplicated in the object`, "a key twice in JSON"},
		{"{\n \"é\": x]", `f.yaml:2:7: a value cannot begin with 'x'`, "columns are counted in characters"},
		{"a: [1\nb: 2", `f.yaml:2:1: invalid YAML: did not find expected ',' or ']'`, "the library's own message, at the fault if the list begins in the first line"},
		{"a: b\nc: {d: e\nf: [", `f.yaml:2:1: invalid YAML: did not find expected ',' or '}'`, "the line of an object that is not closed"},
		{"a:\n  - b\n c: d", `f.yaml:3:1: invalid YAML: did not find expected key`, "a line with too little indentation"},
		{"a:\n  - b\n  c: d", `f.yaml:2:1: invalid YAML: did not find expected '-' indicator`, "a key in a list"},
		{"a: b\nc: \"d", `f.yaml:2:1: invalid YAML: found unexpected end of stream`, "a quote that is not closed"},
		{"a: [\n", `f.yaml:1:1: invalid YAML: did not find expected node content`, "a list that the text ends in"},
		{"a: b\n\tc: d", `f.yaml:2:1: invalid YAML: found a tab character that violates indentation`, "a tab"},
	} {
		_, err := Read([]byte(c.in), Options{Name: "f.yaml"})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.why, err, c.want)
		}
	}
	docs, err := Read([]byte("a:\n- x: 1\n- k: {z: w}\n---\n---\nb: 1\n"), Options{})
	if err != nil || len(docs) != 2 {
		t.Fatalf("a stream of two documents: %d, %v", len(docs), err)
	}
	if p := docs[0].PositionOf(Keys("a").Item(1).Child("k").Child("z")); p.Line != 3 || p.Column != 10 {
		t.Errorf("position of .a[1].k.z: %v, want 3:10", p)
	}
}

// TestReadObjectsThatFollowEachOther checks JSON objects without anything between them, as jq prints
// them and as kubectl reads them.
func TestReadObjectsThatFollowEachOther(t *testing.T) {
	for _, c := range []struct {
		in, why string
		want    int
		err     string
	}{
		{`{"a":1}{"a":2}`, "on one line", 2, ""},
		{"{\"a\":1}\n{\"a\":\n2}\r\n\t{}\n", "on several lines", 3, ""},
		{"{\"a\":1}\n---\n{\"a\":2}\n", "separated as in YAML", 2, ""},
		{"{\"a\":1}\n[]", "a list after an object", 0, "f:2:1: unexpected text after the end of the value"},
		{"[]{}", "an object after a list", 0, "f:1:3: unexpected text after the end of the value"},
		{"{\"a\":1}\nx", "other text", 0, "f:2:1: unexpected text after the end of the value"},
		{"{\"a\":1}\n{\"a\":1,\"a\":1}", "a key twice", 0, `f:2:8: key "a" is duplicated in the object`},
	} {
		docs, err := Read([]byte(c.in), Options{Name: "f"})
		if c.err == "" && (err != nil || len(docs) != c.want) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s: %d documents, %v", c.why, len(docs), err)
		}
	}
	docs, err := Read([]byte("{\"a\":1}\n {\"a\":{\"b\":1,\n\"b\":2}} {\"c\":0,\"c\":1}"), Options{Duplicates: DuplicatesLast})
	if err != nil || len(docs) != 3 || len(docs[0].Duplicates) != 0 || len(docs[1].Duplicates) != 1 || len(docs[2].Duplicates) != 1 {
		t.Fatalf("keys twice: %v, %v", docs, err)
	}
	if d := docs[1].Duplicates[0]; d.Path.String() != ".a.b" || d.Position.Line != 3 {
		t.Errorf("the key of the second object that is there twice: %v at %v", d.Path, d.Position)
	}
	if d := docs[2].Duplicates[0]; d.Path.String() != ".c" || d.Position.Line != 3 || d.Position.Column != 20 {
		t.Errorf("the key of the third object that is there twice: %v at %v", d.Path, d.Position)
	}
	const n = 5_000
	docs, err = Read(bytes.Repeat([]byte("{\"a\":\n1}\n"), n), Options{})
	if err != nil || len(docs) != n {
		t.Fatal(len(docs), err)
	}
	for i, d := range docs {
		if p := d.PositionOf(Keys("a")); p.Line != 2*i+2 || p.Column != 1 {
			t.Fatalf("the field of object %d is at %v", i, p)
		}
	}
	if most := 10*n + n*checkpointBytes; docs[0].lookup.scanned > most {
		t.Errorf("read %d bytes for positions, want at most %d", docs[0].lookup.scanned, most)
	}
}

// TestReadBoundsAliases reads small inputs whose aliases and merge keys multiply. Without a bound
// each would take gigabytes or hours.
func TestReadBoundsAliases(t *testing.T) {
	// levels returns n members, each of which has ten times what the one before it has.
	levels := func(n int, first, next string) string {
		text := "a0: &a0 " + first + "\n"
		for i := range n {
			of := strings.Repeat(fmt.Sprintf(",*a%d", i), 10)[1:]
			text += fmt.Sprintf("a%d: &a%d "+next+"\n", i+1, i+1, of)
		}
		return text
	}
	var large ObjectBuilder
	for i := range 1000 {
		large.Set(fmt.Sprint("x", i), NewNull())
	}
	for _, c := range []struct{ in, why string }{
		{levels(8, "[x,x,x]", "[%s]"), "lists of lists"},
		{levels(8, "{x: y}", "{<<: [%s]}"), "merge keys"},
		{levels(8, "{}", "{<<: [%s]}"), "merge keys that add nothing"},
		{strings.Repeat("---\n"+levels(4, "[x,x,x]", "[%s]"), 100), "many documents, each of which is within the bound of a large one"},
		{strings.Repeat("---\n"+levels(4, "{}", "{<<: [%s]}"), 200), "many documents with merge keys"},
		{"a: &a " + large.Object().String() + "\nb: [" + strings.Repeat("{<<: ["+strings.Repeat("*a,", 100)+"]},", 100) + "]", "many objects that merge a large one"},
	} {
		if _, err := Read([]byte(c.in), Options{}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
	for _, c := range []struct{ in, why string }{
		{"a: &a {x: 1}\n" + "b: [" + strings.Repeat("*a,", 1000) + "]", "an alias that is used often"},
		{strings.Repeat("---\na: &a {x: 1}\nb: {<<: *a, y: 2}\n", 1000), "many documents with a merge key"},
	} {
		if _, err := Read([]byte(c.in), Options{}); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// TestReadBoundsRepeatedAliases: aliases may expand to ten times the size of the input plus
// one megabyte.
func TestReadBoundsRepeatedAliases(t *testing.T) {
	const anchor = 100 << 10
	text := "a: &a " + strings.Repeat("x", anchor) + "\nb:\n"
	within, beyond := 8, 25 // the budget of 10 × 100 KiB + 1 MiB suffices for about 20
	if _, err := Read([]byte(text+strings.Repeat("- *a\n", within)), Options{}); err != nil {
		t.Errorf("%d aliases of %d bytes: %v", within, anchor, err)
	}
	if _, err := Read([]byte(text+strings.Repeat("- *a\n", beyond)), Options{}); err == nil {
		t.Errorf("%d aliases of %d bytes were read", beyond, anchor)
	}
}

func TestYAMLHasKubectlFormat(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{`{"b":[{"x":1,"y":"2"},[]],"a":{}}`, "a: {}\nb:\n- x: 1\n  \"y\": \"2\"\n- []\n", "lists are not indented, what looks like a number is quoted"},
		{`{"a":"x\ny\n","b":"yes","c":"a: b","d":"","e":null,"f":true}`, "a: |\n  x\n  y\nb: \"yes\"\nc: 'a: b'\nd: \"\"\ne: null\nf: true\n", "strings"},
		{`{"a":"7b2f-4b5e","b":"1e5","c":"0o17","d":"1.2.3","e":"12:30","f":"v1","g":"5d"}`, "a: 7b2f-4b5e\nb: \"1e5\"\nc: \"0o17\"\nd: 1.2.3\ne: \"12:30\"\nf: v1\ng: 5d\n", "text that some parsers read as a number is quoted; an id or version is not"},
		{`{".":{},"-":1}`, "'-': 1\n.: {}\n", "names that resemble numbers"},
		{`{"t":"2001-01-01T00:00:00Z","h":"0x1","s":"1:30"}`, "h: \"0x1\"\ns: \"1:30\"\nt: \"2001-01-01T00:00:00Z\"\n", "timestamps are quoted"},
	} {
		d, err := Parse([]byte(c.in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(d.Root.YAML()); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, got, c.want)
		}
	}
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, {y: z}]", "{\"a\": \"b\"}", "a: |\n x\n", "- yes\n- 1.5\n", "a: \"\\t x\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		d, err := ParseYAML(in, Options{Duplicates: DuplicatesLast})
		if err != nil {
			return
		}
		back, err := ParseYAML(d.Root.YAML(), Options{})
		if err != nil || !Equal(back.Root, d.Root) {
			t.Fatalf("%q prints as\n%s\nwhich reads as %v (%v), not %v", in, d.Root.YAML(), back, err, d.Root)
		}
	})
}

// TestSyntaxErrorsHaveNoValues: an input that cannot be parsed may be a Secret, so a message has at
// most one character of a value.
func TestSyntaxErrorsHaveNoValues(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"an unknown escape", `{"password":"\hunter2"}`, `f:1:14: invalid escape sequence: a backslash followed by 'h'`},
		{"an unknown escape of a character of several bytes", `{"password":"\éhunter2"}`, `f:1:14: invalid escape sequence: a backslash followed by 'é'`},
		{"an escape of a byte that is no UTF-8", "{\"password\":\"\\\xffhunter2\"}", `f:1:14: invalid escape sequence: a backslash followed by the byte 0xff`},
		{"an escape without digits", `{"password":"\unter2"}`, `f:1:14: invalid escape sequence: \u requires four hexadecimal digits`},
		{"a backslash at the end", `{"password":"\`, `f:1:14: invalid escape sequence: a backslash followed by the end of the text`},
		{"a text without quotes", "password: !!int hunter2\n", `f:1:11: the value is not a valid !!int`},
		{"an alias", "password: *hunter2\n", `f: invalid YAML: an alias has no anchor; put a text that begins with * in quotes`},
	} {
		_, err := Read([]byte(c.in), Options{Name: "f"})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
	secret := NewStrings("hunter2")
	for _, p := range []Path{Keys("password"), {IndexStep(1)}} {
		if _, err := secret.SetAt(p, NewNull()); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("SetAt %s: %v", p, err)
		}
	}
}
