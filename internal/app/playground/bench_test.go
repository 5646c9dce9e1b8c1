package playground

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// largeDeployment returns a Deployment of about 570 lines.
func largeDeployment(replicas int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: %d\n  selector:\n    matchLabels:\n      app: web\n", replicas)
	b.WriteString("  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n")
	for c := range 8 {
		fmt.Fprintf(&b, "      - name: c%d\n        image: example.com/c%d:1\n        env:\n", c, c)
		for e := range 22 {
			fmt.Fprintf(&b, "        - name: E%d\n          value: v%d\n", e, e)
		}
		b.WriteString("        ports:\n")
		for p := range 4 {
			fmt.Fprintf(&b, "        - containerPort: %d\n          name: p%d\n", 8000+p, p)
		}
		b.WriteString("        resources:\n          limits:\n            cpu: 500m\n            memory: 1Gi\n")
	}
	return b.String()
}

// fourManagers returns a scenario in which four managers apply to one large Deployment.
func fourManagers(steps int) Scenario {
	s := Scenario{}
	for i := range steps {
		s.Steps = append(s.Steps, Step{Actor: fmt.Sprintf("m%d", i%4), Do: "force-apply", Body: largeDeployment(3 + i)})
	}
	return s
}

// BenchmarkStep measures one more step on a large object with four managers, including
// all output for the page.
func BenchmarkStep(b *testing.B) {
	e := New()
	s := fourManagers(5)
	before := s
	before.Steps = s.Steps[:4]
	for b.Loop() {
		b.StopTimer()
		e.last = nil
		if _, err := e.run(&RunInput{Scenario: before, At: 4, Against: 3}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := e.run(&RunInput{Scenario: s, At: 5, Against: 4}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKey measures a key in a step on a large object, as requests of the page: a step after
// those of four managers, and the step of the fourth, with which every line gets another owner.
func BenchmarkKey(b *testing.B) {
	for _, at := range []int{5, 4} {
		b.Run(fmt.Sprintf("step %d", at), func(b *testing.B) {
			e := New()
			s := fourManagers(5)
			n := 0
			for b.Loop() {
				n++
				s.Steps[at-1].Body = largeDeployment(3 + n%7)
				input := e.encoder.append(nil, reflect.ValueOf(RunInput{Scenario: s, At: at, Against: at - 1, Changes: 60}))
				request := fmt.Appendf(nil, `{"call":"run","rows":{"number":%d,"have":%d},"input":%s}`, n, n-1, input)
				if out := e.Handle(request); !bytes.HasPrefix(out, []byte(`{"output"`)) {
					b.Fatal(string(out))
				}
			}
		})
	}
}
