// Package cli implements the commands of patchlab, one per file. They use the given readers
// and writers, so that tests can call them.
package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// The exit codes of all commands. An argument that no input could fit, such as a path with wrong syntax, is wrong
// usage; one that the given input does not have, such as a field or a manager, is refused.
const (
	exitDone     = 0
	exitRefused  = 1
	exitUsage    = 2
	exitConflict = 3
	exitChanged  = 4
)

const exitHelp = `Exit codes:
  0  done
  1  the change could not be applied, or an input could not be read
  2  wrong usage
  3  the change conflicts with other field managers`

// App is the environment of a command.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	// Now returns the time for managedFields.
	Now func() time.Time
	// UID returns the uid of a new object; nil generates random ones.
	UID func() string
	Linked

	// Program is the command with which the user calls patchlab, such as "kubectl patchlab";
	// "" is "patchlab".
	Program string

	page       func() (http.Handler, error)        // the playground; nil is that of package web
	browser    func(context.Context, string) error // opens an address; nil uses the user's browser
	args       []string                            // without the program's name
	stopped    <-chan struct{}                     // is closed when the program is told to stop; nil if it cannot be
	collection *collection
	kept       map[string][]byte // inputs that can be read only once, by name
	quiet      bool              // do not print notes
	noted      map[string]bool   // notes that were printed by noteOnce
	advised    map[string]bool   // advice that was printed with an error
	keeping    bool              // notes are kept for the summary
	notes      []string          // that are kept
	line       *waitingLine      // that shows that the command is working; nil if there is none
	// unread are the errors of the inputs that cannot be read and are skipped.
	unread []string
}

// An exit ends a command with an exit code. err is nil if the message has been printed
// already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage returns an error in the use of a command.
func usage(text string) error { return &exit{exitUsage, errors.New(text)} }

// Run runs patchlab with arguments that do not include the program's name, and returns the
// exit code.
func Run(args []string, in io.Reader, out, errOut io.Writer) int {
	return RunLinked(Linked{}, args, in, out, errOut)
}

// AdmissionOptions are those of package admission that commands set.
type AdmissionOptions struct {
	// RBAC is set if expressions may do what the roles in the cluster allow, and not everything.
	RBAC bool
	// Disabled are admission plugins that do not run.
	Disabled []string
}

// Linked holds the optional parts of a program, whose libraries are too large for every start
// of patchlab.
type Linked struct {
	// Reference is the reference engine if it is part of this program. If it is nil, commands
	// that need it execute another program.
	Reference *verify.Reference
	// Admission adds rules, policies and webhooks to the configuration of a cluster; nil if
	// this program does not include them.
	Admission func(*cluster.Config, AdmissionOptions) error
	// Policies is Admission without webhooks and other calls to servers, for scenarios.
	Policies func(*cluster.Config) error
	// Plugins are the admission plugins that serve knows besides those of package plugins.
	Plugins []plugins.Plugin
	// Etcd opens a store on etcd if its client is part of this program. If it is nil, 'serve
	// --store etcd' executes another program.
	Etcd func(context.Context, EtcdOptions) (store.Store[*cluster.Record], error)

	// Log gives the logger of serve to libraries that have a log of their own; nil if there are
	// none.
	Log func(*slog.Logger)
}

// RunLinked is Run with optional parts.
func RunLinked(l Linked, args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := untilSignal()
	defer stop()
	app := &App{In: untilDone(ctx, in), Out: out, Err: errOut, Now: time.Now, Program: programName(os.Args[0]), Linked: l}
	return app.run(ctx, called(os.Args[0], args))
}

func (a *App) run(ctx context.Context, args []string) int {
	a.args, a.stopped = args, ctx.Done()
	a.collection = collectRarely(commandGarbage)
	defer a.collection.end()
	root := a.root()
	a.callInHelp(root)
	refuseUnknownShells(root)
	refuseUnknownTopics(root)
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var e *exit
	if errors.As(err, &e) {
		if text := e.Error(); text != "" {
			a.fail(text)
		}
		return e.code
	}
	a.fail(err.Error())
	return exitRefused
}

