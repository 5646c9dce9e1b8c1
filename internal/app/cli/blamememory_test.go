package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
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
	const objects, fields = 400, 100
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
	for _, format := range []string{"text", "json", "yaml"} {
		out := &measuringWriter{}
		app := &program.App{In: strings.NewReader(dump.String()), Out: out, Err: io.Discard}
		if code := run(context.Background(), app, []string{"blame", "-", "-q", "-o", format}); code != 0 {
			t.Fatalf("%s: exit code %d", format, code)
		}
		if out.writes < objects {
			t.Errorf("%s: %d writes for %d objects", format, out.writes, objects)
		}
		if most := before.HeapAlloc + 12*uint64(dump.Len()); out.most > most {
			t.Errorf("%s: %d bytes in use for a dump of %d, want at most %d", format, out.most, dump.Len(), most)
		}
	}
}
