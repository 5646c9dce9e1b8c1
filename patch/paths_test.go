package patch_test

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/patch"
)

// A decision about an item has the index that a negative one stands for.
func TestDecisionsAboutNegativeIndexes(t *testing.T) {
	var paths []string
	o := patch.Options{Observer: func(d patch.Decision) { paths = append(paths, d.Path.String()) }}
	if _, err := patch.JSON(parse(t, `{"a":[1,2]}`), parse(t, `[{"op":"test","path":"/a/-1","value":2},{"op":"replace","path":"/a/-1","value":3}]`), o); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(paths, " "); got != ".a[1] .a[1]" {
		t.Errorf("decisions about %s, want .a[1] .a[1]", got)
	}
}

func TestIndexOfAnEmptyList(t *testing.T) {
	_, err := patch.JSON(parse(t, `{"a":[]}`), parse(t, `[{"op":"remove","path":"/a/0"}]`), patch.Options{})
	if err == nil || !strings.Contains(err.Error(), "the index 0 is out of range: the list is empty") {
		t.Errorf("%v", err)
	}
}
