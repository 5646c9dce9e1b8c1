package admission

import (
	"fmt"
	"io"
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// idleTime is the time for which an idle connection to a webhook is kept.
const idleTime = 100 * time.Millisecond

// maxAnswer is the size in bytes of the largest response of a webhook. It is several times the size of the largest object
// that a patch or a conversion can result in. kube-apiserver has no such limit.
const maxAnswer = 16 << 20

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
		return bounded{t}
	})
	return config, nil
}

// bounded limits the bodies of responses, which the clients of webhooks read to their end. The transport has decompressed
// them.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{response.Body, maxAnswer}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the response of the webhook is longer than %d bytes", maxAnswer)
	}
	return n, err
}
