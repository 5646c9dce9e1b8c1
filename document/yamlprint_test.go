package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// libraryYAML prints with the library behind kubectl's YAML output, which is the reference
// for our printer. The library decides where lines begin, and whether a text is plain,
// quoted or escaped.
func libraryYAML(t *testing.T, v Value) string {
	t.Helper()
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := e.Encode(libraryNode(v)); err != nil {
		t.Fatalf("the library does not print %s: %v", v, err)
	}
	return b.String()
}

func libraryNode(v Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v.Kind() {
	case Object:
		n.Kind = yaml.MappingNode
		for k, kid := range v.Members() {
			n.Content = append(n.Content, libraryText(k), libraryNode(kid))
		}
	case List:
		n.Kind = yaml.SequenceNode
		for _, kid := range v.Items() {
			n.Content = append(n.Content, libraryNode(kid))
		}
	case String:
		s, _ := v.Text()
		return libraryText(s)
	default:
		n.Value = string(v.JSON())
	}
	if v.Len() == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

func libraryText(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	breaks := strings.Contains(s, "\n")
	switch {
	case breaks && blockReadsBack(s):
		n.Style = yaml.LiteralStyle
	case breaks || yamlNeedsQuotes(s) || strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || strings.ContainsRune("\x7f\ufffd\ufeff\u0085\u2028\u2029", r)
	}):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// blockReadsBack reports whether a text can be a literal block without an indentation
// indicator, with no white space that is easily lost.
func blockReadsBack(s string) bool {
	if strings.ContainsAny(s[:1], "\n \t") || strings.ContainsAny(s, "\r\x7f\ufffd\ufeff\u0085\u2028\u2029") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasSuffix(line, " ") || strings.HasPrefix(line, "\t") || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' }) {
			return false
		}
	}
	return true
}

func checkYAMLPrint(t *testing.T, v Value) {
	t.Helper()
	if got, want := string(v.YAML()), libraryYAML(t, v); got != want {
		t.Fatalf("%s is printed\n%s\nthe library prints\n%s", v, got, want)
	}
}

