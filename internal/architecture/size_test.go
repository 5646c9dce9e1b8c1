package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxFile is the size in bytes that no file of the repository exceeds. Everyone who clones the repository
// downloads each version of a file, and programs are built and not stored.
const maxFile = 2 << 20

func TestFilesAreSmall(t *testing.T) {
	c := exec.Command("git", "ls-files", "-z")
	c.Dir = "../.."
	out, err := c.Output()
	if err != nil {
		t.Skip("this is not a git repository: ", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > maxFile {
			t.Errorf("%s has %d bytes: add it to .gitignore if it is built, or split it", name, info.Size())
		}
	}
}
