package notice_test

import (
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/test/notice"
)

// TestNoticeIsCurrent checks that NOTICE lists the components of the commands and the
// page at their current versions and has a licence for each. It does not compare the
// licence texts, because those of npm packages are available only where the packages
// are installed.
func TestNoticeIsCurrent(t *testing.T) {
	all, err := notice.Components("../..")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if !strings.Contains(text, "\n\n"+notice.List(all)+"\n") {
		t.Error("NOTICE does not list what the binaries contain; run 'make notice'. The list is:\n" + notice.List(all))
	}
	if !strings.Contains(text, "Copyright The Kubernetes Authors") {
		t.Error("NOTICE does not name the origin of the definitions that the server contains; run 'make notice'")
	}
	for _, c := range all {
		if strings.Count(text, c.Name) < 2 {
			t.Errorf("NOTICE has no licence of %s", c.Name)
		}
	}
	if len(all) < 50 {
		t.Errorf("only %d components", len(all))
	}
}
