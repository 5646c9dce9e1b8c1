package server

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// ComponentStatuses returns the ComponentStatuses of kube-apiserver, for [cluster.Cluster.Compute]: the health of the scheduler and the
// controller manager on this machine, which are asked, and of the store as etcd-0. health returns an error if the
// store does not respond; nil is a store that always does.
func ComponentStatuses(health func(context.Context) error) cluster.Computed {
	client := &http.Client{Transport: &http.Transport{
		// As in kube-apiserver: these programs serve with certificates of their own.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}
	components := []component{
		{"controller-manager", func(ctx context.Context) (bool, string) { return probe(ctx, client, "https://127.0.0.1:10257/healthz") }},
		{"scheduler", func(ctx context.Context) (bool, string) { return probe(ctx, client, "https://127.0.0.1:10259/healthz") }},
		{"etcd-0", func(ctx context.Context) (bool, string) {
			if health != nil {
				if err := health(ctx); err != nil {
					return false, err.Error()
				}
			}
			return true, "ok"
		}},
	}
	return func(ctx context.Context, name string) []document.Value {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		var statuses []document.Value
		for _, c := range components {
			if name == "" || name == c.name {
				statuses = append(statuses, c.status(ctx))
			}
		}
		return statuses
	}
}

// probeTimeout is the time that components have to answer.
const probeTimeout = 20 * time.Second

// A component is a program whose health has a ComponentStatus.
type component struct {
	name  string
	check func(context.Context) (healthy bool, message string)
}

func (c component) status(ctx context.Context) document.Value {
	healthy, message := c.check(ctx)
	status := "False"
	if healthy {
		status = "True"
	}
	condition := object("type", text("Healthy"), "status", text(status), "message", text(message))
	return object("apiVersion", text("v1"), "kind", text("ComponentStatus"), "metadata", object("name", text(c.name)), "conditions", document.NewList(condition))
}

// probe asks a program for its health (k8s.io/kubernetes/pkg/probe/http).
func probe(ctx context.Context, client *http.Client, url string) (healthy bool, message string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err.Error()
	}
	answer, err := client.Do(r)
	if err != nil {
		return false, err.Error()
	}
	defer answer.Body.Close()
	const maxMessage = 10 << 10
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxMessage))
	if err != nil {
		return false, err.Error()
	}
	if answer.StatusCode < http.StatusOK || answer.StatusCode >= http.StatusBadRequest {
		return false, "HTTP probe failed with statuscode: " + strconv.Itoa(answer.StatusCode)
	}
	return true, string(body)
}
