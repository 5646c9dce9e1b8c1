package playground

import (
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

func TestNestingIsLimited(t *testing.T) {
	deep := strings.Repeat("[", 600)
	lists, ends := strings.Repeat("[", 30), strings.Repeat("]", 30)
	for _, c := range []struct {
		why, text string
		refused   bool
	}{
		{"lists", deep, true},
		{"objects and lists", strings.Repeat("{a: [", 300), true},
		{"below a key", "a: " + deep, true},
		{"after an anchor", strings.Repeat("&a [", 600), true},
		{"after a tag", "a: !!seq " + deep, true},
		{"one list per line", strings.Repeat("[\n", 600), true},
		{"items on one line", strings.Repeat("- ", 1200), true},
		{"keys on one line", strings.Repeat("? ", 1200), true},
		{"after text that contains a quote", "a: x, [ y, \"\nb: " + deep, true},
		{"after a quoted text", `["a", 'b', "c\\", ` + deep, true},
		{"after an escaped quote", `["a\"", ` + deep, true},
		{"lone brackets in a text", strings.Repeat("a[i\n", 600), false},
		{"brackets in one word", "a: x" + deep, false},
		{"brackets in quotes", "{\"a\": \"" + deep + "\"}", false},
		{"brackets in single quotes", "a: ['" + deep + "']", false},
		{"aliases of aliases", chain("aN: &aN " + lists + "*aL" + ends + "\n"), true},
		{"aliases of aliases in one list", "[&a0 [], " + chain("&aN "+lists+"*aL"+ends+", ") + "]", true},
		{"aliases in anchored blocks", chain("aN: &aN\n  x: " + lists + "*aL" + ends + "\n"), true},
		{"aliases in an anchored list at the indentation of its key", chain("aN: &aN\n- " + lists + "*aL" + ends + "\n"), true},
		{"aliases in a value below its anchor", chain("aN:\n  &aN\n  x: " + lists + "*aL" + ends + "\n"), true},
		{"many aliases of one anchor", "a: &a {x: 1}\nb:\n" + strings.Repeat("  - {y: *a}\n", 2000), false},
		{"emphasis in texts", "a: &a {x: 1}\nb: |\n" + strings.Repeat("  * **bold** & *italic*\n", 2000), false},
		{"many closing brackets", strings.Repeat("a: [x]\n", 600), false},
		{"a line of dashes", "a: 1\n# " + strings.Repeat("-", 2000), false},
	} {
		if err := tooDeep(c.text); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// chain returns copies of a part with N replaced by the number of the copy, and L by that of
// the copy before.
func chain(part string) string {
	var b strings.Builder
	for i := 1; i <= 60; i++ {
		b.WriteString(strings.NewReplacer("N", strconv.Itoa(i), "L", strconv.Itoa(i-1)).Replace(part))
	}
	return b.String()
}

// FuzzTooDeep checks that accepted documents do not exceed the nesting limit.
func FuzzTooDeep(f *testing.F) {
	f.Add("a: [", "[", 600)
	f.Add("{\"a\": ", "{\"a\": ", 300)
	f.Add("a: x, [ y, \"\n", "- [", 500)
	f.Add("[", "&a ['x', ", 500)
	f.Add("a: &a\n", "  - &a [[[[*a, ", 500)
	f.Fuzz(func(t *testing.T, head, part string, times int) {
		if times < 0 || times > 2000 || len(part) > 20 {
			return
		}
		text := head + strings.Repeat(part, times)
		for _, end := range []string{"", "]", "}", " x]"} {
			whole := text + strings.Repeat(end, times)
			if tooDeep(whole) != nil {
				return
			}
			if docs, err := document.Read([]byte(whole), document.Options{}); err == nil {
				for _, d := range docs {
					if n := depth(d.Root); n > 2*maxNesting {
						t.Fatalf("%d levels of %.40q and %q were accepted", n, head, part)
					}
				}
			}
		}
	})
}

func depth(v document.Value) int {
	deepest := 0
	for i := range v.Len() {
		deepest = max(deepest, 1+depth(v.At(i)))
	}
	return deepest
}