func TestYAMLAgreesWithLibraryOnRecordings(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/*.jsonl.gz")
	if err != nil || len(files) < 20 {
		t.Fatalf("only %d files of recordings: %v", len(files), err)
	}
	every := 20
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(unzipped)
		lines.Buffer(nil, 64<<20)
		for i := 0; lines.Scan(); i++ {
			if i%every != 0 {
				continue
			}
			d, err := Parse(lines.Bytes(), Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			checkYAMLPrint(t, d.Root)
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f.Close()
	}
}

// yamlTexts are texts for keys and values that YAML may read as an indicator, a number, a
// time or a line break.
var yamlTexts = []string{"", " ", "a", "app.kubernetes.io/name", "-", "--", "---", "--- a", "...", "..", "- a", "-a", "? a", "?a", "?", ": a", ":a", ":", "a:", "a: b", "a:b", "a :b", "a #b", "a#b", "#a",
	",a", "[a", "]a", "{a}", "&a", "*a", "!a", "|a", ">a", "'a'", "it's", "\"a\"", "a\"b", "%a", "@a", "`a", "a\\b", "<<", "=", "~", "null", "true", "yes", "y", "on", "1", "-1", "+1", ".5", "1.", "1e3", "1e", "0x1F",
	"0o17", "0b1", "017", "0b-1", "0b-2", "0o-7", "0o-9", "-0b-1", "0x-1", "0o_+1", "08", "1_000", "1:30", "190:20:30", "1.2.3", ".inf", "-.INF", ".NaN", "2001-01-01", "2001-1-1 1:1:1", "2001-01-01T00:00:00Z", "12e03", "1Gi", "500m", "0", "-0", "99999999999999999999",
	" a", "a ", "\ta", "a\t", "a\tb", "a  b", "\n", "a\n", "a\n\n", "a\nb", "a\n\nb\n", "a \nb", "a\n b", "a\n\tb", "a\tb\nc", " a\nb", "\na", "a\nb ", "a\r\nb", "a\rb", "#!/bin/sh\nset -e\n", "key: value\n- item\n",
	"ü", "日本語", "😀", "😀\n", "\u0085", "a\u2028b", "\u2029", "\ufeff", "\ufffd", "\ufffe", "\u00a0", "\u0080", "\u009f\n", "\x00", "\x07\b\v\f\x1b", "\x7f", "\ue000", "\u07ff", "\U0010ffff",
	strings.Repeat("long ", 30), strings.Repeat("k", 128), strings.Repeat("k", 129), strings.Repeat("ü", 65), strings.Repeat("word: ", 40)}

func TestYAMLAgreesWithLibraryOnTexts(t *testing.T) {
	for _, s := range yamlTexts {
		v := NewString(s)
		var list ListBuilder
		list.Append(v)
		inner := list.List()
		list.Append(inner)
		list.Append(NewObject().With(s, v))
		for _, around := range []Value{v, inner, list.List(), NewObject().With(s, v), NewObject().With("a", NewObject().With(s, inner)),
			NewObject().With(s, NewObject().With(s, v).With("b", inner)), NewObject().With("a", v).With("z", NewInt(1))} {
			checkYAMLPrint(t, around)
		}
	}
}

func TestYAMLAgreesWithLibraryOnRandomValues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		checkYAMLPrint(t, drawnValue(r, 4))
	}
}

func drawnValue(r *rand.Rand, depth int) Value {
	kind := r.IntN(8)
	switch {
	case depth > 0 && kind < 3:
		v := NewObject()
		for range r.IntN(4) {
			v = v.With(drawnText(r), drawnValue(r, depth-1))
		}
		return v
	case depth > 0 && kind < 5:
		var b ListBuilder
		for range r.IntN(4) {
			b.Append(drawnValue(r, depth-1))
		}
		return b.List()
	case kind == 5:
		return []Value{NewNull(), NewBool(true), NewInt(-7), NewFloat(1.5e-9), NewFloat(1e30), NewInt(1 << 60)}[r.IntN(6)]
	}
	return NewString(drawnText(r))
}

// drawnText joins one to three known texts or significant characters.
func drawnText(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		signs := []rune("ab019-+._:#?,'\" \n\t\r~eExTZ/&{}[]é😀\u0085\u2028\ufeff")
		text := make([]rune, r.IntN(8))
		for i := range text {
			text[i] = signs[r.IntN(len(signs))]
		}
		return string(text)
	}
	var s string
	for range 1 + r.IntN(3) {
		s += yamlTexts[r.IntN(len(yamlTexts))]
	}
	return s
}

func FuzzYAMLPrint(f *testing.F) {
	for _, s := range yamlTexts {
		f.Add(s, "a")
		f.Add("a", s)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		if !utf8.ValidString(key) || !utf8.ValidString(text) {
			return // not a value in an object
		}
		v := NewObject().With(key, NewString(text)).With("o", NewObject().With(text, NewString(key)))
		checkYAMLPrint(t, v)
		back, err := ParseYAML(v.YAML(), Options{})
		if err != nil || !Equal(back.Root, v) {
			t.Fatalf("%s is printed\n%s\nwhich reads as %v, %v", v, v.YAML(), back, err)
		}
	})
}

// TestYAMLScalar: YAMLScalar returns the same text as YAML prints in a
// document.
func TestYAMLScalar(t *testing.T) {
	checked := 0
	for _, s := range yamlTexts {
		v := NewString(s)
		whole := strings.TrimSuffix(string(v.YAML()), "\n")
		switch got, ok := v.YAMLScalar(); {
		case ok && got != whole:
			t.Errorf("%q is written %s, in a document %s", s, got, whole)
		case !ok && whole[0] != '|':
			t.Errorf("%q has a line in a document: %s", s, whole)
		case ok:
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d have a line", checked)
	}
	if text, ok := NewObject().YAMLScalar(); ok {
		t.Errorf("an object is the scalar %s", text)
	}
}
