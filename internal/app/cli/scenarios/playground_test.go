package scenarios

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

func TestPlaygroundServesUntilInterrupted(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	in, out := io.Pipe()
	app := &program.App{Out: out, Err: io.Discard, Now: time.Now}
	ended := make(chan error, 1)
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") })
	go func() { ended <- servePage(ctx, app, "127.0.0.1:0", false, "/", page) }()
	line := make([]byte, 200)
	n, err := in.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.Fields(strings.TrimPrefix(string(line[:n]), "The playground is served at "))[0]
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "the page" {
		t.Errorf("%s answers %q", address, body)
	}
	end()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestPlaygroundRefusesInvalidAddress(t *testing.T) {
	app := &program.App{Out: io.Discard, Err: io.Discard, Now: time.Now}
	if err := servePage(context.Background(), app, "nowhere", false, "/", http.NotFoundHandler()); err == nil {
		t.Error("no error")
	}
}
