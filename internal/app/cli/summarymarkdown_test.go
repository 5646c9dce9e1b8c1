package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestMarkdownSummaryOfLargeObjects checks the summary of the command.
func TestMarkdownSummaryOfLargeObjects(t *testing.T) {
	var manifests strings.Builder
	for i := range 20 {
		size := 10
		if i == 3 {
			size = 70_000
		}
		fmt.Fprintf(&manifests, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata: {k: %s}\n", i, strings.Repeat("x", size))
	}
	var out, errOut bytes.Buffer
	if code := Run([]string{"apply", "-f", "-", "--summary", "markdown"}, strings.NewReader(manifests.String()), &out, &errOut); code != program.ExitDone {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	for _, want := range []string{"| ConfigMap c19 in namespace default | created |", "<summary>ConfigMap c3 in namespace default: created</summary>", "`patchlab apply --filename=CONFIG -o diff` prints all.", "<summary>ConfigMap c19 in namespace default: created</summary>"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	if out.Len() > 64_000 {
		t.Errorf("the summary has %d bytes", out.Len())
	}
}
