package document

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// sameAsLibrary compares the outputs of readBlock and the library. It reports whether
// readBlock supports the input.
func sameAsLibrary(t *testing.T, data []byte) bool {
	t.Helper()
	out, marks, ok := readBlock(data, 1)
	if !ok {
		return false
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var n yaml.Node
	if err := decodeNode(dec, &n); err != nil {
		t.Fatalf("the library refuses this: %v\n%s", err, data)
	}
	c := yamlConverter{opts: Options{Duplicates: DuplicatesLast}, budget: maxAliasGrowth*len(data) + 1<<20}
	if err := c.node(&n, 0); err != nil {
		t.Fatalf("the library's text is refused: %v\n%s", err, data)
	}
	if string(out) != string(c.out) {
		t.Fatalf("read as\n%s\nby the library as\n%s\n%q", out, c.out, data)
	}
	if !reflect.DeepEqual(marks, c.marks) {
		t.Fatalf("marks\n%v\nof the library\n%v\n%q", marks, c.marks, data)
	}
	if err := decodeNode(dec, &n); err == nil {
		t.Fatalf("the library finds a second document in\n%q", data)
	}
	return true
}

// manifests returns the YAML files in testdata and the YAML texts embedded in them, without
// those in JSON, which readBlock does not support.
// readByLibrary is readYAML with the YAML library alone.
func readByLibrary(data []byte, opts Options, firstOnly bool) ([]*Document, error) {
	r := newYAMLReader(data, opts, firstOnly)
	return r.anyDocuments(data, 1)
}

func manifests(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && !strings.HasPrefix(string(data), "{") {
			files[path] = data
		}
		return err
	})
	for path, data := range maps.Clone(files) {
		var n yaml.Node
		if yaml.Unmarshal(data, &n) == nil {
			texts(&n, func(text string) { files[fmt.Sprintf("%s: %d", path, len(files))] = []byte(text) })
		}
	}
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// texts calls f for each multi-line scalar.
func texts(n *yaml.Node, f func(string)) {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") {
		f(n.Value)
	}
	for _, kid := range n.Content {
		texts(kid, f)
	}
}

func TestBlockReaderAgreesWithLibraryOnManifests(t *testing.T) {
	read, files := 0, manifests(t)
	for _, data := range files {
		if sameAsLibrary(t, data) {
			read++
		}
	}
	// Many of the files use flow style, which readBlock does not support.
	if read < 100 {
		t.Errorf("only %d of %d texts were read", read, len(files))
	}
}

