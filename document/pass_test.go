package document

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Objects of a list are gone over by what the one before held, so neighbours of
// all sorts must be read as each by itself: with members more or less, in or out
// of order, spelled otherwise, and wrong ones.
func TestNeighboursInALargeList(t *testing.T) {
	keys := []string{`"a":`, `"b":`, `"b" :`, `"c\"":`, `"c\u0022":`, `"d<":`, `"e":`, `"é":`, `"":`, `"a"`}
	values := []string{`"x"`, `"x"`, `"x "`, `"\u00e9"`, `"<"`, `1`, `null`, `{"a":"x"}`, `[{"a":"x"},{"a":"x","b":"y"}]`, `""`, `"x`}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 4000 {
		var items []string
		for range 1 + r.IntN(6) {
			var members []string
			for k := range keys[:len(keys)-1] {
				if r.IntN(2) == 0 {
					members = append(members, keys[k]+values[r.IntN(len(values)-1)])
				}
			}
			if r.IntN(20) == 0 {
				members = append(members, keys[r.IntN(len(keys))]+values[r.IntN(len(values))])
			}
			items = append(items, "{"+strings.Join(members, ",")+"}")
		}
		in := []byte("[" + strings.Join(items, ",") + "]")
		if _, err := Parse(in, Options{Duplicates: DuplicatesLast}); err != nil {
			refused++
		}
		check(t, in, "neighbours")
	}
	if refused == 0 || refused > 2000 {
		t.Errorf("%d of the lists were wrong, which tells little", refused)
	}
}
