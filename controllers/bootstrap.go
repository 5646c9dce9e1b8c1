package controllers

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // the bootstrap roles
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// starters returns the objects that kube-apiserver creates when it starts: the system namespaces,
// the Service kubernetes with the first address of the range and the port of the server, the day
// since which legacy tokens are tracked, and the priority classes of system pods
// (k8s.io/kubernetes/pkg/controlplane and plugin rest/scheduling).
func starters(c *cluster.Cluster, at netip.AddrPort) []string {
	return append(systemNamespaces(), kubernetesService(c, at),
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kube-apiserver-legacy-service-account-token-tracking","namespace":"kube-system"},
		"data":{"since":"`+c.Now().UTC().Format(time.DateOnly)+`"}}`,
		priorityClass("system-cluster-critical", 2000000000, "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."),
		priorityClass("system-node-critical", 2000001000, "Used for system critical pods that must not be moved from their current node."),
	)
}

func systemNamespaces() (all []string) {
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		all = append(all, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+name+`"}}`)
	}
	return all
}

// kubernetesService returns the Service of a server with an address. The zero AddrPort means the
// default port of kube-apiserver.
func kubernetesService(c *cluster.Cluster, at netip.AddrPort) string {
	port := "6443"
	if at.IsValid() {
		port = strconv.Itoa(int(at.Port()))
	}
	return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"kubernetes","namespace":"default",
		"labels":{"component":"apiserver","provider":"kubernetes"}},"spec":{"type":"ClusterIP","clusterIP":"` + c.ServiceRanges()[0].Addr().Next().String() + `",
		"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster","sessionAffinity":"None",
		"ports":[{"name":"https","port":443,"protocol":"TCP","targetPort":` + port + `}]}}`
}

func priorityClass(name string, value int, description string) string {
	return fmt.Sprintf(`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":%q},"value":%d,"description":%q}`, name, value, description)
}

// bootstrapRoles holds the ClusterRoles, Roles and their bindings that a kube-apiserver v1.36.3 with
// authorization by roles creates when it starts, one per line.
//
//go:embed roles.jsonl.gz
var bootstrapRoles []byte

// roles returns the objects in bootstrapRoles.
func roles() ([]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(bootstrapRoles))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return slices.Collect(strings.Lines(string(text))), nil
}

// Bootstrap creates the objects that every cluster has from the beginning: system namespaces,
// the Service kubernetes, the ServiceCIDR of its address, the system priority classes, the FlowSchemas
// and PriorityLevelConfigurations of kube-apiserver, and the APIServices of the versions
// ([cluster.Cluster.RegisterVersions]). Existing objects are not changed. at is the address of the
// server, whose port the Service has; it is the zero AddrPort if no address is known.
func Bootstrap(ctx context.Context, c *cluster.Cluster, at netip.AddrPort) error {
	if err := c.RecordAddresses(ctx); err != nil {
		return err
	}
	if err := startAll(ctx, c, starters(c, at)...); err != nil {
		return err
	}
	if err := startServiceCIDR(ctx, c); err != nil {
		return err
	}
	if err := startFlowControl(ctx, c); err != nil {
		return err
	}
	return c.RegisterVersions(ctx)
}

// BootstrapRoles creates the roles and bindings with which kube-apiserver begins. Existing ones are not changed.
func BootstrapRoles(ctx context.Context, c *cluster.Cluster) error {
	all, err := roles()
	if err != nil {
		return err
	}
	return startAll(ctx, c, all...)
}

// startServiceCIDR creates the ServiceCIDR of the addresses that package cluster allocates, in the
// versions of Kubernetes that have the kind, with the condition that its controller in
// kube-apiserver sets. One that a server with the first range alone has created gets the second one; any other is not
// changed (pkg/controlplane/controller/defaultservicecidr).
func startServiceCIDR(ctx context.Context, c *cluster.Cluster) error {
	k, ok := c.Kinds().Resource("networking.k8s.io", "v1", "servicecidrs")
	if !ok {
		return nil
	}
	const object = `{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"kubernetes"},`
	var cidrs []string
	for _, cidr := range c.ServiceRanges() {
		cidrs = append(cidrs, cidr.String())
	}
	spec := `"spec":{"cidrs":` + document.NewStrings(cidrs...).String() + `}}`
	if err := start(ctx, c, object+spec); err != nil {
		return err
	}
	r := (&cluster.Request{Group: k.Group, Version: k.Version, Resource: k.Resource, Name: "kubernetes"}).AsServer()
	got, err := c.Do(ctx, r)
	if err != nil {
		return err
	}
	stored := got.Object.Lookup("spec", "cidrs").Strings()
	if len(cidrs) == 2 && slices.Equal(stored, cidrs[:1]) {
		r.Verb, r.Format, r.Body = cluster.Patch, cluster.MergePatch, []byte("{"+spec)
		_, err = c.Do(ctx, r)
		return err
	}
	if !slices.Equal(stored, cidrs) || got.Object.Lookup("status", "conditions").Len() > 0 {
		return nil
	}
	r.Verb, r.Subresource, r.Format = cluster.Patch, "status", cluster.ApplyPatch
	r.Options = cluster.Options{FieldManager: "kubernetes-service-cidr-controller", Force: new(true)}
	r.Body = []byte(object + `"status":{"conditions":[{"type":"Ready","status":"True","message":"Kubernetes default Service CIDR is ready",` +
		`"lastTransitionTime":` + got.Object.Lookup("metadata", "creationTimestamp").String() + `}]}}`)
	_, err = c.Do(ctx, r)
	return err
}

