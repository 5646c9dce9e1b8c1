package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Access says how to reach an etcd.
type Access struct {
	// Endpoints are the URLs of its members.
	Endpoints []string
	// CAFile is a PEM file of the authorities that have signed etcd's
	// certificate; "" is the system's. CertFile and KeyFile are the
	// certificate and key to show etcd, "" for none.
	CAFile, CertFile, KeyFile string
}

// The times by which kube-apiserver notices that a connection is dead.
const (
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 10 * time.Second
	dialTimeout      = 20 * time.Second
)

// Dial returns a client of etcd. It connects in the background: an etcd that
// does not answer shows with the first request.
func Dial(a Access) (*clientv3.Client, error) {
	c := clientv3.Config{
		Endpoints: a.Endpoints, DialTimeout: dialTimeout,
		DialKeepAliveTime: keepaliveTime, DialKeepAliveTimeout: keepaliveTimeout,
		Logger: zap.NewNop(), // what it would log comes back as errors
	}
	for _, e := range a.Endpoints {
		if strings.HasPrefix(e, "https://") || a.CAFile != "" || a.CertFile != "" {
			config, err := a.tls()
			if err != nil {
				return nil, err
			}
			c.TLS = config
			break
		}
	}
	client, err := clientv3.New(c)
	if err != nil {
		return nil, fmt.Errorf("etcd at %s: %w", strings.Join(a.Endpoints, ", "), err)
	}
	return client, nil
}

func (a Access) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.CAFile != "" {
		data, err := os.ReadFile(a.CAFile)
		if err != nil {
			return nil, fmt.Errorf("the certificate authority of etcd: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", a.CAFile)
		}
	}
	if a.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(a.CertFile, a.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("the certificate for etcd: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
