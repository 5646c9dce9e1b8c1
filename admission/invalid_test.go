package admission_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
)

// openWithCEL are the cases of testdata/invalid whose responses differ even with CEL
// linked in.
var openWithCEL = map[string]bool{
	"invalid-admissionregistration/validatingwebhookconfigurations-merge-metadata-meta-label-ok-3fac2ad865": true,
	"invalid-apiextensions/customresourcedefinitions-merge-spec.scope-upd-change-de54b2769d":                true,
}

// TestInvalid replays the recorded refusals of built-in kinds, and similar objects that were
// accepted, with CEL linked in. CASE=text runs only the cases whose names or files contain
// the text.
func TestInvalid(t *testing.T) {
	files, err := filepath.Glob("../testdata/invalid/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	clock := conformance.NewClock()
	config := cluster.Config{Now: clock.Now, Addresses: true}
	if err := admission.Configure(&config, admission.Options{}); err != nil {
		t.Fatal(err)
	}
	config.Admission = nil // the recording server ran no admission plugins
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	runner := conformance.Runner{Now: clock.Now, Sleep: clock.Sleep}
	only, count := os.Getenv("CASE"), conformance.Verdicts{}
	for _, file := range files {
		cases, err := conformance.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range cases {
			if !strings.Contains(one.Name, only) && !strings.Contains(file, only) {
				continue
			}
			answer, why, err := runner.Judge(one, inprocess.Send(c))
			if err != nil {
				t.Fatal(err)
			}
			count.Add(one, answer)
			switch agrees := answer == conformance.Agrees || answer == conformance.Reworded; {
			case agrees == openWithCEL[one.Name] && agrees:
				t.Errorf("%s agrees: remove it from openWithCEL", one.Name)
			case agrees == openWithCEL[one.Name]:
				t.Errorf("%s: %s\n%s", one.Name, answer, why)
			}
		}
	}
	t.Log(count)
}
