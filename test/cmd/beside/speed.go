package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// listed is the number of Deployments in a list.
const listed = 2000

// row is a kind of request to measure.
type row struct {
	name string
	// aim is the wanted ratio of patchlab's requests per second to the other server's.
	aim      string
	protobuf bool
	// creates reports whether each request creates an object.
	creates bool
	// do sends the n-th request of a client.
	do func(ctx context.Context, c *client, p place, n int) error
}

// client is one of the clients that send requests at the same time.
type client struct {
	number int
	*kubernetes.Clientset
	wire *wire
}

// place holds the names of a side's namespaces: work is for writes, full has the
// Deployments to list.
type place struct{ work, full string }

// rows returns the rows of the table: those of typed clients, and those of prepared requests.
func rows() ([]row, error) {
	prepared, err := preparedRows()
	return append(typedRows(), prepared...), err
}

func typedRows() []row {
	return []row{
		{"create a ConfigMap", "8×", true, true, func(ctx context.Context, c *client, p place, n int) error {
			_, err := c.CoreV1().ConfigMaps(p.work).Create(ctx, configMap(c.number), metav1.CreateOptions{})
			return err
		}},
		{"create a Deployment", "8×", true, true, func(ctx context.Context, c *client, p place, n int) error {
			d := deployment("")
			d.GenerateName = fmt.Sprintf("c%d-", c.number)
			_, err := c.AppsV1().Deployments(p.work).Create(ctx, d, metav1.CreateOptions{})
			return err
		}},
		{"apply a ConfigMap", "8×", true, false, func(ctx context.Context, c *client, p place, n int) error {
			config := applycore.ConfigMap(fmt.Sprintf("applied-%d", c.number), p.work).WithLabels(map[string]string{"app": "beside"}).WithData(map[string]string{"a": strconv.Itoa(n), "b": "2"})
			_, err := c.CoreV1().ConfigMaps(p.work).Apply(ctx, config, metav1.ApplyOptions{FieldManager: "beside"})
			return err
		}},
		{"apply a Deployment", "8×", true, false, func(ctx context.Context, c *client, p place, n int) error {
			_, err := c.AppsV1().Deployments(p.work).Apply(ctx, applied(fmt.Sprintf("applied-%d", c.number), p.work, n), metav1.ApplyOptions{FieldManager: "beside"})
			return err
		}},
		{"get a Deployment", "6×", true, false, func(ctx context.Context, c *client, p place, n int) error {
			_, err := c.AppsV1().Deployments(p.full).Get(ctx, fmt.Sprintf("d%d", n%listed), metav1.GetOptions{})
			return err
		}},
		{"list 2,000 Deployments, protobuf", "3×", true, false, listDeployments},
		{"list 2,000 Deployments, JSON", "3×", false, false, listDeployments},
	}
}

func listDeployments(ctx context.Context, c *client, p place, _ int) error {
	l, err := c.AppsV1().Deployments(p.full).List(ctx, metav1.ListOptions{})
	if err == nil && len(l.Items) != listed {
		err = fmt.Errorf("a list has %d items, not %d", len(l.Items), listed)
	}
	return err
}

// figure is the result of one turn of one side.
type figure struct {
	rate           float64       // requests per second
	server, client time.Duration // CPU time per request
	idle, others   float64       // shares of all processors' time
}

// speed measures all rows, alternates between the sides, and prints the table.
func speed(ctx context.Context, o *options, sides []*side) error {
	places := map[*side]place{}
	for _, s := range sides {
		p, err := prepare(ctx, s)
		if err != nil {
			return err
		}
		places[s] = p
		defer func() {
			for _, n := range []string{p.work, p.full} {
				if err := s.remove(ctx, n); err != nil {
					fmt.Fprintln(os.Stderr, "beside:", err)
				}
			}
		}()
	}
	var wanted []row
	all, err := rows()
	if err != nil {
		return err
	}
	for _, r := range all {
		if strings.Contains(r.name, o.only) {
			wanted = append(wanted, r)
		}
	}
	figures := map[string]map[*side][]figure{}
	for round := range o.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, o.rounds)
		for _, r := range wanted {
			if figures[r.name] == nil {
				figures[r.name] = map[*side][]figure{}
			}
			for i := range sides {
				s := sides[(i+round)%len(sides)]
				f, err := turn(ctx, o, s, places[s], r)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", s.name, r.name, err)
				}
				figures[r.name][s] = append(figures[r.name][s], f)
				if r.creates { // each turn begins with as many objects
					if err := s.empty(ctx, places[s].work); err != nil {
						return err
					}
				}
			}
		}
	}
	report(o, sides, wanted, figures)
	return nil
}

