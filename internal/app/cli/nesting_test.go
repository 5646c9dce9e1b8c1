package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestDeepObjects: commands that list fields refuse an object whose paths would not fit into memory,
// and accept what is less deep.
func TestDeepObjects(t *testing.T) {
	const most = 1000
	for _, levels := range []int{most - 2, 9000} {
		file := filepath.Join(t.TempDir(), "deep.json")
		text := `{"apiVersion": "example.com/v1", "kind": "W", "metadata": {"name": "a"}, "spec": ` + strings.Repeat(`{"a":[`, levels/2) + "1" + strings.Repeat("]}", levels/2) + "}"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"lint", file}, {"explain", "-f", file}, {"blame", file}, {"defaults", file}} {
			var out, errOut bytes.Buffer
			code := Run(args, strings.NewReader(""), &out, &errOut)
			if refused := strings.Contains(errOut.String(), "nest deeper than 1000 levels"); refused != (levels > most) || refused != (code == program.ExitRefused) {
				t.Errorf("%s with %d levels: exit code %d: %.300s", args[0], levels, code, errOut.String())
			}
		}
	}
}
