package admission

import (
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// idleTime is the time for which an idle connection to a webhook is kept.
const idleTime = 100 * time.Millisecond

// briefConnections makes webhook clients use no credentials and close idle connections soon.
// In tests a webhook's server often stops before patchlab does. net/http's Shutdown then waits
// one second for an idle HTTP/2 connection, which kube-apiserver uses for webhooks on its own
// host, and up to five seconds for an HTTP/1.1 connection that was opened and not used.
func briefConnections(delegate webhookutil.AuthenticationInfoResolver) webhookutil.AuthenticationInfoResolver {
	return &webhookutil.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(address string) (*rest.Config, error) {
			return brief(delegate.ClientConfigFor(address))
		},
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			return brief(delegate.ClientConfigForService(name, namespace, port))
		},
	}
}

func brief(config *rest.Config, err error) (*rest.Config, error) {
	if err != nil {
		return nil, err
	}
	config.NextProtos = []string{"http/1.1"}
	config.Wrap(func(transport http.RoundTripper) http.RoundTripper {
		if w, ok := transport.(utilnet.RoundTripperWrapper); ok {
			transport = w.WrappedRoundTripper()
		}
		t, ok := transport.(*http.Transport)
		if !ok {
			return transport
		}
		t = t.Clone() // client-go shares the transport with other clients
		t.IdleConnTimeout = idleTime
		return t
	})
	return config, nil
}
