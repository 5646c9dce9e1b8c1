//go:build !js

package cluster_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// shownObject matches an object as the value in a message.
var shownObject = regexp.MustCompile(`\{.*\}`)

// TestWordsOfDeclaredRules: from Kubernetes 1.37 on, types declare more of their rules, whose messages
// differ from those of the functions that they replace, and which hold for parts that no function
// checks. The answers in testdata/declaredwords.jsonl are those of kube-apiserver 1.36.3 and 1.37.2 to
// the same requests in this order, without admission plugins: the causes of a refusal, sorted. Objects
// in messages are not compared, because kube-apiserver writes their Go types (doc/kinds.md).
func TestWordsOfDeclaredRules(t *testing.T) {
	text, err := os.ReadFile("testdata/declaredwords.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range [...]string{"1.36", "1.37"} {
		q := newRequests(t, cluster.Config{Version: version})
		for line := range strings.Lines(string(text)) {
			var c struct {
				Reason, Method, Path string
				Body                 json.RawMessage
				Want                 map[string][]string
			}
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			verb := cluster.Create
			if c.Method == "PATCH" {
				verb = cluster.Patch
			}
			var got []string
			want := c.Want[version]
			for i := range want {
				want[i] = shownObject.ReplaceAllString(want[i], "{}")
			}
			if _, st := q.do(verb, c.Path, string(c.Body)); st != nil && st.Details != nil {
				for _, cause := range st.Details.Causes {
					got = append(got, shownObject.ReplaceAllString(cause.Field+": "+cause.Message, "{}"))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s:\n%s\nwant\n%s", version, c.Reason, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}