func TestBlockReader(t *testing.T) {
	for _, c := range []struct {
		text string
		read bool
		why  string
	}{
		{"a: 1\nb:\n  c: [x]\n- d\n", false, "an item after a mapping"},
		{"a:\n- [x, 'y z', \"--q\", --z=1, 010, yes, 1.10, a_b/c.d+$e] # note\n-   [  x  ,y ]\nb: ['']\n", true, "a flow sequence of scalars in one line"},
		{"a: [x, [y]]\n", false, "a flow sequence in another"},
		{"a: [{b: c}]\n", false, "a mapping in a flow sequence"},
		{"a: [b: c]\n", false, "a pair in a flow sequence"},
		{"a: [b c, d]\n", false, "words in a flow sequence"},
		{"a: [b,\n  c]\n", false, "a flow sequence of several lines"},
		{"a: [b, ]\n", false, "a comma at the end of a flow sequence"},
		{"a: [b\n", false, "a flow sequence without an end"},
		{"a: [b", false, "a text that ends in an item of a flow sequence"}, {"a: [b ", false, "a text that ends in a blank in a flow sequence"}, {"a: ['b'", false, "a text that ends in a quote in a flow sequence"},
		{"a: {", false, "a text that ends in a brace"}, {"a: [-", false, "a text that ends in a dash"},
		{"a: +.INF\n", false, "an infinity with a sign"},
		{"a: b\x7fc\n", false, "a control character that YAML does not allow"},
		{"a: [b] c\n", false, "a text after a flow sequence"},
		{"a: [é, b]\n", false, "a flow sequence with characters of Unicode, behind which columns are others than bytes"},
		{"a: ['b''c', \"d\\n\"]\n", false, "escapes in a flow sequence"},
		{"a: [*b, &c d, !e f]\n", false, "an alias, an anchor and a tag in a flow sequence"},
		{"a: [-, - b]\n", false, "dashes in a flow sequence"},
		{"a: [.inf]\n", false, "a number that JSON does not have in a flow sequence"},
		{"[a]: b\n", false, "a flow sequence as a key"},
		{"a: {}\nb: []\n", true, "empty flow collections"},
		{"a:\n- b\n- c: 1\n  d: 2\n-\n- - e\n  - f\ng:\n", true, "sequences, also in the column of the key"},
		{"a: x # note\n# note\n\n  # note\nb: 'it''s' # note\nc: \"q\"\n", true, "comments and quotes"},
		{"a: x#y\nb: http://x:80/\nc: a:b\n", true, "a colon or # inside a word"},
		{"a: x\n  y\n\n  z #\nb: 'c\n\n  d'\ne: \"f \n   g\\n\\\"\"\n", true, "scalars of several lines, and escapes"},
		{"a: x\n  y: z\n", false, "a key in the second line of a scalar"},
		{"a: x # note\n  y\n", false, "a comment within a scalar"},
		{"a: 'x\ny'\n", false, "a line of a quoted scalar that is not indented"},
		{"a: \"x\\\n  y\\\n\n\n   z\"\n", true, "escaped line breaks"},
		{"a: \"x \n  \\ y\\ \n  \\  z\"\n", true, "escaped blanks around a line break"},
		{"a: \"\\u00e9\\x41\\U0001F600\\r\\0\\e\"\n", true, "escapes of characters"},
		{"a: \"\\ud83d\\ude00\"\n", false, "surrogates"},
		{"a: \"\\N\\_\\L\\P\\a\\b\\v\\f\\'\"\n", true, "rare escapes"},
		{"a: \"\\/\"\n", false, "an escape of JSON alone"},
		{"a: \"\\q\"\n", false, "an unknown escape"},
		{"a: \"\\u00e\"\n", false, "an escape with too few digits"},
		{"a: :8080\nb: ?x\nc: -x\n- :\n", false, "an item in a mapping"},
		{"a: :8080\nb: ?x\nc: -x\nd: ::1\n", true, "texts that begin with an indicator"},
		{"a:\n  x\n", false, "a scalar on the next line"},
		{"a: b: c\n", false, "a mapping inside a line"},
		{"a: |\n  x\n   y\n\n  # z\n\n# note\nb:\n- |-\n  c\n- d: |+\n    e\n    \te\n\n", true, "literal blocks"},
		{"a: |2\n   x\n  y\nb:\n- |3-\n\n     \n   x\n\n- c: |1+\n     x\n\n", true, "indentation indicators"},
		{"a: |2\n\n", false, "an indentation indicator without lines"},
		{"a: |0\n x\n", false, "an indentation of nothing"},
		{"a: >\n  x\n", false, "a folded block"},
		{"a: |\n   \n  x\n", false, "a blank line before the first one of a literal block"},
		{"a: |\nb: c\n", false, "an empty literal block"},
		{"a: é\nb: 'é'\nc: |\n  é\n# é\n", true, "characters of Unicode"},
		{"é: a\n", false, "a key with characters of Unicode, behind which columns are others than bytes"},
		{"a: b\u0085c: d\n", false, "a line break of Unicode"},
		{"a: &x 1\nb: *x\n", false, "an alias"},
		{"<<: {}\n", false, "a merge key"},
		{"1: x\n", false, "a key that is a number"},
		{"a: yes\nb: 010\nc: 1.50\nd: ~\ne: 1e3\nf: -1\n", true, "scalars of YAML 1.1"},
		{"a: .inf\n", false, "a number that JSON does not have"},
		{"---\na: 1\n", true, "a document marker before the content"},
		{"---\n# note\n\nb: 1\n", true, "a comment after the document marker"},
		{"--- # note\na: 1\n", false, "a comment beside the document marker"},
		{"---\n---\na: 1\n", false, "an empty document"},
		{"---\n", false, "a document marker without content"},
		{"# note\n---\na: 1\n", false, "a comment before the document marker"},
		{"a: 1\n--- x\n", false, "a document marker after content"},
		{"a: 1\n...\n", false, "an end marker"},
		{"a:\tb\n", false, "a tab"},
		{"a: \"x\\n\"\n", true, "an escape"},
		{"ä: x\n", false, "text outside ASCII"},
		{"a: x\n b: y\n", false, "a line indented too far"},
		{"a:\n  b: 1\n c: 2\n", false, "a line between two indentations"},
		{"- a: 1\n   b: 2\n", false, "an item's line indented too far"},
		{"- a\nb: 1\n", false, "a key in a sequence"},
		{"a: 1\n- b\n", false, "an item in a mapping"},
		{"a: - b\n", false, "an item on a key's line"},
		{"a: 1\na: 2\n", true, "a duplicate key is left to the parser"},
		{"a: 'x' y\n", false, "text after a quote"},
		{"a: {} # note\nb: {}x\n", false, "text after a brace"},
		{strings.Repeat("- ", 300) + "x\n", false, "too deep"},
		{strings.Repeat("k", 2000) + ": x\n", false, "a key too long"},
		{"", false, "an empty input"},
		{"x\n", false, "a scalar"},
		{"a: 1", true, "no newline at the end"},
		{"a :  1  \n\"b\": x\n", true, "surrounding blanks"},
	} {
		if got := sameAsLibrary(t, []byte(c.text)); got != c.read {
			t.Errorf("%s: read %v, want %v", c.why, got, c.read)
		}
	}
}

