package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestPrintedCommandsQuoteNames: the name of a ClusterRole may have any characters but "/" and "%", and
// the kind of an object without a schema any at all. A shell must read each as a part of one word.
func TestPrintedCommandsQuoteNames(t *testing.T) {
	for _, c := range []struct{ apiVersion, kind, name string }{
		{"rbac.authorization.k8s.io/v1", "ClusterRole", "r;touch${IFS}pwn 'a'"},
		{"example.com/v1", "$(touch pwn)'a'", "r"},
	} {
		live := filepath.Join(t.TempDir(), "live.json")
		object := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "rules": [], "metadata": {"name": %q`, c.apiVersion, c.kind, c.name)
		managed := fmt.Sprintf(`, "labels": {"a": "c"}, "resourceVersion": "3", "managedFields": [{"manager": "ci", "operation": "Update", "apiVersion": %q, "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {"f:a": {}}}}}]}}`, c.apiVersion)
		if err := os.WriteFile(live, []byte(object+managed), 0o644); err != nil {
			t.Fatal(err)
		}
		wanted := object + `, "labels": {"a": "b"}}}`
		for _, args := range [][]string{{"diff", live, "-"}, {"migrate", live, "--from", "ci"}} {
			var out, errOut bytes.Buffer
			if code := Run(args, strings.NewReader(wanted), &out, &errOut); code != program.ExitDone {
				t.Fatalf("%v: exit code %d: %s", args, code, errOut.String())
			}
			commands := regexp.MustCompile(`(?m)^.*kubectl patch .*$`).FindAllString(out.String(), -1)
			if len(commands) == 0 {
				t.Errorf("%v prints no command:\n%s", args, out.String())
			}
			for _, c := range commands {
				quoted := regexp.MustCompile(`'[^']*'|\\'`)
				if bare := quoted.ReplaceAllString(c, ""); strings.ContainsAny(bare, ";$(") {
					t.Errorf("%s prints a command in which the name is not quoted: %s", args[0], c)
				}
			}
		}
	}
}
