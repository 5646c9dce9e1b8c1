package differ

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/test/testserver"
)

var (
	count  = flag.Int("differ.cases", 300, "how many random cases to ask")
	seed   = flag.Uint64("differ.seed", 1, "seed of the random cases")
	only   = flag.String("differ.only", "", "regular expression of the recorded cases to change")
	record = flag.String("differ.record", "", "file to append the differing cases to, with the API server's answers")
)

// TestRandomCasesAgreeWithAPIServer sends randomly modified recorded cases to both servers and
// compares the responses. The kube-apiserver must have the custom resources of
// testdata/crds.
func TestRandomCasesAgreeWithAPIServer(t *testing.T) {
	if !testserver.Foreign() {
		t.Skip("needs a kube-apiserver to compare with: set " + testserver.EnvServer + " and " + testserver.EnvToken)
	}
	all, err := conformance.ReadAll("../../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	cases := all[:0]
	for _, c := range all {
		if regexp.MustCompile(*only).MatchString(c.Name) {
			cases = append(cases, c)
		}
	}
	m := newMutator(*seed, cases)
	theirs, ours := foreign(), start(t)
	differ := 0
	for i := range *count {
		c := m.next(fmt.Sprintf("differ/%d-%d", *seed, i))
		recorded, err := (conformance.Runner{}).Record(c, theirs)
		if errors.Is(err, io.EOF) {
			t.Logf("%s (%s): the API server dropped the connection: %v", c.Name, c.Note, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		recorded.Steps = recorded.Steps[:judged(recorded)]
		if len(recorded.Steps) == 0 {
			continue
		}
		if _, d := (conformance.Runner{}).Run(recorded, ours); d != "" {
			differ++
			t.Errorf("%s (%s): %s", c.Name, c.Note, d)
			keep(t, recorded)
		}
	}
	t.Logf("%d of %d random cases (seed %d) have the API server's responses", *count-differ, *count, *seed)
}

// foreign sends requests to the kube-apiserver.
func foreign() conformance.Send {
	return conformance.HTTP(os.Getenv(testserver.EnvServer), os.Getenv(testserver.EnvToken), &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 4}})
}

// judged returns the number of steps of a recorded case for which patchlab must give the same
// response: those before a built-in kind was refused by its validation, which is not done here
// (doc/pipeline.md).
func judged(c conformance.Case) int {
	for i, s := range c.Steps {
		if s.Response.Code == http.StatusUnprocessableEntity && !strings.Contains(s.Request.Path, "/lab.example.com/") {
			return i
		}
	}
	return len(c.Steps)
}

// start starts patchlab with the recordings' CRDs and no objects.
func start(t *testing.T) conformance.Send {
	t.Helper()
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Options{}))
	t.Cleanup(func() { s.Close(); _ = c.Close() })
	send := conformance.HTTP(s.URL, "", s.Client())
	if err := conformance.Install(send, "../../testdata/crds"); err != nil {
		t.Fatal(err)
	}
	return send
}

// keep appends a case to the file of differing cases.
func keep(t *testing.T, c conformance.Case) {
	if *record == "" {
		return
	}
	f, err := os.OpenFile(*record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(c); err != nil {
		t.Fatal(err)
	}
}
