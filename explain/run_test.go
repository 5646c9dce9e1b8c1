package explain_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/scenario"
)

// TestChangesOfStatesWithSharedNodes compares states that share unchanged nodes, as in a scenario; recorded
// states share none.
func TestChangesOfStatesWithSharedNodes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		s := scenario.Scenario{}
		for range 12 {
			do := []scenario.Action{scenario.ForceApply, scenario.ForceApply, scenario.Apply, scenario.ClientApply}[random.IntN(4)]
			s.Steps = append(s.Steps, scenario.Step{Actor: string("abcd"[random.IntN(4)]), Do: do, Body: randomDeployment(random)})
		}
		results, err := scenario.Run(t.Context(), &s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if results[i].Kind == nil {
				t.Fatal(results[i].Err)
			}
			before := results[random.IntN(i+1)].After
			explain.Compared(t, fmt.Sprintf("run %d, step %d", n, i), results[i].Kind.Type(), before, results[i].After)
			explain.Compared(t, fmt.Sprintf("run %d, step %d", n, i), results[i].Kind.Type(), results[i].Before, results[i].After)
		}
	}
}

// randomDeployment generates a manifest with some of a few containers, environment
// variables and arguments, in any order.
func randomDeployment(random *rand.Rand) string {
	var b strings.Builder
	some := func(indent, text string) {
		if random.IntN(3) > 0 {
			b.WriteString(indent + text + "\n")
		}
	}
	b.WriteString("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n    note: \"a\\nb\"\nspec:\n")
	some("  ", fmt.Sprintf("replicas: %d", random.IntN(3)))
	some("  ", "paused: true")
	b.WriteString("  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n")
	some("        ", fmt.Sprintf("tier: t%d", random.IntN(2)))
	b.WriteString("    spec:\n      containers:\n")
	for _, c := range random.Perm(3)[:1+random.IntN(3)] {
		fmt.Fprintf(&b, "      - name: c%d\n        image: i\n", c)
		some("        ", "args: [x, y]")
		for i, e := range random.Perm(4)[:random.IntN(5)] {
			if i == 0 {
				b.WriteString("        env:\n")
			}
			fmt.Fprintf(&b, "        - name: e%d\n          value: v%d\n", e, random.IntN(2))
		}
		some("        ", "ports: [{containerPort: 80}]")
		some("        ", "resources: {limits: {cpu: 1}}")
	}
	return b.String()
}
