package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/scenario/link"
	"github.com/patchlab-dev/patchlab/web"
)

// defaultListen is the default address of the playground.
const defaultListen = "127.0.0.1:8711"

// PlaygroundCommand returns the command playground.
func PlaygroundCommand(a *program.App) *cobra.Command {
	listen, open := defaultListen, false
	c := &cobra.Command{
		Use:   "playground [FILE]",
		Short: "Serve the playground, a web page for experiments with field ownership and merging",
		Long: `Serve the playground: a web page in which several field managers change an object
step by step. It shows the owners of each line, conflicts, and how each type of patch
merges. The page runs entirely in the browser and sends no data to this server or any
other. Press Ctrl-C to stop the command.

FILE is the initial content of the page: a scenario, a playground link, or live
objects as printed by 'kubectl get -o yaml --show-managed-fields', which become the
start of a new scenario. "-" is standard input.`,
		Example: `  patchlab playground --open
  patchlab playground conflict.yaml --open
  kubectl get deployment web -o yaml --show-managed-fields | patchlab playground - --open`,
		Args: program.AtMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			var shown *scenario.Scenario
			if len(args) > 0 {
				var err error
				if shown, err = caseOf(a, args[0]); err != nil {
					return err
				}
			}
			return Playground(c.Context(), a, listen, open, shown)
		},
	}
	c.Flags().StringVar(&listen, "listen", listen, "address to listen on; port 0 selects a free port")
	c.Flags().BoolVar(&open, "open", false, "open the page in the browser")
	return c
}

// caseOf returns the scenario in a file or link, or a scenario that starts with the objects in
// a file.
func caseOf(a *program.App, name string) (*scenario.Scenario, error) {
	f, err := readScenarioFile(a, name)
	if err != nil || f.err == nil {
		return f.scenario, err
	}
	if scenarioText.Match(f.text) {
		return nil, f.err
	}
	docs, err := manifest.Parse(name, f.text)
	if err != nil {
		return nil, err
	}
	s := &scenario.Scenario{Title: filepath.Base(name)}
	for _, o := range manifest.Split(docs...) {
		if !o.Typed() {
			return nil, fmt.Errorf("%s: expected a scenario or live objects", o.Position())
		}
		if o.IsCRD() {
			s.Definitions = append(s.Definitions, string(o.Value.YAML()))
		} else {
			s.Objects = append(s.Objects, string(o.Value.YAML()))
		}
	}
	if len(s.Objects) == 0 {
		return nil, errors.New(inputs.Names([]string{name}) + ": no object found")
	}
	return s, nil
}

// casePath is the path at which a served playground redirects to the case that it was started
// with, because a link may be too long for a command line argument.
const casePath = "/case"

// caseText is the path of the case's fragment, which the page at caseFragment asks for.
// Chromium accepts at most 256 KB of headers, so that casePath cannot redirect to a longer
// fragment.
const (
	caseText        = "/case.txt"
	caseFragment    = "#case"
	longestLocation = 100 << 10
)

// Playground serves the page, which first opens the scenario shown unless it is nil.
func Playground(ctx context.Context, a *program.App, listen string, open bool, shown *scenario.Scenario) error {
	handler := a.Page
	if handler == nil {
		handler = web.Handler
	}
	page, err := handler()
	if err != nil {
		return err
	}
	if shown == nil {
		return servePage(ctx, a, listen, open, "/", page)
	}
	fragment, err := link.Encode("", shown, len(shown.Steps))
	if err != nil {
		return err
	}
	withCase := http.NewServeMux()
	withCase.Handle("/", page)
	withCase.HandleFunc("GET "+casePath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		to := fragment
		if len(to) > longestLocation {
			to = caseFragment
		}
		http.Redirect(w, r, "/"+to, http.StatusFound)
	})
	withCase.HandleFunc("GET "+caseText, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, fragment) // the page reports a text that is cut short
	})
	return servePage(ctx, a, listen, open, casePath, withCase)
}

// servePage serves the page until the context is done.
func servePage(ctx context.Context, a *program.App, listen string, open bool, path string, page http.Handler) error {
	l, err := serving.ListenOn(ctx, "--listen", listen)
	if err != nil {
		return err
	}
	address := "http://" + l.Addr().String() + path
	if _, err := io.WriteString(a.Out, "The playground is served at "+address+" (press Ctrl-C to stop)\n"); err != nil {
		return errors.Join(err, l.Close())
	}
	s := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	if open {
		browse := a.Browser
		if browse == nil {
			browse = openBrowser
		}
		go func() {
			if err := browse(ctx, address); err != nil && ctx.Err() == nil {
				a.Note("The browser could not be opened (" + err.Error() + "); open the URL manually")
			}
		}()
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return s.Close()
	}
}
