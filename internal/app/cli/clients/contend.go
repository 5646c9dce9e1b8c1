package clients

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/server"
)

type contendOptions struct {
	client    clientFlags
	namespace string
	writers   int
	duration  time.Duration
}

// ContendCommand returns the command contend.
func ContendCommand(a *program.App) *cobra.Command {
	var o contendOptions
	c := &cobra.Command{
		Use:   "contend",
		Short: "Measure conflicts, retries and lost updates of concurrent writers",
		Long: `Run concurrent writers that increment a counter in one ConfigMap, with one strategy
after the other, and print for each strategy the number of successful writes per
second, of conflicts, of retries and of lost updates. An update is lost if it was
acknowledged but is not in the result.

  blind        read, add one, write without a resourceVersion
  optimistic   read, add one, write with the resourceVersion; give up on a conflict
  retry        the same, but read again and retry on a conflict
  json-patch   a JSON patch that tests the number before it replaces it; retry
  apply        server-side apply of a separate number for each writer

Without --server, --kubeconfig and --context, the command starts an API server in
memory, and does not use the kubeconfig of kubectl. The ConfigMap is created in
--namespace and deleted at the end.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the API server could not be reached or failed"}),
		Example: `  patchlab contend --writers 20
  patchlab contend --server https://127.0.0.1:6443 --token "$TOKEN" --namespace scratch`,
		Args: program.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error { return contend(c.Context(), a, &o) },
	}
	o.client.add(c)
	f := c.Flags()
	f.Lookup("server").Usage = "URL of the API server (default an API server in memory)"
	f.Lookup("kubeconfig").Usage = "kubeconfig file of the API server (with --context, default $KUBECONFIG, or ~/.kube/config)"
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of the ConfigMap")
	f.IntVar(&o.writers, "writers", 10, "number of concurrent writers")
	f.DurationVar(&o.duration, "duration", 2*time.Second, "duration of the measurement for each strategy")
	return c
}

