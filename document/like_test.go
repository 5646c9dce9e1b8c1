package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// alikeText draws a text of which another is likely to share parts: both draw
// from the same few values. Some are wrong, laid out, out of order or repeat keys.
func alikeText(r *rand.Rand, depth int) string {
	scalars := []string{`"x"`, `"a string that is longer than most"`, `"a string with a \" in it, and \\"`, `"a string that is < than most"`,
		`1`, `12`, `1.0`, `null`, `true`, `""`, `{}`, `[]`, `-0`, `"a string that is spelled \u0061t length"`}
	if r.IntN(400) == 0 {
		return []string{`"a string that is longer than most`, `tru`, `01`, `{"a"}`, `[1,]`, `}`}[r.IntN(6)]
	}
	if depth == 0 || r.IntN(4) == 0 {
		return scalars[r.IntN(len(scalars))]
	}
	var parts []string
	space := strings.Repeat(" ", r.IntN(12)/11)
	if r.IntN(2) == 0 {
		for range r.IntN(6) {
			parts = append(parts, alikeText(r, depth-1))
		}
		return "[" + space + strings.Join(parts, ",") + space + "]"
	}
	for _, key := range []string{`"a"`, `"b"`, `"c\""`, `"d<"`, `"e"`} {
		if r.IntN(3) > 0 {
			parts = append(parts, key+":"+space+alikeText(r, depth-1))
		}
	}
	if r.IntN(20) == 0 {
		parts = append(parts, `"a":`+alikeText(r, depth-1))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// changed replaces, adds or takes out a few parts of a text between its commas,
// which may leave it wrong.
func changed(r *rand.Rand, text string) string {
	parts := strings.Split(text, ",")
	for range r.IntN(3) {
		i := r.IntN(len(parts))
		switch r.IntN(4) {
		case 0:
			parts = append(parts[:i:i], append([]string{alikeText(r, 1)}, parts[i:]...)...)
		case 1:
			if len(parts) > 1 {
				parts = append(parts[:i:i], parts[i+1:]...)
			}
		case 2:
			parts[i] = strings.Replace(parts[i], "x", "xy", 1)
		case 3:
			parts[i] = strings.Replace(parts[i], "1", "12", 1)
		}
	}
	return strings.Join(parts, ",")
}

// What a text is read alike, and what of it is deferred, makes no difference.
func TestLikeMakesNoDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	wrong, shared := 0, 0
	for range 20000 {
		likeText := alikeText(r, 4)
		text := alikeText(r, 4)
		if r.IntN(3) > 0 {
			text = changed(r, likeText)
		}
		spans := [2]int{r.IntN(2) * r.IntN(40), r.IntN(3) * 1000}
		like, err := parseDeferring(&Document{source: likeText, opts: Options{Duplicates: DuplicatesLast, Items: r.IntN(2) == 0}}, spans[0], spans[0])
		if err != nil {
			continue
		}
		o := Options{Duplicates: Duplicates(r.IntN(3)), Items: r.IntN(2) == 0}
		want, wantErr := Parse([]byte(text), o)
		o.Like = like.Root
		got, err := parseDeferring(&Document{source: text, opts: o}, spans[1], spans[1])
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s like %s: error %v, wanted %v", text, likeText, err, wantErr)
		}
		if err != nil {
			wrong++
			continue
		}
		if got.Root.String() != want.Root.String() || fmt.Sprint(got.Duplicates) != fmt.Sprint(want.Duplicates) {
			t.Fatalf("%s like %s is %s, with %v twice; wanted %s, %v", text, likeText, got.Root, got.Duplicates, want.Root, want.Duplicates)
		}
		sameNodes(t, got.Root, want.Root)
		if got.Root.Len() > 0 && SameNode(got.Root, like.Root) {
			shared++
		}
	}
	if wrong < 500 || shared < 200 {
		t.Errorf("%d of the texts were wrong and %d the same, which tells little", wrong, shared)
	}
}

// Only what differs is read again, also in a long list where an item has
// changed, one has come and one has gone.
func TestLikeIsShared(t *testing.T) {
	items := make([]string, 300)
	for i := range items {
		items[i] = fmt.Sprintf(`{"name":"item-%d","note":"what there is to say of it","parts":[%d]}`, i, i)
	}
	was, err := Parse([]byte(`{"l":[`+strings.Join(items, ",")+`],"m":{"n":["a","b"]}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := append(items[:0:0], items...)
	now[10] = `{"name":"item-10","note":"something else","parts":[10]}`
	now = append(now[:200], now[201:]...)
	now = append(now[:100:100], append([]string{`{"name":"new"}`}, now[100:]...)...)
	d, err := Parse([]byte(`{"l":[`+strings.Join(now, ",")+`],"m":{"n":["a","b"]}}`), Options{Like: was.Root})
	if err != nil {
		t.Fatal(err)
	}
	if !SameNode(d.Root.Get("m"), was.Root.Get("m")) {
		t.Error("a member that is the same is not shared")
	}
	same := 0
	for i, item := range d.Root.Get("l").Items() {
		for _, at := range []int{i - 1, i} {
			if at >= 0 && at < 300 && SameNode(item, was.Root.Get("l").At(at)) {
				same++
			}
		}
	}
	if same != 298 {
		t.Errorf("%d of 298 items are shared", same)
	}
	if at := d.PositionOf(Keys("l").Item(1)).String(); at != fmt.Sprintf("1:%d", 6+len(items[0])+2) {
		t.Errorf("the second item is at %s", at)
	}
}

// The limit of nesting is that of the text, whatever it is like.
func TestLikeDoesNotNestDeeper(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	d, err := Parse([]byte(deep), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse([]byte(`[`+deep+`]`), Options{Like: NewList(d.Root)}); err == nil {
		t.Error("a text that nests deeper than allowed was taken for what it is like")
	}
}

func FuzzLike(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":"a string that is longer"},1],"c":{}}`), []byte(`{"a":[1,{"b":"a string that is longer"}],"c":{"d":[]}}`))
	f.Add([]byte(`["a string that is longer"]`), []byte(`["a string that is longer","x"]`))
	f.Fuzz(func(t *testing.T, likeText, text []byte) {
		like, err := parseDeferring(&Document{source: string(likeText), opts: Options{Items: true}}, 0, 0)
		if err != nil {
			return
		}
		want, wantErr := Parse(text, Options{Duplicates: DuplicatesLast})
		got, err := parseDeferring(&Document{source: string(text), opts: Options{Duplicates: DuplicatesLast, Like: like.Root}}, 0, 0)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q like %q: error %v, wanted %v", text, likeText, err, wantErr)
		}
		if err == nil {
			sameNodes(t, got.Root, want.Root)
		}
	})
}
