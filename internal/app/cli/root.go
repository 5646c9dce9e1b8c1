// Package cli implements the commands of patchlab. Those that compute a change or look at objects are here,
// one per file; the packages below have the others, and what all of them share. Commands use the given
// readers and writers, so that tests can call them.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchlab-dev/patchlab/internal/app/cli/clients"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/scenarios"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/schema"
)

// Run runs patchlab with arguments that do not include the program's name, and returns the
// exit code.
func Run(args []string, in io.Reader, out, errOut io.Writer) int {
	return RunLinked(program.Linked{}, args, in, out, errOut)
}

// RunLinked is Run with optional parts.
func RunLinked(l program.Linked, args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := program.UntilSignal()
	defer stop()
	app := &program.App{In: program.UntilDone(ctx, in), Out: out, Err: errOut, Now: time.Now, Program: program.NameOf(os.Args[0]), Linked: l}
	return run(ctx, app, called(os.Args[0], args))
}

func run(ctx context.Context, a *program.App, args []string) int {
	a.Args, a.Stopped = args, ctx.Done()
	a.Collection = program.CollectRarely(program.CommandGarbage)
	defer a.Collection.End()
	root := root(a)
	callInHelp(a, root)
	refuseUnknownShells(root)
	refuseUnknownTopics(root)
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return program.ExitDone
	}
	var e *program.Exit
	if errors.As(err, &e) {
		if text := e.Error(); text != "" {
			a.Fail(text)
		}
		return e.Code
	}
	a.Fail(err.Error())
	return program.ExitRefused
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

// Command returns patchlab's root command, for reference pages.
func Command() *cobra.Command { return root((&program.App{})) }

func root(a *program.App) *cobra.Command {
	var version bool
	c := &cobra.Command{
		Use:         "patchlab",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: a.CalledAs()},
		Short:       "Predict the effect of a change to a Kubernetes object, without a cluster",
		Long: `patchlab computes the result of a change to a Kubernetes object as kube-apiserver
does, without a cluster: the object after a JSON patch, a merge patch, a strategic
merge patch or a server-side apply, the owners of its fields, and the conflicts
between field managers.

` + program.ExitHelp + `
  4  a difference (only with --exit-code, in the commands that have it)`,
		SilenceErrors: true,
		// Suggest commands that differ by up to two letters.
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return writeVersion(a)
			}
			return c.Help()
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if len(a.Args) > 0 && !c.HasParent() && !strings.HasPrefix(a.Args[0], "-") {
			return noSuchCommand(c, a.Args) // whose flags are not those of patchlab itself
		}
		return wrongFlag(c, err)
	})
	c.Flags().BoolVarP(&version, "version", "v", false, "version for patchlab")
	c.AddCommand(
		applyCommand(a),
		blameCommand(a),
		clients.ContendCommand(a),
		defaultsCommand(a),
		diffCommand(a),
		serving.EnvtestCommand(a),
		serving.EtcdCommand(a),
		explainCommand(a),
		serving.KubeAPIServerCommand(a),
		lintCommand(a),
		migrateCommand(a),
		scenarios.ExportCommand(a),
		scenarios.PlaygroundCommand(a),
		scenarios.RaceCommand(a),
		resolveCommand(a),
		scenarios.RunCommand(a),
		schemaCommand(a),
		serving.ServeCommand(a),
		verifyCommand(a),
		versionCommand(a),
		clients.VersionsCommand(a),
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
	var choice *program.ChoiceError
	if errors.As(err, &invalid) && errors.As(err, &choice) {
		return program.Usage("--" + invalid.GetFlag().Name + " " + invalid.GetValue() + ": " + choice.Error())
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
	return program.Usage(text + "\nSee '" + c.CommandPath() + " --help'.")
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
	return program.Usage(text + "\nSee '" + c.CommandPath() + " --help'.")
}
