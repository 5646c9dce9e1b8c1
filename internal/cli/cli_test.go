package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"patchlab": func() {
			now := func() time.Time { return time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC) }
			app := &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: now}
			os.Exit(app.run(context.Background(), os.Args[1:]))
		},
	})
}

// TestScripts runs the command as a user would: testdata/script/*.txtar hold
// commands, what they print, and the files that they read.
func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TESTDATA", testdata)
			return nil
		},
	})
}
