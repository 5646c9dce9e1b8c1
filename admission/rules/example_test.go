package rules_test

import (
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/admission/rules"
)

// A Lab with rules refuses what kube-apiserver would refuse.
func ExampleNew() {
	lab, err := patchlab.New(patchlab.Options{
		CRDs:  fstest.MapFS{"ranges.yaml": {Data: []byte(strings.Replace(ranges, "RULE", "self.min <= self.max", 1))}},
		Rules: rules.New(),
	})
	if err != nil {
		log.Fatal(err)
	}
	manifest := "apiVersion: example.com/v1\nkind: Range\nmetadata: {name: r}\nspec: {min: 3, max: 2}\n"
	_, err = lab.Apply(nil, patchlab.Bytes(manifest), patchlab.ApplyOptions{FieldManager: "gitops"})
	fmt.Println(err)
	// Output:
	// 4:7: Range.example.com "r" is invalid: spec: Invalid value: min must not exceed max (API server response: 422 Invalid)
}
