package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// measuringWriter measures the memory in use when something is written.
type measuringWriter struct{ writes, most uint64 }

func (w *measuringWriter) Write(text []byte) (int, error) {
	if w.writes++; w.writes%200 == 0 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		w.most = max(w.most, stats.HeapAlloc)
	}
	return len(text), nil
}

// TestBlameOfManyObjects checks that blame does not hold the owners of all lines of a dump, which are far larger
// than the dump, until it prints them.
func TestBlameOfManyObjects(t *testing.T) {
	const objects, fields = 1000, 100
	var dump strings.Builder
	for i := range objects {
		fmt.Fprintf(&dump, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings-%d, namespace: shop}\ndata:\n", i)
		for j := range fields {
			fmt.Fprintf(&dump, "  key-%d: a value\n", j)
		}
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	out := &measuringWriter{}
	app := &App{In: strings.NewReader(dump.String()), Out: out, Err: io.Discard}
	if code := app.run(context.Background(), []string{"blame", "-", "-q"}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if out.writes < objects {
		t.Errorf("%d writes for %d objects", out.writes, objects)
	}
	if most := before.HeapAlloc + 12*uint64(dump.Len()); out.most > most {
		t.Errorf("%d bytes in use for a dump of %d, want at most %d", out.most, dump.Len(), most)
	}
}
