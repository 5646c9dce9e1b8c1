package link_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/scenario/link"
)

// fromPage is a state that the page encoded, with zlib's deflate.
const fromPage = "#v1=TZCxTsRADER_ZTW0C1I4uMItNRXSNSSFs2uO5S7eaNdBQlH-hj_hx1C4IOhseTx6MzNqEOWSMmiGJTsLCIesLkpxT5JM4MF9ngwEeJymXoqKSQWhudnt4RHlJWmylLWCnjuP3L9JsHUBj-kgpaas5N6bVk9JI7mHrC_p-Mhjq4MYRzYmNysPQi4MS6voPDhYLqvJjPUCAp9TWHlCPuepgHDV3O7u7vdYOo9qMl7UP4__5DGDMEg5yvXIFl7hUae-SM1TCXLJ1ef4AcJGwuRafH22WFE8NNsmMy5HsbWrv2BbMUnjZVph68i_zhs7lqVbPNhAzfIN"

func TestLinksOfThePage(t *testing.T) {
	s, at, err := link.Decode("http://localhost:8711/" + fromPage)
	if err != nil {
		t.Fatal(err)
	}
	if at != 1 || s.Title != "Von der Seite" || s.Kubernetes != "1.36" || len(s.Objects) != 1 || s.Actors[0].Colour != "#123456" || s.Steps[0].Do != scenario.MergePatch || s.Steps[0].Body != "data: {a: \"ä\"}\n" {
		t.Errorf("at %d: %+v", at, s)
	}
}

func TestLinksRoundTrip(t *testing.T) {
	text := `scenario: patchlab.dev/v1
title: "Ünicode, <angles> & \"quotes\""
definitions: ["# a definition\n"]
objects: ["# an object\n"]
actors: [{name: a}, {name: b, colour: blue}]
steps:
- {actor: a, do: apply, subresource: status, body: "kind: A\n", note: why, target: {kind: A, name: x}, expect: {code: 409, conflicts: {.a: [b]}}}
- {actor: b, do: delete}
race: [{actor: a, set: {x: 1}}, {actor: b, add: {.count: 2}}]
`
	s, err := scenario.Parse([]byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	l, err := link.Encode("https://play.example.com/?embed#old", s, 2)
	if err != nil || !strings.HasPrefix(l, "https://play.example.com/?embed#v1=") || !link.Is(l) {
		t.Fatalf("%s (%v)", l, err)
	}
	back, at, err := link.Decode(l)
	if err != nil || at != 2 || !bytes.Equal(back.YAML(), s.YAML()) {
		t.Errorf("at %d (%v), read back as\n%s\nwant\n%s", at, err, back.YAML(), s.YAML())
	}
}

func TestDamagedLinks(t *testing.T) {
	huge, err := link.Encode("", &scenario.Scenario{About: strings.Repeat("a", scenario.MaxBytes)}, 0)
	if err == nil {
		t.Errorf("a scenario that is too large is packed into %d bytes", len(huge))
	}
	for _, c := range []struct{ why, in, want string }{
		{"not a link", "https://example.com/", "it has no #v1="},
		{"a truncated link", fromPage[:200], "truncated or damaged"},
		{"not base64", "#v1=???", "truncated or damaged"},
		{"not JSON", "#v1=SywGAA", "truncated or damaged"},
		{"not a scenario", "#v1=q1ZSqgUA", "it contains no scenario|truncated or damaged"},
		{"an empty text", "#v1=", "truncated or damaged"},
	} {
		_, _, err := link.Decode(c.in)
		ok := false
		for want := range strings.SplitSeq(c.want, "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), want)
		}
		if !ok || !errors.Is(err, link.ErrInvalid) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
}

func ExampleEncode() {
	s := &scenario.Scenario{Title: "An example", Actors: []scenario.Actor{{Name: "alice"}}}
	text, err := link.Encode("http://127.0.0.1:8711/", s, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, _, err := link.Decode(text)
	fmt.Println(back.Title, err)
	// Output: An example <nil>
}

func FuzzDecode(f *testing.F) {
	f.Add(fromPage)
	f.Fuzz(func(t *testing.T, text string) {
		s, at, err := link.Decode(text)
		if err == nil && (s == nil || at < 0 || at > len(s.Steps)) {
			t.Errorf("%q: %v at %d", text, s, at)
		}
	})
}
