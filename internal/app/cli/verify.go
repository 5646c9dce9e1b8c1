package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/schema"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	apply  applyOptions
	random int
	seed   uint64
	kind   string
	report bool
}

func verifyCommand(a *program.App) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use:   "verify [LIVE] [PATCH]",
		Short: "Compare the engines with the libraries of kube-apiserver",
		Long: `Run the same operations with patchlab's engines and with the reference engine, which
consists of the libraries of kube-apiserver and kubectl, and compare the results:
objects, managedFields, conflicts, and the class of every refusal.

With LIVE and PATCH, which are those of apply, the operations are those of apply and
the computation of the patches between the two objects. With --random, N random cases
are generated from the types of all kinds, including custom resources given with
--crd: server-side apply and update tracking by several managers in several versions,
JSON, merge and strategic merge patches, computation of patches, and three-way merges.
Every second case is a custom resource with a random type that contains all sorts of
lists and maps; --kind excludes these cases.

The first difference is reduced to the smallest input that reproduces it.

Exit codes:
  0  no difference
  1  a difference, or an input could not be read
  2  wrong usage`,
		Example: `  # Compare the results of both engines for a change
  patchlab verify live.yaml patch.yaml

  # Run 20000 random cases, then only the case with seed 4711
  patchlab verify --random 20000
  patchlab verify --random 1 --seed 4711`,
		Args: cobra.ArbitraryArgs, // validated together with the flags
		RunE: func(c *cobra.Command, args []string) error { return runVerify(c.Context(), a, args, &o) },
	}
	o.apply.add(c)
	inputs.CompleteInputs(a, c, &o.apply.inputs.Kubectl)
	f := c.Flags()
	f.IntVar(&o.random, "random", 0, "number of random cases to run")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the first random case; it is incremented for each case")
	f.StringVar(&o.kind, "kind", "", "generate only cases of this kind, such as Deployment or widgets.example.com")
	f.BoolVar(&o.report, "progress", false, "print the progress every ten seconds even if standard error is not a terminal")
	return c
}

func runVerify(ctx context.Context, a *program.App, args []string, o *verifyOptions) error {
	files := len(args) > 0 || len(o.apply.inputs.Files) > 0 || o.apply.inputs.Kustomize != ""
	switch {
	case o.random < 0 || (o.random > 0) == files:
		return program.Usage("'" + a.CalledAs() + " verify' requires either LIVE and PATCH, or --random N\nSee '" + a.CalledAs() + " verify --help'.")
	case a.Reference == nil:
		return a.HandOver(ctx, "'"+a.CalledAs()+" verify'")
	case o.random > 0:
		return verifyRandom(ctx, a, o)
	}
	return verifyFiles(ctx, a, args, o)
}

// verifyRandom compares the engines on random cases.
func verifyRandom(ctx context.Context, a *program.App, o *verifyOptions) error {
	source, err := drawn(ctx, a, o)
	if err != nil {
		return err
	}
	// Most memory is short-lived: less frequent garbage collection saves a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(max(800, debug.SetGCPercent(100))))
	p := progress{out: a.Err, total: o.random, began: a.Now(), now: a.Now, terminal: terminal.CanRedraw(a.Err), lines: o.report}
	report, failure, err := verify.Run(ctx, *a.Reference, source, verify.Options{First: o.seed, Cases: o.random, Progress: p.at})
	p.clear()
	if err != nil {
		return fmt.Errorf("stopped: %w", err)
	}
	if failure != nil {
		again := fmt.Sprintf("%s verify --random 1 --seed %d", a.CalledAs(), failure.Case.Seed)
		if o.kind != "" {
			again += " --kind " + o.kind
		}
		return &program.Exit{Code: program.ExitRefused, Err: fmt.Errorf("the engines differ at seed %d\n%s\nTo reproduce: %s", failure.Case.Seed, failure.Text(), again)}
	}
	_, err = io.WriteString(a.Out, reportText(report)+p.rate())
	return err
}