// refuseUnknownShells makes cobra's completion command refuse a shell that it does not know. By
// itself, it prints its help instead and succeeds, so that a script would load the help text.
func refuseUnknownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.SuggestionsMinimumDistance = noSuchCommand, root.SuggestionsMinimumDistance
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// refuseUnknownTopics makes cobra's help command refuse a command that does not exist. By itself, it
// prints the help of the root command and succeeds.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = noSuchCommand(topic, rest)
				}
				return err
			}
		}
	}
}

// fail prints an error in the format of all of patchlab's errors. Advice on its last line, such as that about the hooks of
// a chart, is printed with the first error that has it.
func (a *App) fail(text string) {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 && !strings.HasPrefix(text[i+1:], " ") {
		advice := text[i+1:]
		if a.advised[advice] {
			text = text[:i]
		}
		if a.advised == nil {
			a.advised = map[string]bool{}
		}
		a.advised[advice] = true
	}
	a.write(a.Err, "error: "+readable(text)+"\n")
}

// Command returns patchlab's root command, for reference pages.
func Command() *cobra.Command { return (&App{}).root() }

func (a *App) root() *cobra.Command {
	var version bool
	c := &cobra.Command{
		Use:         "patchlab",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: a.program()},
		Short:       "Predict the effect of a change to a Kubernetes object, without a cluster",
		Long: `patchlab computes the result of a change to a Kubernetes object as kube-apiserver
does, without a cluster: the object after a JSON patch, a merge patch, a strategic
merge patch or a server-side apply, the owners of its fields, and the conflicts
between field managers.

` + exitHelp + `
  4  a difference (only with --exit-code, in the commands that have it)`,
		SilenceErrors: true,
		// Suggest commands that differ by up to two letters.
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return a.version()
			}
			return c.Help()
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if len(a.args) > 0 && !c.HasParent() && !strings.HasPrefix(a.args[0], "-") {
			return noSuchCommand(c, a.args) // whose flags are not those of patchlab itself
		}
		return wrongFlag(c, err)
	})
	c.Flags().BoolVarP(&version, "version", "v", false, "version for patchlab")
	c.AddCommand(
		a.applyCommand(),
		a.blameCommand(),
		a.contendCommand(),
		a.defaultsCommand(),
		a.diffCommand(),
		a.envtestCommand(),
		a.etcdCommand(),
		a.explainCommand(),
		a.kubeAPIServerCommand(),
		a.lintCommand(),
		a.migrateCommand(),
		a.exportCommand(),
		a.playgroundCommand(),
		a.raceCommand(),
		a.resolveCommand(),
		a.runCommand(),
		a.schemaCommand(),
		a.serveCommand(),
		a.verifyCommand(),
		a.versionCommand(),
		a.versionsCommand(),
	)
	return c
}

// absentFlags are flags of 'kubectl apply' and 'kubectl patch' that patchlab does not have, with the reason.
var absentFlags = map[string]string{
	"server-side": "a manifest is applied server-side unless --client-side is set",
	"dry-run":     "patchlab never changes a cluster",
	"patch":       "write the patch to a file, or to standard input with the argument -",
	"prune":       "only the command apply shows pruned objects",
}

// absentCommands are commands of kubectl that patchlab does not have, with what takes their place.
// %s is the command with which the user calls patchlab.
var absentCommands = map[string]string{
	"create":  "'%s apply -f FILE' creates the objects that LIVE does not have",
	"patch":   "'%s apply LIVE PATCH' applies patches of all types, see --type",
	"replace": "'%s diff LIVE FILE' shows the result of an update",
	"edit":    "'%s diff LIVE FILE' shows the patches for an edited object",
	"get":     "KIND/NAME as LIVE is read from the cluster with 'kubectl get'",
	"delete":  "patchlab computes changes of objects, not their deletion; '%s serve' has an API server for kubectl",
}

