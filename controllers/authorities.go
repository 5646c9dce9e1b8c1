package controllers

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const (
	// authoritiesKey is the key of the authorities in the ConfigMap.
	authoritiesKey = "client-ca-file"
	// expiredFor is how long the certificate of an authority is kept after it has expired.
	expiredFor = 5 * time.Minute
)

// PublishAuthorities adds certificates in PEM, those of the authorities that authenticate clients, to the
// ConfigMap extension-apiserver-authentication in kube-system. Servers that delegate authentication, such as
// extension API servers, do not start without it. As with kube-apiserver
// (k8s.io/kubernetes/pkg/controlplane/controller/clusterauthenticationtrust), certificates of other servers over
// the same store stay in it until they have expired.
func PublishAuthorities(ctx context.Context, c *cluster.Cluster, authorities []byte) error {
	var err error
	for range maxTries {
		if err = publishAuthorities(ctx, c, authorities); !isConflict(err) {
			return err
		}
	}
	return err
}

// publishAuthorities is one attempt of PublishAuthorities. Its error is a conflict if another server has written
// the ConfigMap meanwhile.
func publishAuthorities(ctx context.Context, c *cluster.Cluster, authorities []byte) error {
	r := (&cluster.Request{Version: "v1", Resource: "configmaps", Namespace: "kube-system", Name: "extension-apiserver-authentication"}).AsServer()
	got, err := c.Do(ctx, r)
	if err != nil && !isNotFound(err) {
		return err
	}
	if err != nil {
		data := document.NewObject().With(authoritiesKey, document.NewString(combined(nil, authorities, c.Now())))
		object := document.NewObject().With("metadata", document.NewObject().With("name", document.NewString(r.Name))).With("data", data)
		r.Verb, r.Name, r.Document = cluster.Create, "", &document.Document{Root: object}
		_, err = c.Do(ctx, r)
		return err
	}
	has := got.Object.Lookup("data", authoritiesKey).StringOr("")
	bundle := combined([]byte(has), authorities, c.Now())
	if bundle == has {
		return nil
	}
	r.Verb, r.Document = cluster.Update, &document.Document{Root: got.Object.Set(document.NewString(bundle), "data", authoritiesKey)}
	_, err = c.Do(ctx, r)
	return err
}

// combined returns the certificates of two bundles in PEM, each once, without those that have expired.
func combined(one, other []byte, now time.Time) string {
	var out bytes.Buffer
	var seen [][]byte
	for _, bundle := range [...][]byte{one, other} {
		for {
			var block *pem.Block
			if block, bundle = pem.Decode(bundle); block == nil {
				break
			}
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil || block.Type != "CERTIFICATE" || certificate.NotAfter.Before(now.Add(-expiredFor)) ||
				slices.ContainsFunc(seen, func(raw []byte) bool { return bytes.Equal(raw, certificate.Raw) }) {
				continue
			}
			seen = append(seen, certificate.Raw)
			_ = pem.Encode(&out, &pem.Block{Type: block.Type, Bytes: certificate.Raw}) // a buffer takes everything
		}
	}
	return out.String()
}
