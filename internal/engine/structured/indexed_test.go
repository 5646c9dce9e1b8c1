package structured

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestIndexerReadsEachListOnce converts paths into a list of objects with a set.
func TestIndexerReadsEachListOnce(t *testing.T) {
	text := &schema.Type{Scalar: schema.StringScalar}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "name", Type: text}, {Name: "tags", Type: texts}}}}
	list := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	typ := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "items", Type: list}}}}
	x := NewIndexer(typ, parse(t, `{"items":[{"name":"a"},{"name":"b","tags":["x","y"]},{"name":"b"},{}]}`))
	for _, c := range []struct{ field, want, why string }{
		{`.items[name="a"].name`, ".items[0].name", "a key"},
		{`.items[name="b"].tags[="y"]`, ".items[1].tags[1]", "the first of two items with a key, and a value in a set"},
		{`.items[1].tags[="x"]`, ".items[1].tags[0]", "an index"},
		{`.items[name="c"].tags[="x"]`, `.items[name="c"].tags[="x"]`, "no item has the key"},
		{`.items[name="b"].tags[="z"]`, `.items[1].tags[="z"]`, "no item has the value"},
		{`.items[4].name`, ".items[4].name", "an index behind the end"},
		{`.other[name="a"]`, `.other[name="a"]`, "a field that the object does not have"},
	} {
		p, err := document.ParsePath(c.field)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Indexed(p).String(); got != c.want {
			t.Errorf("%s (%s): %s, want %s", c.field, c.why, got, c.want)
		}
	}
	if len(x.lists) != 2 {
		t.Errorf("%d lists were read, want that of the items and that of the tags", len(x.lists))
	}
}