func contend(ctx context.Context, a *program.App, o *contendOptions) error {
	if o.writers < 1 || o.duration <= 0 {
		return program.Usage("--writers and --duration must be positive")
	}
	c, stop, err := contended(ctx, a, o)
	if err != nil {
		return err
	}
	defer stop()
	t := tabwriter.NewWriter(a.Out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(t, "STRATEGY\tWRITES/S\tCONFLICTS\tRETRIES\tLOST UPDATES")
	for _, s := range strategies() {
		r := &contest{client: c, options: o, path: "/api/v1/namespaces/" + o.namespace + "/configmaps"}
		lost, err := r.run(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		_, _ = fmt.Fprintf(t, "%s\t%.0f\t%d\t%d\t%d\n", s.name, float64(r.succeeded.Load())/o.duration.Seconds(), r.conflicts.Load(), r.retries.Load(), lost)
	}
	return t.Flush()
}

// contended returns a client for the server to write to.
func contended(ctx context.Context, a *program.App, o *contendOptions) (*client, func(), error) {
	if o.client != (clientFlags{}) { // any of them would have no effect in memory
		c, err := o.client.open()
		return c, func() {}, err
	}
	cl, err := cluster.New(cluster.Config{Now: a.Now})
	if err != nil {
		return nil, nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	running, end := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = server.New(cl, server.Options{User: serving.AnonymousAdmin()}).Serve(running, l, nil)
	}()
	return newClient(serving.AddressOf(l.Addr(), false), "", nil), func() { end(); <-over; _ = cl.Close() }, nil
}

// strategy is a method of incrementing the number.
type strategy struct {
	name string
	// add makes one attempt. again reports a conflict, after which it is repeated.
	add   func(ctx context.Context, c *contest, writer, n int) error
	again bool
}

func strategies() []strategy {
	return []strategy{
		{name: "blind", add: func(ctx context.Context, c *contest, _, _ int) error { return c.put(ctx, false) }},
		{name: "optimistic", add: func(ctx context.Context, c *contest, _, _ int) error { return c.put(ctx, true) }},
		{name: "retry", add: func(ctx context.Context, c *contest, _, _ int) error { return c.put(ctx, true) }, again: true},
		{name: "json-patch", add: func(ctx context.Context, c *contest, _, _ int) error { return c.patch(ctx) }, again: true},
		{name: "apply", add: func(ctx context.Context, c *contest, writer, n int) error { return c.apply(ctx, writer, n) }},
	}
}

// contest is the test of one strategy.
type contest struct {
	client                        *client
	options                       *contendOptions
	path                          string // path of ConfigMaps
	succeeded, conflicts, retries atomic.Int64
}

const contendedName = "patchlab-contend"

// run runs the writers and returns the number of lost updates.
func (c *contest) run(ctx context.Context, s strategy) (lost int64, err error) {
	if _, err := c.client.do(ctx, "DELETE", c.path+"/"+contendedName, "", ""); err != nil && code(err) != 404 {
		return 0, err
	}
	if _, err := c.client.do(ctx, "POST", c.path, "application/json", `{"metadata":{"name":"`+contendedName+`"},"data":{"n":"0"}}`); err != nil {
		return 0, err
	}
	defer func() {
		_, _ = c.client.do(context.WithoutCancel(ctx), "DELETE", c.path+"/"+contendedName, "", "")
	}()
	timed, cancel := context.WithTimeout(ctx, c.options.duration)
	defer cancel()
	var wg sync.WaitGroup
	failed := make(chan error, c.options.writers)
	for writer := range c.options.writers {
		wg.Go(func() {
			if err := c.write(ctx, timed, s, writer); err != nil {
				failed <- err
				cancel()
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
	}
	object, err := c.client.do(ctx, "GET", c.path+"/"+contendedName, "", "")
	if err != nil {
		return 0, err
	}
	return c.succeeded.Load() - total(object.Get("data")), nil
}

// write increments until the time is over. It completes a write that has begun, so that its
// outcome is known.
func (c *contest) write(ctx, timed context.Context, s strategy, writer int) error {
	for n := 1; timed.Err() == nil; {
		err := s.add(ctx, c, writer, n)
		switch {
		case err == nil:
			c.succeeded.Add(1)
			n++
			continue
		case code(err) != 409 && code(err) != 422:
			return err
		}
		c.conflicts.Add(1)
		if s.again {
			c.retries.Add(1)
		}
	}
	return nil
}

// total returns the sum of the numbers in data.
func total(data document.Value) (sum int64) {
	for _, v := range data.Members() {
		n, _ := strconv.ParseInt(v.StringOr(""), 10, 64)
		sum += n
	}
	return sum
}

// put reads the object, increments the number and updates the object, with or without its
// resourceVersion.
func (c *contest) put(ctx context.Context, versioned bool) error {
	object, err := c.client.do(ctx, "GET", c.path+"/"+contendedName, "", "")
	if err != nil {
		return err
	}
	object = object.Set(document.NewString(strconv.FormatInt(total(object.Get("data"))+1, 10)), "data", "n")
	if !versioned {
		object = object.Remove("metadata", "resourceVersion")
	}
	_, err = c.client.do(ctx, "PUT", c.path+"/"+contendedName, "application/json", object.String())
	return err
}

// patch replaces the number with a patch that tests the previous value.
func (c *contest) patch(ctx context.Context) error {
	object, err := c.client.do(ctx, "GET", c.path+"/"+contendedName, "", "")
	if err != nil {
		return err
	}
	n := total(object.Get("data"))
	_, err = c.client.do(ctx, "PATCH", c.path+"/"+contendedName, "application/json-patch+json",
		fmt.Sprintf(`[{"op":"test","path":"/data/n","value":"%d"},{"op":"replace","path":"/data/n","value":"%d"}]`, n, n+1))
	return err
}

// apply applies the writer's own number.
func (c *contest) apply(ctx context.Context, writer, n int) error {
	manager := "writer-" + strconv.Itoa(writer)
	_, err := c.client.do(ctx, "PATCH", c.path+"/"+contendedName+"?fieldManager="+manager, "application/apply-patch+yaml",
		fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":{%q:"%d"}}`, contendedName, strings.ReplaceAll(manager, "-", "."), n))
	return err
}
