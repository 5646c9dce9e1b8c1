package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/scenario"
)

// raceOptions are the flags of race.
type raceOptions struct {
	strategies []string
	bounds     scenario.RaceOptions
	drawn      bool // the number of samples was set
	output     string
	exitCode   bool
}

// RaceCommand returns the command race.
func RaceCommand(a *program.App) *cobra.Command {
	var o raceOptions
	c := &cobra.Command{
		Use:   "race SCENARIO",
		Short: "Find the interleavings in which concurrent writers lose an update",
		Long: `Let the actors of a scenario read, change and write one object concurrently, in every
interleaving of their reads and writes, with each write strategy:

  update       an update without a resourceVersion
  merge-patch  a merge patch of the difference to the object that was read, without a
               resourceVersion
  optimistic   an update with the resourceVersion that was read; refused on a conflict
  retry        the same, but read again and retry on a conflict
  json-patch   a JSON patch that tests the value that was read before it replaces it
  apply        server-side apply of the fields that the actor sets, without force

An update is lost if it was acknowledged but is not in the resulting object, although no
actor has changed the field since. The shortest interleaving that loses an update is
printed.

The race field of the scenario lists the changes of the actors. The steps of the scenario
are run first:

  race:
  - actor: alice
    set: {data: {a: "1"}}       # a merge patch of the object that was read
  - actor: bob
    add: {.data.count: 1}       # added to the number that was read
  - actor: bob
    add: {.metadata.finalizers: [shop.example/bob]}  # added to the list that was read

If the number of interleavings exceeds --limit, a random sample is run (--draws, --seed),
and the output states the number of samples.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the scenario could not be run", program.ExitChanged: "an update is lost (only with --exit-code)"}),
		Example: `  patchlab race counter.yaml

  # Check that a strategy loses no update
  patchlab race counter.yaml --strategy retry --exit-code`,
		Args: program.Arguments("SCENARIO"),
		RunE: func(c *cobra.Command, args []string) error {
			o.drawn = c.Flags().Changed("draws")
			return race(c.Context(), a, args[0], &o)
		},
	}
	names := strategyNames()
	f := c.Flags()
	f.StringSliceVar(&o.strategies, "strategy", names, "write strategies to run")
	f.IntVar(&o.bounds.Limit, "limit", 50_000, "maximum number of interleavings to run exhaustively")
	f.IntVar(&o.bounds.Draws, "draws", 0, "number of random samples if --limit is exceeded (default 10000, or fewer if these have more than about 100000 reads and writes)")
	f.Uint64Var(&o.bounds.Seed, "seed", 1, "seed of the random samples")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text or json", "text", "json")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with code 4 if an update is lost")
	_ = c.RegisterFlagCompletionFunc("strategy", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// strategyNames returns the write strategies in their order.
func strategyNames() []string {
	var names []string
	for _, s := range scenario.Strategies() {
		names = append(names, string(s))
	}
	return names
}

func race(ctx context.Context, a *program.App, name string, o *raceOptions) error {
	if o.bounds.Limit <= 0 || o.bounds.Draws < 0 || o.bounds.Draws == 0 && o.drawn {
		return program.Usage("--limit and --draws must be positive")
	}
	for _, s := range o.strategies {
		if !slices.Contains(scenario.Strategies(), scenario.Strategy(s)) {
			return program.Usage("--strategy " + s + ": expected one of " + strings.Join(strategyNames(), ", "))
		}
	}
	text, err := a.Read(name)
	if err != nil {
		return err
	}
	s, err := scenario.Parse(text, name)
	if err != nil {
		return err
	}
	race, err := scenario.NewRace(ctx, s)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var reports []*scenario.RaceReport
	for _, strategy := range o.strategies {
		bar := progressBar{app: a, name: strategy, shown: terminal.CanRedraw(a.Err)}
		o.bounds.Progress = bar.update
		report, err := race.Explore(ctx, scenario.Strategy(strategy), o.bounds)
		bar.clear()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		reports = append(reports, report)
	}
	if o.output == "json" {
		a.Print(string(raceDocument(reports, o.bounds.Seed)))
	} else {
		a.Show(raceText(reports, o.bounds.Seed))
	}
	if o.exitCode && slices.ContainsFunc(reports, func(r *scenario.RaceReport) bool { return r.Losing > 0 }) {
		return &program.Exit{Code: program.ExitChanged}
	}
	return nil
}

// progressBar is a line on a terminal that shows the progress of long work.
type progressBar struct {
	app   *program.App
	name  string
	shown bool
	used  bool
}

func (p *progressBar) update(done, of int) {
	const width = 30
	if !p.shown || of <= 0 {
		return
	}
	p.used = true
	n := min(width, done*width/of)
	_, _ = io.WriteString(p.app.Err, program.StatusLine(fmt.Sprintf("%-11s [%s%s] %d of %d", p.name, strings.Repeat("#", n), strings.Repeat(" ", width-n), done, of)))
}

func (p *progressBar) clear() {
	if p.used {
		_, _ = io.WriteString(p.app.Err, program.ClearLine)
	}
}

// raceText returns the report as text.
func raceText(reports []*scenario.RaceReport, seed uint64) string {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(t, "STRATEGY\tINTERLEAVINGS\tLOSE AN UPDATE\tREFUSE A WRITE")
	for _, r := range reports {
		explored := fmt.Sprintf("%d (all)", r.Interleavings)
		if !r.Exhaustive {
			explored = fmt.Sprintf("%d drawn of %s (seed %d)", r.Interleavings, atLeast(r), seed)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\n", r.Strategy, explored, r.Losing, r.Refusing)
	}
	_ = t.Flush()
	for _, r := range reports {
		if r.Losing > 0 {
			b.WriteString("\n" + string(r.Strategy) + " loses an update; the shortest interleaving is:\n" + shortestText(r))
		}
	}
	return b.String()
}

// atLeast formats the number of interleavings, or its lower bound.
func atLeast(r *scenario.RaceReport) string {
	text := fmt.Sprint(r.All)
	if r.Strategy == scenario.Retry || r.All == math.MaxUint64 {
		return "at least " + text
	}
	return text
}

func shortestText(r *scenario.RaceReport) string {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i, e := range r.Shortest {
		switch {
		case !e.Write:
			_, _ = fmt.Fprintf(t, "  %d\t%s\treads\tresourceVersion %s\n", i+1, e.Actor, e.ResourceVersion)
		case e.Reason != "" || e.Code >= 400:
			_, _ = fmt.Fprintf(t, "  %d\t%s\twrites\t%d %s\n", i+1, e.Actor, e.Code, e.Reason)
		default:
			_, _ = fmt.Fprintf(t, "  %d\t%s\twrites\t%d, resourceVersion %s\n", i+1, e.Actor, e.Code, e.ResourceVersion)
		}
	}
	_ = t.Flush()
	for _, l := range r.Lost {
		b.WriteString("  " + l.Path + " should be " + results.ValueText(l.Want) + " and is " + results.ValueText(l.Got) + "\n")
	}
	return b.String()
}

// raceDocument returns the report as JSON.
func raceDocument(reports []*scenario.RaceReport, seed uint64) []byte {
	type event struct {
		Actor           string `json:"actor"`
		Does            string `json:"does"`
		Code            int    `json:"code,omitempty"`
		Reason          string `json:"reason,omitempty"`
		ResourceVersion string `json:"resourceVersion"`
	}
	type lost struct {
		Path string         `json:"path"`
		Want document.Value `json:"want"`
		Got  document.Value `json:"got"`
	}
	type strategy struct {
		Strategy      scenario.Strategy `json:"strategy"`
		Interleavings int               `json:"interleavings"`
		Of            string            `json:"of"`
		Exhaustive    bool              `json:"exhaustive"`
		Losing        int               `json:"losing"`
		Refusing      int               `json:"refusing"`
		Shortest      []event           `json:"shortest,omitempty"`
		Lost          []lost            `json:"lost,omitempty"`
	}
	list := []strategy{}
	for _, r := range reports {
		s := strategy{Strategy: r.Strategy, Interleavings: r.Interleavings, Of: atLeast(r), Exhaustive: r.Exhaustive, Losing: r.Losing, Refusing: r.Refusing}
		if r.Exhaustive {
			s.Of = fmt.Sprint(r.Interleavings)
		}
		for _, e := range r.Shortest {
			does := "read"
			if e.Write {
				does = "write"
			}
			s.Shortest = append(s.Shortest, event{Actor: e.Actor, Does: does, Code: e.Code, Reason: e.Reason, ResourceVersion: e.ResourceVersion})
		}
		for _, l := range r.Lost {
			s.Lost = append(s.Lost, lost{Path: l.Path, Want: orNull(l.Want), Got: orNull(l.Got)})
		}
		list = append(list, s)
	}
	text, _ := json.MarshalIndent(struct {
		APIVersion string     `json:"apiVersion"`
		Kind       string     `json:"kind"`
		Seed       uint64     `json:"seed"`
		Strategies []strategy `json:"strategies"`
	}{results.OwnVersion, "RaceReport", seed, list}, "", "    ") // values of documents can be encoded
	return append(text, '\n')
}

func orNull(v document.Value) document.Value {
	if !v.Exists() {
		return document.NewNull()
	}
	return v
}
