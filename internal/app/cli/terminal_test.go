package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestNothingControlsTheTerminal: no name and no value of a manifest, a live object or a scenario reaches
// the terminal as an escape sequence, or as a line of its own that looks like a message of patchlab.
func TestNothingControlsTheTerminal(t *testing.T) {
	const evil = "x\x1b[31m\u009b1m\r\b\u202e\nerror: none"
	folder := t.TempDir()
	file := func(name, format string, values ...any) string {
		name = filepath.Join(folder, name)
		for i, v := range values {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			values[i] = text
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, format, values...), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const object = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": %s, "namespace": %s, "labels": {"a": %s}, "managedFields": [
		{"manager": %s, "operation": "Update", "apiVersion": %s, "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {"f:a": {}}}, "f:data": {%s: {}}}}]}, "data": {"k": "v"}, %s: 1}`
	live := file("live.json", object, "a", "b", "c", evil, "v1", "f:k", "immutable")
	odd := file("odd.json", object, evil, evil, evil, "m", evil, "f:"+evil, evil)
	manifest := file("manifest.json", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b", "labels": {"a": %s}}, "data": {"k": %s}}`, evil, evil)
	other := file("other.json", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": %s, "namespace": %s}, %s: 1}`, evil, evil, evil)
	service := file("service.json", `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": %s, "namespace": %s, "labels": {"a": %s}}, "spec": {"ports": [{"name": %s, "port": 80}]}}`, evil, evil, evil, evil)
	kind := file("kind.json", `{"apiVersion": "example.com/v1", "kind": %s, "metadata": {"name": "a"}}`, evil)
	scenario := file("scenario.json", `{"scenario": "patchlab.dev/v1", "title": %s, "steps": [{"actor": %s, "do": "apply", "body": "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\", \"b\": 1}}"}]}`, evil, evil)
	for _, args := range [][]string{
		{"apply", live, manifest}, {"apply", live, manifest, "--color", "always", "-o", "diff", "--force-conflicts"}, {"apply", live, other}, {"apply", live, kind, "-o", "name"}, {"apply", kind, "-o", "name"},
		{"apply", live, other, "--type", "merge"}, {"apply", live, manifest, other, "--summary", "text"}, {"apply", live, other, "--summary", "markdown"}, {"apply", live, manifest, "--summary", "markdown"},
		{"apply", odd, manifest}, {"explain", live, manifest, "--color", "always"}, {"explain", live, other}, {"explain", odd, other, "--type", "merge"},
		{"blame", live, "--color", "always"}, {"blame", odd}, {"blame", live, "--manager", "none"}, {"lint", live, odd, manifest, other, kind}, {"resolve", live, manifest}, {"resolve", live, other},
		{"diff", live, manifest}, {"diff", odd, other}, {"diff", live, other}, {"migrate", live, "--from", evil, "-f", manifest}, {"migrate", live}, {"migrate", odd}, {"migrate", odd, "--from", "m"}, {"migrate", kind},
		{"defaults", service, "-o", "diff"}, {"defaults", service, "-o", "rules"}, {"defaults", kind, "-o", "diff"}, {"run", scenario}, {"run", "-v", scenario}, {"run", scenario, "--step", "1"}, {"apply", filepath.Join(folder, evil)}, {evil}, {"schema", evil},
	} {
		t.Run(strings.ReplaceAll(strings.Join(args, " "), folder+"/", ""), func(t *testing.T) {
			var out, errOut bytes.Buffer
			Run(args, strings.NewReader(""), &out, &errOut)
			for name, text := range map[string]string{"output": out.String(), "error output": errOut.String()} {
				for _, sequence := range append(ownerColors[:], "\x1b[0m", "\x1b[1m", "\x1b[2m") {
					if args[len(args)-1] == "always" || strings.Contains(strings.Join(args, " "), "always") {
						text = strings.ReplaceAll(text, sequence, "")
					}
				}
				if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) }); i >= 0 {
					t.Errorf("the %s contains %q:\n%q", name, text[i:i+1], text)
				}
				if strings.Contains("\n"+text, "\nerror: none") {
					t.Errorf("the %s has a line of its own for a value:\n%s", name, text)
				}
			}
		})
	}
}
