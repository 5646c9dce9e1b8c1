package controllers

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// Authorities are what servers that delegate authentication have to know, such as extension API servers.
type Authorities struct {
	// Clients are the certificates, in PEM, of the authorities that authenticate clients.
	Clients []byte
	// Proxies are those of the authorities of front proxies, which name the user of a request in its headers, and
	// ProxyNames are the names that the certificate of a front proxy may have.
	Proxies    []byte
	ProxyNames []string
}

const (
	// clientsKey and proxiesKey are the keys of the certificates in the ConfigMap.
	clientsKey = "client-ca-file"
	proxiesKey = "requestheader-client-ca-file"
	// namesKey is the key of the names of front proxies.
	namesKey = "requestheader-allowed-names"
	// expiredFor is how long the certificate of an authority is kept after it has expired.
	expiredFor = 5 * time.Minute
	// maxProxies is how many authorities of front proxies are kept. Each server that starts over a store has another.
	maxProxies = 16
)

// proxyHeaders are the headers with which a front proxy names a user, by their keys in the ConfigMap.
var proxyHeaders = map[string]string{
	"requestheader-username-headers": "X-Remote-User", "requestheader-uid-headers": "X-Remote-Uid",
	"requestheader-group-headers": "X-Remote-Group", "requestheader-extra-headers-prefix": "X-Remote-Extra-",
}

// PublishAuthorities adds authorities to the ConfigMap extension-apiserver-authentication in kube-system. Servers that
// delegate authentication do not start without it. As with kube-apiserver
// (k8s.io/kubernetes/pkg/controlplane/controller/clusterauthenticationtrust), certificates of other servers over
// the same store stay in it until they have expired, but of front proxies only the last ones.
func PublishAuthorities(ctx context.Context, c *cluster.Cluster, published Authorities) error {
	var err error
	for range maxTries {
		if err = publishAuthorities(ctx, c, published); !isConflict(err) {
			return err
		}
	}
	return err
}

// publishAuthorities is one attempt of PublishAuthorities. Its error is a conflict if another server has written
// the ConfigMap meanwhile.
func publishAuthorities(ctx context.Context, c *cluster.Cluster, published Authorities) error {
	r := (&cluster.Request{Version: "v1", Resource: "configmaps", Namespace: "kube-system", Name: "extension-apiserver-authentication"}).AsServer()
	got, err := c.Do(ctx, r)
	if err != nil && !isNotFound(err) {
		return err
	}
	var has document.Value
	if err == nil {
		has = got.Object.Get("data")
	}
	data := published.addedTo(has, c.Now())
	switch {
	case err != nil:
		object := document.NewObject().With("metadata", document.NewObject().With("name", document.NewString(r.Name))).With("data", data)
		r.Verb, r.Name, r.Document = cluster.Create, "", &document.Document{Root: object}
	case document.Equal(has, data):
		return nil
	default:
		r.Verb, r.Document = cluster.Update, &document.Document{Root: got.Object.With("data", data)}
	}
	_, err = c.Do(ctx, r)
	return err
}

// addedTo returns the data of the ConfigMap with the authorities.
func (a Authorities) addedTo(data document.Value, now time.Time) document.Value {
	if !data.Exists() {
		data = document.NewObject()
	}
	if a.Clients != nil {
		data = data.With(clientsKey, document.NewString(combined(data.Get(clientsKey).StringOr(""), a.Clients, now, 0)))
	}
	if a.Proxies == nil {
		return data
	}
	// Front proxies and extension API servers are other processes, which have no other clock than the machine's.
	now = time.Now()
	for key, header := range proxyHeaders {
		data = data.With(key, withNames(data.Get(key), header))
	}
	return data.With(namesKey, withNames(data.Get(namesKey), a.ProxyNames...)).
		With(proxiesKey, document.NewString(combined(data.Get(proxiesKey).StringOr(""), a.Proxies, now, maxProxies)))
}

// withNames adds names to a JSON list of them, which is the text of a value. Another text is replaced.
func withNames(list document.Value, names ...string) document.Value {
	var all []string
	_ = json.Unmarshal([]byte(list.StringOr("")), &all)
	for _, name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return document.NewString(string(document.NewStrings(all...).JSON()))
}

// combined returns the certificates of two bundles in PEM, each once, without those that have expired. Of more than most,
// the last ones are returned; 0 means no limit.
func combined(one string, other []byte, now time.Time, most int) string {
	var seen [][]byte
	for _, bundle := range [...][]byte{[]byte(one), other} {
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
		}
	}
	if most > 0 && len(seen) > most {
		seen = seen[len(seen)-most:]
	}
	var out bytes.Buffer
	for _, raw := range seen {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: raw}) // a buffer takes everything
	}
	return out.String()
}