// drawn returns the source of random cases.
func drawn(ctx context.Context, a *program.App, o *verifyOptions) (*verify.Source, error) {
	registry, err := o.apply.schemas.Registry(ctx, a)
	if err != nil {
		return nil, err
	}
	s := &verify.Source{Custom: o.kind == ""}
	names := map[string]bool{}
	name, group, grouped := strings.Cut(o.kind, ".")
	for k := range registry.Kinds() {
		if k.Resource == "" || k.Type().Map.Field("metadata") == nil {
			continue // not stored
		}
		names[k.Kind] = true
		if o.kind == "" || inputs.IsNamed(k, name) && (!grouped || group == k.Group) {
			s.Kinds = append(s.Kinds, k)
		}
	}
	if len(s.Kinds) == 0 {
		hint := ""
		if near := schema.Nearest(o.kind, maps.Keys(names)); near != "" {
			hint = "; did you mean " + near + "?"
		}
		return nil, program.Usage("--kind " + o.kind + ": no such kind" + hint)
	}
	return s, nil
}

// reportText summarizes the comparison.
func reportText(r *verify.Report) string {
	var b strings.Builder
	known := 0
	for _, n := range r.Known {
		known += n
	}
	seeds := fmt.Sprintf("seeds %d to %d", r.First, r.First+uint64(r.Cases)-1)
	if r.Cases == 1 {
		seeds = fmt.Sprintf("seed %d", r.First)
	}
	fmt.Fprintf(&b, "no unknown difference in %s, %s; %d with a known one\n", terminal.Count(r.Cases, "case", "cases"), seeds, known)
	b.WriteString(kindsText(r.Kinds))
	for _, part := range []struct {
		title  string
		counts map[string]int
	}{{"cases", r.Works}, {"cases with", r.Features}, {"results of both", r.Answers}, {"known differences (doc/verification.md)", r.Known}} {
		if len(part.counts) == 0 {
			continue
		}
		b.WriteString(part.title + ":\n")
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(&b, "%9d  %s\n", part.counts[name], name)
		}
	}
	return b.String()
}

// kindsText describes how many of the kinds had cases, and the smallest number of cases of a
// kind.
func kindsText(kinds map[string]int) string {
	var missed []string
	fewest := -1
	for name, n := range kinds {
		switch {
		case n == 0:
			missed = append(missed, name)
		case fewest < 0 || n < fewest:
			fewest = n
		}
	}
	text := fmt.Sprintf("kinds with a case: %d of %d", len(kinds)-len(missed), len(kinds))
	if fewest > 0 {
		text += fmt.Sprintf(", each with at least %d", fewest)
	}
	if slices.Sort(missed); len(missed) > 0 && len(missed) <= 5 {
		text += "; none for " + strings.Join(missed, ", ")
	}
	return text + "\n"
}

// progress reports the progress of long work: on a terminal in a line that is updated,
// otherwise, if requested, in lines from time to time.
type progress struct {
	mu              sync.Mutex
	out             io.Writer
	total           int
	began           time.Time
	now             func() time.Time
	terminal, lines bool
	last            time.Time
}

func (p *progress) at(done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, pause := p.now(), 10*time.Second
	if p.terminal {
		pause = 200 * time.Millisecond
	}
	if !p.terminal && !p.lines || now.Sub(p.last) < pause {
		return
	}
	p.last = now
	spent := now.Sub(p.began)
	left := time.Duration(float64(spent) / float64(done) * float64(p.total-done)).Round(time.Second)
	text := fmt.Sprintf("%d of %d cases, %.0f per second, no difference so far, %s left", done, p.total, float64(done)/spent.Seconds(), left)
	if p.terminal {
		_, _ = io.WriteString(p.out, program.StatusLine(text))
	} else {
		fmt.Fprintln(p.out, text)
	}
}

// rate returns the duration of the work, if progress was requested.
func (p *progress) rate() string {
	if !p.lines {
		return ""
	}
	spent := p.now().Sub(p.began)
	return fmt.Sprintf("%.0f cases per second, %s in total\n", float64(p.total)/spent.Seconds(), spent.Round(time.Second))
}

// clear clears the line.
func (p *progress) clear() {
	if p.terminal && !p.last.IsZero() {
		_, _ = io.WriteString(p.out, program.ClearLine)
	}
}