// wrongFlag returns the error for a wrong flag, with a suggestion for an unknown one.
func wrongFlag(c *cobra.Command, err error) error {
	text := err.Error()
	var invalid *pflag.InvalidValueError
	var choice *choiceError
	if errors.As(err, &invalid) && errors.As(err, &choice) {
		return usage("--" + invalid.GetFlag().Name + " " + invalid.GetValue() + ": " + choice.Error())
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && strings.HasPrefix(unknown.GetSpecifiedShortnames(), "p") && c.Flags().Lookup("type") != nil {
		text += ": " + absentFlags["patch"]
	} else if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if reason := absentFlags[unknown.GetSpecifiedName()]; reason != "" {
			text += ": " + reason
		} else if near := nearestFlag(unknown.GetSpecifiedName(), names); near != "" {
			text += "; did you mean --" + near + "?"
		}
	}
	return usage(text + "\nSee '" + c.CommandPath() + " --help'.")
}

// nearestFlag returns the name of the flag that was probably meant by an unknown one, "" if there is none: a
// similar one, or the only one that begins with it, as --force-conflicts does with --force.
func nearestFlag(unknown string, names []string) string {
	if near := schema.Nearest(unknown, slices.Values(names)); near != "" {
		return near
	}
	longer := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, unknown+"-") })
	if len(longer) != 1 {
		return ""
	}
	return longer[0]
}

// noSuchCommand returns the error for an unknown command or subcommand, with suggestions.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := "unknown command " + strconv.Quote(args[0])
	if advice := absentCommands[args[0]]; advice != "" && !c.HasParent() {
		text += ": " + strings.ReplaceAll(advice, "%s", c.CommandPath())
	} else if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(text + "\nSee '" + c.CommandPath() + " --help'.")
}

// arguments returns a validator for the number of arguments.
func arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return usage("'" + c.CommandPath() + "' " + list(names) + "\nUsage: " + c.UseLine())
	}
}

// objectAndSelection validates the arguments OBJECT [KIND/NAME...].
func objectAndSelection(c *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] == "" {
		return usage("OBJECT is empty" + unsetVariable)
	}
	if len(args) > 0 {
		return nil
	}
	return usage("'" + c.CommandPath() + "' requires an argument, OBJECT\nUsage: " + c.UseLine())
}

// atLeastOneFile validates the arguments FILE…, which may also be those of -f.
func atLeastOneFile(c *cobra.Command, args, files []string) error {
	if len(args)+len(files) > 0 {
		return nil
	}
	return usage("'" + c.CommandPath() + "' requires at least one FILE\nUsage: " + c.UseLine())
}

// addQuiet adds the flag that suppresses notes.
func addQuiet(c *cobra.Command, quiet *bool) {
	c.Flags().BoolVarP(quiet, "quiet", "q", false, "do not print notes")
}

// atMostOne validates an optional argument.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return usage("'" + c.CommandPath() + "' accepts at most one argument\nUsage: " + c.UseLine())
}

func list(names []string) string {
	switch len(names) {
	case 0:
		return "accepts no arguments"
	case 1:
		return "requires one argument, " + names[0]
	}
	return "requires the arguments " + andList(names)
}

// note prints a note on standard error, or keeps it for a summary that contains the notes.
func (a *App) note(text string) {
	switch {
	case a.quiet:
	case a.keeping:
		a.notes = append(a.notes, text)
	default:
		a.write(a.Err, readable(text)+"\n")
	}
}

// keepNotes keeps the notes of a command for its summary. The function that it returns prints those that
// no summary contains, because the command has failed before.
func (a *App) keepNotes() (release func()) {
	a.keeping = true
	return func() {
		a.keeping = false
		for _, text := range a.notes {
			a.note(text)
		}
		a.notes = nil
	}
}

// noteOnce prints a note that may apply to several objects, unless it has been printed before.
func (a *App) noteOnce(text string) {
	if a.noted[text] {
		return
	}
	if a.noted == nil {
		a.noted = map[string]bool{}
	}
	a.noted[text] = true
	a.note(text)
}

// print prints a result on standard output, as it is.
func (a *App) print(text string) { a.write(a.Out, text) }

// show prints a text for people on standard output.
func (a *App) show(text string) { a.print(readable(text)) }
