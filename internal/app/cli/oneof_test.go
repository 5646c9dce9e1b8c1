package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

func TestOneOf(t *testing.T) {
	for _, c := range []struct {
		why        string
		args       []string
		value, err string
	}{
		{"the default, which is none of the choices", nil, "", ""},
		{"a choice", []string{"--output", "json"}, "json", ""},
		{"the short flag", []string{"-o", "json"}, "json", ""},
		{"the default, as of a variable that is not set", []string{"--output="}, "", ""},
		{"another text", []string{"--output", "jsn"}, "", "--output jsn: expected text, json or yaml"},
		{"another text with the short flag", []string{"-ojsn"}, "", "--output jsn: expected text, json or yaml"},
		{"another case", []string{"--output", "JSON"}, "", "--output JSON: expected text, json or yaml"},
	} {
		var value string
		command := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, Run: func(*cobra.Command, []string) {}}
		command.SetFlagErrorFunc(wrongFlag)
		program.OneOf(command, &value, "output", "o", "", "output format", "text", "json", "yaml")
		command.SetArgs(append([]string{}, c.args...))
		text := ""
		if err := command.Execute(); err != nil {
			text = err.Error()
		}
		if value != c.value || text != c.err {
			t.Errorf("%s: %q and error %q, want %q and %q", c.why, value, text, c.value, c.err)
		}
	}
	if code, out, _ := ran(t, "__complete", "diff", "--output", ""); code != program.ExitDone || !strings.HasPrefix(out, "text\njson\nyaml\ndiff\npatch\n") {
		t.Errorf("completed with code %d: %q", code, out)
	}
	if code, _, errs := ran(t, "race", "x.yaml", "-o", "yaml"); code != program.ExitUsage || errs != "error: --output yaml: expected text or json\n" {
		t.Errorf("code %d: %q", code, errs)
	}
}
