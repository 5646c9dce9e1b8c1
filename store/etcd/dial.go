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

// Access configures the connection to etcd.
type Access struct {
	// Endpoints are the URLs of the etcd members.
	Endpoints []string
	// CAFile is a PEM file with the CA certificates that verify etcd's certificate; "" uses
	// the system's. CertFile and KeyFile are the client certificate and its key; "" for none.
	CAFile, CertFile, KeyFile string
}

// The keepalive settings of kube-apiserver's etcd client.
const (
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 10 * time.Second
	dialTimeout      = 20 * time.Second
)

// Dial returns an etcd client. It connects in the background, so that an unreachable etcd
// causes an error only in the first request.
func Dial(a Access) (*clientv3.Client, error) {
	c := clientv3.Config{
		Endpoints: a.Endpoints, DialTimeout: dialTimeout,
		DialKeepAliveTime: keepaliveTime, DialKeepAliveTimeout: keepaliveTimeout,
		Logger: zap.NewNop(), // it would log only what is returned as errors, too
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
			return nil, fmt.Errorf("CA certificate of etcd: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s contains no PEM certificate", a.CAFile)
		}
	}
	if a.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(a.CertFile, a.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("client certificate for etcd: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
