package aggregation

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// extension is an extension API server of a test.
type extension struct {
	*httptest.Server
	port   string
	bundle string // the certificate of its authority, as in an APIService
}

// newExtension starts an extension API server for the Service ext in the namespace lab.
func newExtension(t *testing.T, handler http.HandlerFunc) *extension {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"ext.lab.svc"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	e := &extension{Server: httptest.NewUnstartedServer(handler)}
	e.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	e.Config.ErrorLog = silent // of clients that do not trust the certificate
	e.StartTLS()
	t.Cleanup(e.Close)
	_, e.port, err = net.SplitHostPort(e.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	e.bundle = base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	return e
}

// registration returns an APIService for the extension API server.
func (e *extension) registration() string {
	return `{"metadata":{"name":"v1.ext.example.com"},"spec":{"group":"ext.example.com","version":"v1","groupPriorityMinimum":1500,
		"versionPriority":10,"caBundle":"` + e.bundle + `","service":{"name":"ext","namespace":"lab","port":` + e.port + `}}}`
}

// external is the Service of an extension API server outside the cluster.
const external = `{"metadata":{"name":"ext"},"spec":{"type":"ExternalName","externalName":"localhost"}}`

// newAggregator runs an Aggregator over a new cluster until the end of the test.
func newAggregator(t *testing.T) *Aggregator {
	t.Helper()
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { a.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		stop()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Error("the Aggregator does not end")
		}
		_ = c.Close()
	})
	return a
}

// create creates an object.
func (a *Aggregator) create(t *testing.T, what resource, body string) {
	t.Helper()
	r := &cluster.Request{Verb: cluster.Create, Group: what.group, Version: what.version, Resource: what.name, Body: []byte(body)}
	if what.group != Group {
		r.Namespace = "lab"
	}
	if _, err := a.cluster.Do(t.Context(), r); err != nil {
		t.Fatalf("creating %s: %v", body, err)
	}
}

// patch changes an object by a merge patch.
func (a *Aggregator) patch(t *testing.T, what resource, name, body string) {
	t.Helper()
	r := &cluster.Request{Verb: cluster.Patch, Group: what.group, Version: what.version, Resource: what.name, Name: name, Format: cluster.MergePatch, Body: []byte(body)}
	if what.group != Group {
		r.Namespace = "lab"
	}
	if _, err := a.cluster.Do(t.Context(), r); err != nil {
		t.Fatalf("patching with %s: %v", body, err)
	}
}

// delete deletes an object.
func (a *Aggregator) delete(t *testing.T, what resource, name string) {
	t.Helper()
	r := &cluster.Request{Verb: cluster.Delete, Group: what.group, Version: what.version, Resource: what.name, Name: name}
	if what.group != Group {
		r.Namespace = "lab"
	}
	if _, err := a.cluster.Do(t.Context(), r); err != nil {
		t.Fatalf("deleting %s: %v", name, err)
	}
}

// condition returns the condition Available as "STATUS REASON: MESSAGE".
func (a *Aggregator) condition(t *testing.T) string {
	t.Helper()
	r := apiServices.request(cluster.Get)
	r.Name = "v1.ext.example.com"
	got, err := a.cluster.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return conditionText(got.Object)
}

func conditionText(object document.Value) string {
	c := availability(object)
	return fmt.Sprintf("%s %s: %s", c.Get("status").StringOr(""), c.Get("reason").StringOr(""), c.Get("message").StringOr(""))
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what func() string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what())
		}
	}
}

// awaitCondition waits until the condition Available begins and ends with texts.
func (a *Aggregator) awaitCondition(t *testing.T, why, begin, end string) {
	t.Helper()
	is := ""
	eventually(t, func() string { return fmt.Sprintf("%s: the condition is %q, want %q…%q", why, is, begin, end) }, func() bool {
		is = a.condition(t)
		return strings.HasPrefix(is, begin) && strings.HasSuffix(is, end)
	})
}