// PublishAddress makes the address of a server, and those of the other servers over the same store that hold a Lease
// ([HoldLease]), those of the Service kubernetes, as kube-apiserver does, in an Endpoints and an EndpointSlice.
func PublishAddress(ctx context.Context, c *cluster.Cluster, at netip.AddrPort) error {
	ips, err := serverAddresses(ctx, c, at.Addr().Unmap())
	if err != nil {
		return err
	}
	family := "IPv4"
	if ips[0].Is6() {
		family = "IPv6"
	}
	var addresses, endpoints []string
	for _, ip := range ips {
		addresses = append(addresses, `{"ip":"`+ip.String()+`"}`)
		endpoints = append(endpoints, `{"addresses":["`+ip.String()+`"],"conditions":{"ready":true}}`)
	}
	const metadata = `"metadata":{"name":"kubernetes","namespace":"default","labels":`
	ports := `"ports":[{"name":"https","port":` + strconv.Itoa(int(at.Port())) + `,"protocol":"TCP"}]`
	for _, body := range []string{
		`{"apiVersion":"v1","kind":"Endpoints",` + metadata + `{"endpointslice.kubernetes.io/skip-mirror":"true"}},` +
			`"subsets":[{"addresses":[` + strings.Join(addresses, ",") + `],` + ports + `}]}`,
		`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice",` + metadata + `{"kubernetes.io/service-name":"kubernetes"}},"addressType":"` + family +
			`","endpoints":[` + strings.Join(endpoints, ",") + `],` + ports + `}`,
	} {
		if err := publish(ctx, c, body); err != nil {
			return err
		}
	}
	return nil
}

// publish creates an Endpoints or EndpointSlice, or updates it, which writes nothing if it is the same. As in
// kube-apiserver, an EndpointSlice with another addressType, which is immutable, is deleted before.
func publish(ctx context.Context, c *cluster.Cluster, body string) error {
	d, r, err := startRequest(c, body)
	if err != nil {
		return err
	}
	existing := r
	switch got, err := c.Do(ctx, &existing); {
	case err != nil:
		return start(ctx, c, body)
	case got.Object.Get("addressType").StringOr("") == d.Root.Get("addressType").StringOr(""):
		r.Verb, r.Document = cluster.Update, d
		_, err := c.Do(ctx, &r)
		return err
	}
	r.Verb = cluster.Delete
	if _, err := c.Do(ctx, &r); err != nil {
		return err
	}
	return start(ctx, c, body)
}

// startRequest returns a parsed object, and a request by kube-apiserver that gets it.
func startRequest(c *cluster.Cluster, body string) (*document.Document, cluster.Request, error) {
	d, err := document.Parse([]byte(body), document.Options{})
	if err != nil {
		return nil, cluster.Request{}, err
	}
	k, ok := c.Kinds().Of(d.Root)
	if !ok {
		return nil, cluster.Request{}, fmt.Errorf("creating %s: the kind is not served", d.Root)
	}
	r := cluster.Request{
		Group: k.Group, Version: k.Version, Resource: k.Resource,
		Namespace: d.Root.Lookup("metadata", "namespace").StringOr(""), Name: d.Root.Lookup("metadata", "name").StringOr(""),
	}
	return d, *r.AsServer(), nil
}

// start creates an object unless it exists.
func start(ctx context.Context, c *cluster.Cluster, body string) error {
	d, r, err := startRequest(c, body)
	if err != nil {
		return err
	}
	// A create of an existing Service fails because of its cluster IP before its name is checked.
	// kube-apiserver, too, gets the object first.
	existing := r
	if _, err := c.Do(ctx, &existing); err == nil {
		return nil
	}
	r.Verb, r.Name, r.Document = cluster.Create, "", d
	_, err = c.Do(ctx, &r)
	var status *cluster.Status
	if err == nil || errors.As(err, &status) && status.Reason == cluster.ReasonAlreadyExists {
		return nil
	}
	return fmt.Errorf("creating %s %s: %w", r.Resource, strings.Trim(r.Namespace+"/"+existing.Name, "/"), err)
}
