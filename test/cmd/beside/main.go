// Command beside measures patchlab serve, in memory and on etcd, beside another API
// server. The sides alternate within one run:
//
//	go run ./cmd/kubeapiserver -serve                  # prints the variables to set
//	go run ./cmd/beside -against URL -token TOKEN -etcd http://127.0.0.1:2379 speed
//	go run ./cmd/beside -against URL -token TOKEN -etcd http://127.0.0.1:2379 load
//
// The subcommand speed runs eight typed clients that create, apply, get and list. The
// subcommand load runs writers and watchers for a minute and compares the events of
// each watcher with the writes. Without -against and -etcd these sides are skipped.
// Objects are created in namespaces of the command's own, which it deletes at the end.
// Run it in the folder test, on Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

// options are the values of the flags.
type options struct {
	against, token, processes string
	etcd, program             string
	secure                    bool
	clients, rounds           int
	turn                      time.Duration
	only                      string
	writers, watchers, groups int
	duration                  time.Duration
	memory                    int
}

func main() {
	var o options
	flag.StringVar(&o.against, "against", os.Getenv("PATCHLAB_TEST_SERVER"), "URL of another API server to measure; its certificate is not checked")
	flag.StringVar(&o.token, "token", os.Getenv("PATCHLAB_TEST_TOKEN"), "bearer token for -against")
	flag.StringVar(&o.processes, "processes", os.Getenv("PATCHLAB_TEST_PROCESSES"), "ids of the processes of -against, separated by commas, whose processor time and memory count")
	flag.StringVar(&o.etcd, "etcd", os.Getenv("PATCHLAB_TEST_ETCD"), "URL of an etcd, for patchlab serve --store etcd")
	flag.StringVar(&o.program, "program", "", "patchlab program to measure; if empty, cmd/patchlab is built, and cmd/patchlab-etcd for -etcd")
	flag.BoolVar(&o.secure, "tls", false, "speak TLS with patchlab too")
	flag.IntVar(&o.clients, "clients", 8, "speed: number of clients")
	flag.IntVar(&o.rounds, "rounds", 5, "speed: how many rounds; figures are medians")
	flag.DurationVar(&o.turn, "turn", 2*time.Second, "speed: how long one side does one thing in a round")
	flag.StringVar(&o.only, "only", "", "speed: only the rows whose name contains this")
	flag.IntVar(&o.writers, "writers", 100, "load: how many writers")
	flag.IntVar(&o.watchers, "watchers", 1000, "load: how many watchers")
	flag.IntVar(&o.groups, "namespaces", 10, "load: how many namespaces the writers and watchers are divided over")
	flag.DurationVar(&o.duration, "duration", time.Minute, "load: how long each side is written to")
	flag.IntVar(&o.memory, "memory", 512, "load: MiB that patchlab may use at most")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options, args []string) error {
	if len(args) != 1 || args[0] != "speed" && args[0] != "load" {
		return fmt.Errorf("expected speed or load, got %q", strings.Join(args, " "))
	}
	sides, stop, err := o.sides(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if args[0] == "load" {
		return load(ctx, o, sides)
	}
	return speed(ctx, o, sides)
}

// sides starts patchlab in memory and, if an etcd is configured, on etcd. It adds the
// server to compare with, if any.
//
// The side in memory is cmd/patchlab, which most people run. The store etcd is linked into
// cmd/patchlab-etcd only, with the libraries of admission.
func (o *options) sides(ctx context.Context) (sides []*side, stop func(), err error) {
	var ends []func()
	stop = func() {
		for _, end := range ends {
			end()
		}
	}
	start := func(name, dir string, flags ...string) error {
		program := o.program
		if program == "" {
			var remove func()
			var err error
			if program, remove, err = build(ctx, dir); err != nil {
				return err
			}
			defer remove()
		}
		if o.secure {
			flags = append(flags, "--tls")
		}
		s, err := startPatchlab(program, name, flags...)
		if err != nil {
			return err
		}
		sides, ends = append(sides, s), append(ends, s.end)
		return nil
	}
	err = start("patchlab, memory", "../cmd/patchlab")
	if err == nil && o.etcd != "" {
		err = start("patchlab, etcd", "../cmd/patchlab-etcd", "--store", "etcd", "--etcd-endpoints", o.etcd, "--etcd-prefix", "/beside-"+strconv.Itoa(os.Getpid()))
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	if o.against == "" {
		return sides, stop, nil
	}
	other := &side{name: "kube-apiserver", url: strings.TrimRight(o.against, "/"), token: o.token}
	for id := range strings.SplitSeq(o.processes, ",") {
		if n, err := strconv.Atoi(id); err == nil {
			other.processes = append(other.processes, n)
		}
	}
	return append(sides, other), stop, nil
}