// TestBlockReaderDuplicateKeys: a duplicate key yields the same error and
// position.
func TestBlockReaderDuplicateKeys(t *testing.T) {
	data := []byte("a: 1\nb:\n- c: 1\n  d: 2\n  c: 3\n")
	_, fast := readYAML(data, Options{Name: "x"}, true)
	_, slow := readByLibrary(data, Options{Name: "x"}, true)
	if fast == nil || slow == nil || fast.Error() != slow.Error() {
		t.Errorf("%v, the library %v", fast, slow)
	}
	for _, dups := range []Duplicates{DuplicatesLast, DuplicatesMerged} {
		fast, err := readYAML(data, Options{Duplicates: dups}, true)
		slow, err2 := readByLibrary(data, Options{Duplicates: dups}, true)
		if err != nil || err2 != nil || !reflect.DeepEqual(fast[0].Duplicates, slow[0].Duplicates) || !Identical(fast[0].Root, slow[0].Root) {
			t.Errorf("%v %v", fast, slow)
		}
	}
}

// blockPieces are the fragments of random texts.
var blockPieces = []string{"a", "b: ", "c:", ": ", ":", "- ", "-", "\n", "\n", "\n  ", "\n    ", "\n- ", "\n  - ", " ", "  ", "#", " # x", "'", "''", "\"", "{}", "[]", "[x, 'y', \"z\", 1]", "[a,b]", "{", "[", ",",
	"&a ", "*a", "!", "|", ">", "?", "? ", "%", "@", "`", "~", "null", "yes", "1", "0x1f", "1.5", "-1", "+", ".", "<<", "=", "---", "...", "\t", "x y", "\\", "2001-01-01", "1:30", "é", "\r\n", "é: ", "\u00a0", "\ufeff", "\u2028", "\\n", "\\\"", "\\", " |\n", " |-\n", " |+\n", "\n\n", "\n \n", "|2\n", "\n\t", "\t\n", " \n", "\\\n",
	"|2-\n", "|3+\n", "|+2\n", ":x", "?x", "\\ ", "\\u00e9", "\\x41", "\\U0001F600", "\\ud800", "\\r", "\\0", "\\N", "\\q"}

func TestBlockReaderAgreesWithLibraryOnRandomTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	read := 0
	var texts [][]byte
	for _, data := range manifests(t) {
		texts = append(texts, data[:min(len(data), 600)])
	}
	for range 120000 {
		var text []byte
		if random.IntN(3) == 0 { // a part of a manifest with an insertion or deletion
			text = bytes.Clone(texts[random.IntN(len(texts))])
			text = text[:random.IntN(len(text)+1)]
			for range 1 + random.IntN(2) {
				at := random.IntN(len(text) + 1)
				text = append(text[:at:at], append([]byte(blockPieces[random.IntN(len(blockPieces))]), text[min(len(text), at+random.IntN(4)):]...)...)
			}
		} else {
			text = randomBlock(random)
		}
		if sameAsLibrary(t, text) {
			read++
		}
	}
	if read < 8000 {
		t.Errorf("only %d texts were read", read)
	}
}

// TestStreamAgreesWithLibrary: parsing the documents of a stream one by one yields the same
// documents, positions and errors as the library does for the whole stream.
func TestStreamAgreesWithLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"---\n", "---\n", "\n---\n", "# note\n", "--- # note\n", "--- |\n", "---", "...\n", "\n", "\r\n", "\u2028", "%YAML 1.1\n", "a: &x [1]\n", "b: *x\n", "c: |\n  d\n", "e: 'f\n", "g: [\n", "h: é\n"}
	many := 0
	for range 40000 {
		var text []byte
		for range 1 + random.IntN(8) {
			switch random.IntN(10) {
			case 0:
				text = append(text, randomBlock(random)...)
			case 1, 2, 3:
				text = append(text, pieces[random.IntN(len(pieces))]...)
			default:
				text = fmt.Appendf(text, "---\nk: %d\nl:\n- m\n", random.IntN(100))
			}
		}
		got, err := readYAML(text, Options{Name: "x"}, false)
		want, wantErr := readByLibrary(text, Options{Name: "x"}, false)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || len(got) != len(want) {
			t.Fatalf("%d documents, %v; the library %d, %v\n%q", len(got), err, len(want), wantErr, text)
		}
		for i, d := range got {
			if !Identical(d.Root, want[i].Root) || !reflect.DeepEqual(d.marks, want[i].marks) {
				t.Fatalf("document %d is %s at %v, the library's %s at %v\n%q", i, d.Root, d.marks, want[i].Root, want[i].marks, text)
			}
		}
		if len(got) > 1 {
			many++
		}
	}
	if many < 2000 {
		t.Errorf("only %d streams have several documents", many)
	}
}

