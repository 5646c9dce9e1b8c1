package admission_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
)

// TestConnectionsToWebhooksAreBrief checks that a connection to a webhook is closed
// soon after the call, so that the webhook's server can shut down, and that it uses
// HTTP/1.1 even if the server supports HTTP/2.
func TestConnectionsToWebhooksAreBrief(t *testing.T) {
	protocols, closed := make(chan string, 10), make(chan struct{}, 10)
	hook := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols <- r.Proto
		http.Error(w, "no", http.StatusInternalServerError)
	}))
	hook.EnableHTTP2 = true
	hook.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	hook.StartTLS()
	defer hook.Close()
	c := newCluster(t, admission.Options{})
	config := `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"brief"},"webhooks":[{
		"name":"brief.example.com","clientConfig":{"url":"` + hook.URL + `","caBundle":"` + hooks.CABundle(hook) + `"},"failurePolicy":"Ignore",
		"sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]}`
	if _, err := create(c, "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "", config); err != nil {
		t.Fatal(err)
	}
	if _, err := create(c, "", "v1", "configmaps", "d", `{"metadata":{"name":"a"}}`); err != nil {
		t.Fatal(err)
	}
	if got := <-protocols; got != "HTTP/1.1" {
		t.Errorf("the webhook was called by %s", got)
	}
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("the connection stays open")
	}
}
