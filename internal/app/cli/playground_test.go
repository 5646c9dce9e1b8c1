package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/scenario/link"
)

// opened runs the command and returns the scenario passed to the browser and the
// output.
func opened(t *testing.T, args ...string) (*scenario.Scenario, string) {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	var out, problems bytes.Buffer
	app := &program.App{In: strings.NewReader(""), Out: &out, Err: &problems, Now: time.Now}
	app.Page = func() (http.Handler, error) { return http.NotFoundHandler(), nil }
	shown := make(chan string, 1)
	app.Browser = func(_ context.Context, address string) error { shown <- address; return nil }
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, app, args) }()
	var address string
	select {
	case code := <-ended:
		t.Fatalf("ended with %d: %s", code, problems.String())
	case address = <-shown:
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	fragment := resp.Header.Get("Location")
	if len(fragment) > 200<<10 {
		t.Fatalf("the address has %d bytes, more than Chromium takes", len(fragment))
	}
	if fragment == "/#case" { // too long for a header
		text, err := c.Get(address + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		defer text.Body.Close()
		body, err := io.ReadAll(text.Body)
		if err != nil || len(body) <= 100<<10 {
			t.Fatalf("the case has %d bytes (%v)", len(body), err)
		}
		fragment = string(body)
	}
	s, at, err := link.Decode(fragment)
	if err != nil || at != len(s.Steps) {
		t.Fatalf("%s leads to %q: step %d (%v)", address, resp.Header.Get("Location"), at, err)
	}
	end()
	<-ended
	return s, out.String()
}

func TestApplyOpensPlaygroundWithItsInput(t *testing.T) {
	dir := "../../../testdata/quickstart/"
	s, out := opened(t, "apply", dir+"live.yaml", dir+"two-replicas.yaml", "--field-manager", "gitops", "--open", "--color", "never")
	manifest, err := os.ReadFile(dir + "two-replicas.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Objects) != 1 || len(s.Steps) != 1 || s.Steps[0].Actor != "gitops" || s.Steps[0].Do != scenario.Apply || s.Steps[0].Body != string(manifest) {
		t.Errorf("the case is\n%s", s.YAML())
	}
	results, err := scenario.Run(t.Context(), s)
	if err != nil || len(results[0].Conflicts()) != 1 || results[0].Conflicts()[0].Manager != "autoscaler" {
		t.Errorf("the case ends with %v (%v), want the conflict with the autoscaler", results[0].Err, err)
	}
	if !strings.Contains(out, "The playground is served at http://127.0.0.1:") {
		t.Errorf("printed %s", out)
	}
}

// TestPlaygroundOpensLargeFiles opens a file that does not compress. Its link exceeds
// the length that browsers accept in a header.
func TestPlaygroundOpensLargeFiles(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	data := make([]byte, 300<<10)
	if _, err := random.Read(data); err != nil {
		t.Fatal(err)
	}
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large, namespace: shop, uid: a}\nbinaryData: {x: " + base64.StdEncoding.EncodeToString(data) + "}\n"
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, []byte(object), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := opened(t, "playground", file, "--listen", "127.0.0.1:0", "--open")
	if len(s.Objects) != 1 || len(s.Objects[0]) < 400<<10 {
		t.Errorf("%d objects are shown", len(s.Objects))
	}
}

func TestPlaygroundOpensFiles(t *testing.T) {
	file := "../../../testdata/scenarios/01-first-conflict.yaml"
	s, _ := opened(t, "playground", file, "--listen", "127.0.0.1:0", "--open")
	if s.Title != "The first conflict" || len(s.Steps) != 2 {
		t.Errorf("the scenario is\n%s", s.YAML())
	}
	text, err := link.Encode("", s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := opened(t, "playground", text, "--listen", "127.0.0.1:0", "--open"); string(again.YAML()) != string(s.YAML()) {
		t.Errorf("by a link it is\n%s", again.YAML())
	}
	if s, _ := opened(t, "playground", "../../../testdata/quickstart/live.yaml", "--listen", "127.0.0.1:0", "--open"); len(s.Objects) != 1 || len(s.Steps) != 0 {
		t.Errorf("live objects are\n%s", s.YAML())
	}
}
