package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestExitCodesOfArguments: an argument that no input could fit is wrong usage, one that this input does not
// have is not.
func TestExitCodesOfArguments(t *testing.T) {
	dir := t.TempDir()
	live, config := filepath.Join(dir, "live.yaml"), filepath.Join(dir, "config.yaml")
	for name, text := range map[string]string{
		live: `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, uid: u, resourceVersion: "1",
managedFields: [{manager: other, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:k": {}}}}]}, data: {k: "1"}}`,
		config: `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {k: "2"}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		why  string
		args []string
		code int
		want string // part of the error
	}{
		{"a manager that owns nothing", []string{"blame", live, "--manager", "gitops"}, program.ExitRefused, "--manager gitops: no such manager"},
		{"a field that the object does not have", []string{"blame", live, "--path", ".data.x"}, program.ExitRefused, "--path .data.x: "},
		{"a text that is no path", []string{"blame", live, "--path", ".data["}, program.ExitUsage, "--path .data[: "},
		{"an object that is not in the file", []string{"blame", live, "secret/a"}, program.ExitRefused, "secret/a is not in "},
		{"a text that names no object", []string{"blame", live, "secret"}, program.ExitUsage, "expected KIND/NAME"},
		{"a field without a conflict", []string{"resolve", live, config, "--drop", ".data.x"}, program.ExitRefused, "no conflict at .data.x"},
		{"a path that cannot be that of a conflict", []string{"resolve", live, config, "--take", ".data["}, program.ExitUsage, "--take '.data['"},
		{"no argument", []string{"resolve", live}, program.ExitUsage, "requires the arguments"},
	} {
		if code, _, errs := ran(t, c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d and %q, want %d and %q", c.why, code, errs, c.code, c.want)
		}
	}
}
