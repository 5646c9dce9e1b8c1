package controllers

import (
	"context"
	"net/netip"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// kube-apiserver repeats what it does when it starts at these intervals: it creates the Service kubernetes, its Endpoints and
// the ServiceCIDR again (k8s.io/kubernetes/pkg/controlplane/controller), system namespaces and the configuration of priority
// and fairness, and IPAddresses of cluster IPs.
const (
	serviceInterval       = 10 * time.Second
	configurationInterval = 6 * serviceInterval
	addressInterval       = 18 * serviceInterval
)

// Maintain creates objects again that Bootstrap and PublishAddress create, if clients have deleted or changed them, until the
// context ends. at is the address that PublishAddress was called with, the zero AddrPort for none. What fails is tried again
// at the next interval.
func Maintain(ctx context.Context, c *cluster.Cluster, at netip.AddrPort) {
	tick := time.NewTicker(serviceInterval)
	defer tick.Stop()
	for elapsed := serviceInterval; ; elapsed += serviceInterval {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, repair := range repairs(c, at, elapsed) {
			_ = repair(ctx)
		}
	}
}

// repairs returns what is done when a time has elapsed since the start of the server.
func repairs(c *cluster.Cluster, at netip.AddrPort, elapsed time.Duration) []func(context.Context) error {
	due := []func(context.Context) error{func(ctx context.Context) error { return startServices(ctx, c, at) }}
	if elapsed%configurationInterval == 0 {
		due = append(due, func(ctx context.Context) error { return startConfiguration(ctx, c) })
	}
	if elapsed%addressInterval == 0 {
		due = append(due, c.RecordAddresses)
	}
	return due
}

func startServices(ctx context.Context, c *cluster.Cluster, at netip.AddrPort) error {
	if err := startAll(ctx, c, kubernetesService(c, at)); err != nil {
		return err
	}
	if err := startServiceCIDR(ctx, c); err != nil || !at.IsValid() {
		return err
	}
	return PublishAddress(ctx, c, at)
}

func startConfiguration(ctx context.Context, c *cluster.Cluster) error {
	if err := startAll(ctx, c, systemNamespaces()...); err != nil {
		return err
	}
	return (&flowControl{cluster: c}).ensure(ctx)
}

// startAll creates objects unless they exist.
func startAll(ctx context.Context, c *cluster.Cluster, bodies ...string) error {
	for _, body := range bodies {
		if err := start(ctx, c, body); err != nil {
			return err
		}
	}
	return nil
}