// randomBlock generates lines that are mostly keys and items.
func randomBlock(random *rand.Rand) []byte {
	var b []byte
	for range 1 + random.IntN(7) {
		b = append(b, strings.Repeat(" ", random.IntN(3)*random.IntN(3))...)
		for random.IntN(3) == 0 {
			b = append(b, "- "...)
		}
		if random.IntN(4) > 0 {
			b = append(b, "abcdefgh"[random.IntN(8)])
			b = append(b, ':')
		}
		if random.IntN(3) > 0 {
			b = append(b, ' ')
			b = append(b, blockPieces[random.IntN(len(blockPieces))]...)
		}
		if random.IntN(6) == 0 {
			b = append(b, blockPieces[random.IntN(len(blockPieces))]...)
		}
		b = append(b, '\n')
		if random.IntN(4) == 0 {
			b = append(b, randomScalar(random)...)
		}
		if random.IntN(6) == 0 {
			b = append(b, randomFlow(random)...)
		}
	}
	return b
}

// randomFlow generates a key or an item with a flow sequence.
func randomFlow(random *rand.Rand) []byte {
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	b := []byte(strings.Repeat(" ", random.IntN(3)*random.IntN(3)) + pick("k: ", "- ", "- k:  ") + pick("[", "[", "[", "[ ", "{"))
	for range random.IntN(5) {
		b = append(b, pick("x", "'y'", "\"z w\"", "--a=b", "-c", "-", "1", "010", "1_0", "yes", "null", "~", "2020-01-01", "1:30", "a: b", "*", "é", "''", "'it''s'", "\"\\n\"", "[d]", "{}", "a b", "#e", "x#y", "=", "...", "---", "+1", ".5", "$(V)", "<<", "")...)
		b = append(b, pick("", " ", "  ", " # f")+pick(",", ",", ",", ", ", ", ", ",\n  ", "")+pick("", "", " ", "\n   ")...)
	}
	return append(b, pick("]", "]", "]", " ]", "}", "] # g", "]x", "")+"\n"...)
}

// randomScalar generates a key or an item, mostly with a scalar of several lines.
func randomScalar(random *rand.Rand) []byte {
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	indent := strings.Repeat(" ", random.IntN(3)*random.IntN(3))
	quote := pick("", "", "'", "\"")
	b := []byte(indent + pick("k: ", "k: ", "- ", "- k: ", "-   "))
	if random.IntN(2) == 0 {
		quote = ""
		b = append(b, pick("|", "|-", "|+", "|", "| ", "| # note", ">", "|1", "|2", "|2-", "|4+")+"\n"...)
	}
	b = append(b, quote...)
	for i := range 1 + random.IntN(5) {
		if i > 0 || quote != "" {
			b = append(b, pick("", "", "", " ")...)
		}
		if i > 0 || len(b) > 0 && b[len(b)-1] == '\n' {
			b = append(b, indent+pick("  ", "  ", "  ", "   ", "    ", " ", "", "\t")...)
		}
		b = append(b, pick("word", "two words", "é", "1", "", "", "#", "# note", "x #y", "a: b", "a:", "- x", "''", "\\n", "\\\"", "'", "\"", "x ", "\tx", "x\ty", "---", "\\", "\\ x", "x\\ ", "x \\", "\\u00e9", ":x")+pick("\n", "\n", "\n", " \n", "\n\n", "\n  \n")...)
	}
	if quote != "" {
		b = append(bytes.TrimRight(b, "\n"), quote+pick("\n", " # note\n", " \n", "x\n")...)
	}
	return b
}

func FuzzBlockReader(f *testing.F) {
	for _, data := range manifests(f) {
		f.Add(data[:min(len(data), 400)])
	}
	f.Add([]byte("a: 1\nb:\n- c\n-  - d: 'x''y'\n   # e\n"))
	f.Fuzz(func(t *testing.T, data []byte) { sameAsLibrary(t, data) })
}