// prepare creates the Deployments to read.
func prepare(ctx context.Context, s *side) (p place, err error) {
	if p.work, err = s.namespace(ctx); err != nil {
		return p, err
	}
	if p.full, err = s.namespace(ctx); err != nil {
		return p, err
	}
	c, err := s.client(true)
	if err != nil {
		return p, err
	}
	var wg sync.WaitGroup
	failed := make(chan error, 8)
	for worker := range cap(failed) {
		wg.Go(func() {
			for i := worker; i < listed; i += cap(failed) {
				if _, err := c.AppsV1().Deployments(p.full).Create(ctx, deployment(fmt.Sprintf("d%d", i)), metav1.CreateOptions{}); err != nil {
					failed <- fmt.Errorf("%s: %w", s.name, err)
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	return p, <-failed
}

// turn runs the clients of one side for the configured duration.
func turn(ctx context.Context, o *options, s *side, p place, r row) (figure, error) {
	clients := make([]*client, o.clients)
	for i := range clients {
		typed, err := s.client(r.protobuf)
		if err != nil {
			return figure{}, err
		}
		clients[i] = &client{i, typed, newWire(s)}
		if err := r.do(ctx, clients[i], p, 0); err != nil { // opens the connection
			return figure{}, err
		}
	}
	runtime.GC()
	machine := readMachine()
	server, client, began := s.processorTime(), ownTime(), time.Now()
	var count atomic.Int64
	var wg sync.WaitGroup
	failed := make(chan error, len(clients))
	for _, c := range clients {
		wg.Go(func() {
			for n := 1; time.Since(began) < o.turn; n++ {
				if err := r.do(ctx, c, p, n); err != nil {
					failed <- err
					return
				}
				count.Add(1)
			}
		})
	}
	wg.Wait()
	elapsed, n := time.Since(began), count.Load()
	server, client = s.processorTime()-server, ownTime()-client
	idle, others := machine.shares(server + client)
	select {
	case err := <-failed:
		return figure{}, err
	default:
	}
	return figure{
		rate:   float64(n) / elapsed.Seconds(),
		server: server / time.Duration(n), client: client / time.Duration(n),
		idle: idle, others: others,
	}, nil
}

// ownTime returns the CPU time of this process, which runs the clients.
func ownTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func configMap(client int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: fmt.Sprintf("c%d-", client), Labels: map[string]string{"app": "beside"}},
		Data:       map[string]string{"a": "1", "b": "2"},
	}
}

// deployment returns a Deployment of about 1 kB.
func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": "beside", "tier": "web"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	d.Spec.Replicas = new(int32(3))
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "web", Image: "registry.example.com/team/web:1.2.3", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}, Env: []corev1.EnvVar{{Name: "LEVEL", Value: "info"}}},
		{Name: "side", Image: "registry.example.com/team/side:1.0.0"},
	}
	return d
}

// applied returns a similar Deployment as an apply configuration. Its replicas depend
// on n.
func applied(name, namespace string, n int) *applyapps.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "beside", "tier": "web"}
	return applyapps.Deployment(name, namespace).WithLabels(labels).WithSpec(applyapps.DeploymentSpec().
		WithReplicas(int32(n + 2)).WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).WithSpec(applycore.PodSpec().WithContainers(
			applycore.Container().WithName("web").WithImage("registry.example.com/team/web:1.2.3").WithPorts(applycore.ContainerPort().WithName("http").WithContainerPort(8080)),
			applycore.Container().WithName("side").WithImage("registry.example.com/team/side:1.0.0")))))
}
