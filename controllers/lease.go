package controllers

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const (
	// leaseSeconds is the duration of the Lease of a kube-apiserver, which renews it every ten seconds.
	leaseSeconds = 3600
	renewEvery   = leaseSeconds * time.Second / 2
	// releaseTimeout is how long the end of a server waits for the deletion of its Lease.
	releaseTimeout = 2 * time.Second
)

// The label of the Leases of servers, its value, and the annotation with the address of a server.
const (
	identityLabel     = "apiserver.kubernetes.io/identity"
	identity          = "kube-apiserver"
	addressAnnotation = "kubernetes.io/peer-advertise-address"
)

// HoldLease creates the Lease in kube-system by which a kube-apiserver makes itself known, in place of that of an earlier
// server on the same machine, and renews it until release deletes it. address is where other servers reach this one, the
// zero AddrPort if they do not.
func HoldLease(ctx context.Context, c *cluster.Cluster, hostname string, address netip.AddrPort) (release func(), err error) {
	l := newLease(c, hostname, address)
	if err := l.delete(ctx); err != nil {
		return nil, err
	}
	if err := l.create(ctx); err != nil {
		return nil, err
	}
	renewing, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = l.renew(renewing) // what fails is tried again at the next interval
			case <-renewing.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
		_ = l.delete(ending)
	}, nil
}

// A lease is the Lease of a server.
type lease struct {
	cluster            *cluster.Cluster
	name, hostname, id string
	address            netip.AddrPort
}

func newLease(c *cluster.Cluster, hostname string, address netip.AddrPort) *lease {
	return &lease{cluster: c, name: leaseName(hostname), hostname: hostname, address: address, id: c.NewUID()}
}

// leaseName returns the name of the Lease of the server on a machine (k8s.io/apiserver/pkg/server, config.go).
func leaseName(hostname string) string {
	var text []byte
	for _, part := range []string{hostname, "kube-apiserver"} {
		text = append(binary.BigEndian.AppendUint16(text, uint16(len(part))), part...)
	}
	hash := sha256.Sum256(text)
	return "apiserver-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(hash[:16]))
}

func (l *lease) request(verb cluster.Verb) *cluster.Request {
	return (&cluster.Request{Verb: verb, Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Namespace: "kube-system", Name: l.name}).AsServer()
}

// serverAddresses returns the address of a server and those of the same family of other servers, sorted as text, according to the
// Leases that have not expired. All servers over a store have to have the same port, as kube-apiserver requires.
func serverAddresses(ctx context.Context, c *cluster.Cluster, own netip.Addr) ([]netip.Addr, error) {
	r := newLease(c, "", netip.AddrPort{}).request(cluster.List)
	r.Name, r.LabelSelector = "", identityLabel+"="+identity
	list, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	all := []netip.Addr{own}
	for _, lease := range list.Items() {
		at, err := netip.ParseAddrPort(lease.Lookup("metadata", "annotations", addressAnnotation).StringOr(""))
		if err == nil && at.Addr().Unmap().Is4() == own.Is4() && !expired(lease, c.Now()) {
			all = append(all, at.Addr().Unmap())
		}
	}
	slices.SortFunc(all, func(a, b netip.Addr) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all), nil
}

// expired reports whether a Lease was not renewed in time.
func expired(lease document.Value, now time.Time) bool {
	seconds, _ := lease.Lookup("spec", "leaseDurationSeconds").Int()
	renewed, err := time.Parse(time.RFC3339Nano, lease.Lookup("spec", "renewTime").StringOr(""))
	return err != nil || now.After(renewed.Add(time.Duration(seconds)*time.Second))
}

func (l *lease) create(ctx context.Context) error {
	metadata := document.NewObject().With("name", document.NewString(l.name)).
		With("labels", document.NewObject().With(identityLabel, document.NewString(identity)).
			With("kubernetes.io/hostname", document.NewString(l.hostname)))
	if l.address.IsValid() {
		metadata = metadata.With("annotations", document.NewObject().With(addressAnnotation, document.NewString(l.address.String())))
	}
	object := document.NewObject().With("apiVersion", document.NewString("coordination.k8s.io/v1")).With("kind", document.NewString("Lease")).
		With("metadata", metadata).
		With("spec", document.NewObject().With("holderIdentity", document.NewString(l.name+"_"+l.id)).
			With("leaseDurationSeconds", document.NewInt(leaseSeconds)).With("renewTime", l.now()))
	r := l.request(cluster.Create)
	r.Name, r.Document = "", &document.Document{Root: object}
	_, err := l.cluster.Do(ctx, r)
	return err
}

// now returns the time as a MicroTime.
func (l *lease) now() document.Value {
	return document.NewString(l.cluster.Now().UTC().Format("2006-01-02T15:04:05.000000Z"))
}

// renew sets the time at which the Lease was renewed. One that a client has deleted is created again.
func (l *lease) renew(ctx context.Context) error {
	got, err := l.cluster.Do(ctx, l.request(cluster.Get))
	if isNotFound(err) {
		return l.create(ctx)
	}
	if err != nil {
		return err
	}
	r := l.request(cluster.Update)
	r.Document = &document.Document{Root: got.Object.Set(l.now(), "spec", "renewTime")}
	_, err = l.cluster.Do(ctx, r)
	return err
}

func (l *lease) delete(ctx context.Context) error {
	if _, err := l.cluster.Do(ctx, l.request(cluster.Delete)); !isNotFound(err) {
		return err
	}
	return nil
}
