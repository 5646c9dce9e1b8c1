package admission

import (
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// idleTime is how long a connection to a webhook is kept for the next call.
const idleTime = 100 * time.Millisecond

// briefConnections makes webhooks be called without credentials, over connections that
// are closed soon after they were used. In tests a webhook's server often stops before
// patchlab does. Then net/http waits one second for an idle connection of HTTP/2, by
// which kube-apiserver calls webhooks on its own host, and up to five seconds for one
// of HTTP/1.1 that was dialed and not needed.
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
		t = t.Clone() // client-go shares it with other clients
		t.IdleConnTimeout = idleTime
		return t
	})
	return config, nil
}
