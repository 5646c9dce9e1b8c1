package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestLoopOverManyObjects checks that the commands for a namespace with many objects have no long lines, and still
// name each object once.
func TestLoopOverManyObjects(t *testing.T) {
	var objects []migrated
	for i := range 200 {
		objects = append(objects, migrated{resource: fmt.Sprintf("configmap/settings-%d", i)})
	}
	objects[7].resource = "configmap/" + strings.Repeat("long-", 50)
	text := loopOver(objects)
	for line := range strings.Lines(text) {
		if len(line) > 104 && !strings.Contains(line, objects[7].resource) {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	words := strings.Fields(strings.ReplaceAll(text, "\\\n", ""))
	if len(words) != 3+len(objects) {
		t.Fatalf("%d words, want %d", len(words), 3+len(objects))
	}
	for i, one := range objects {
		if words[3+i] != one.resource {
			t.Errorf("word %d is %s, want %s", i, words[3+i], one.resource)
		}
	}
}
