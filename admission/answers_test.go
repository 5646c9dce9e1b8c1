package admission_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
)

// answeringHook returns the client configuration of a webhook that writes its responses with write, for the uid of the review.
func answeringHook(t *testing.T, write func(w http.ResponseWriter, uid string)) (clientConfig string) {
	t.Helper()
	hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		_, uid, _ := strings.Cut(string(review), `"uid":"`)
		uid, _, _ = strings.Cut(uid, `"`)
		w.Header().Set("Content-Type", "application/json")
		write(w, uid)
	}))
	t.Cleanup(hook.Close)
	return `{"url":"` + hook.URL + `","caBundle":"` + hooks.CABundle(hook) + `"}`
}

// mutatedByHook creates a ConfigMap that a mutating webhook admits.
func mutatedByHook(t *testing.T, write func(w http.ResponseWriter, uid string)) (*cluster.Response, error) {
	t.Helper()
	client := answeringHook(t, write)
	c := newCluster(t, admission.Options{}, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"d"}}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration","metadata":{"name":"h"},"webhooks":[{
		"name":"h.example.com","clientConfig":`+client+`,"failurePolicy":"Fail","sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]}`)
	return create(c, "", "v1", "configmaps", "d", `{"metadata":{"name":"c"}}`)
}

// admitted is the start of a response of a webhook, without the end of its field response.
func admitted(uid string) string {
	return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,"uid":"` + uid + `"`
}

// TestPatchesOfWebhooksCopyWithinTheLimit checks that the copy operations of a webhook's patch have the limit of
// kube-apiserver, because each of them can double the size of the object.
func TestPatchesOfWebhooksCopyWithinTheLimit(t *testing.T) {
	var ops strings.Builder
	fmt.Fprintf(&ops, `[{"op":"add","path":"/x","value":{"a":%q}}`, strings.Repeat("x", 1000))
	for i := range 14 { // 16 MiB, which the limit ends at 3 MiB
		fmt.Fprintf(&ops, `,{"op":"copy","from":"/x","path":"/x/k%d"}`, i)
	}
	ops.WriteString(`,{"op":"remove","path":"/x"}]`)
	_, err := mutatedByHook(t, func(w http.ResponseWriter, uid string) {
		fmt.Fprintf(w, `%s,"patchType":"JSONPatch","patch":%q}}`, admitted(uid), base64.StdEncoding.EncodeToString([]byte(ops.String())))
	})
	if err == nil || !strings.Contains(err.Error(), "Unable to complete the copy") || !strings.HasSuffix(err.Error(), "exceeding the limit 3145728") {
		t.Errorf("got %v, want the error for the limit of copies", err)
	}
}

// TestMutationsCopyWithinTheLimit checks the same limit for the patch of a MutatingAdmissionPolicy.
func TestMutationsCopyWithinTheLimit(t *testing.T) {
	ops := []string{`JSONPatch{op: "add", path: "/x", value: {"a": "` + strings.Repeat("x", 1000) + `"}}`}
	for i := range 14 {
		ops = append(ops, fmt.Sprintf(`JSONPatch{op: "copy", from: "/x", path: "/x/k%d"}`, i))
	}
	ops = append(ops, `JSONPatch{op: "remove", path: "/x"}`)
	c := newCluster(t, admission.Options{}, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"d"}}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicy","metadata":{"name":"p"},"spec":{"failurePolicy":"Fail","reinvocationPolicy":"Never",
		"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]},
		"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":`+fmt.Sprintf("%q", "["+strings.Join(ops, ", ")+"]")+`}}]}}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicyBinding","metadata":{"name":"p"},"spec":{"policyName":"p"}}`)
	_, err := create(c, "", "v1", "configmaps", "d", `{"metadata":{"name":"c"}}`)
	if err == nil || !strings.Contains(err.Error(), "exceeding the limit 3145728") {
		t.Errorf("got %v, want the error for the limit of copies", err)
	}
}

// TestResponsesOfWebhooksAreBounded checks that the response of a webhook is read up to a limit, whether it is encoded or
// not. The client of kube-apiserver, which is used here, reads it to its end.
func TestResponsesOfWebhooksAreBounded(t *testing.T) {
	written := new(atomic.Int64)
	before := allocated()
	_, err := mutatedByHook(t, func(w http.ResponseWriter, uid string) {
		_, _ = io.WriteString(w, admitted(uid)+"}")
		spaces := []byte(strings.Repeat(" ", 1<<20))
		for range 512 {
			n, err := w.Write(spaces)
			if err != nil {
				return
			}
			written.Add(int64(n))
		}
		_, _ = io.WriteString(w, "}")
	})
	if err == nil || !strings.Contains(err.Error(), "longer than 16777216 bytes") {
		t.Errorf("got %v, want an error for the length of the response", err)
	}
	if mib := written.Load() >> 20; mib > 64 {
		t.Errorf("%d MiB were read", mib)
	}
	if mib := (allocated() - before) >> 20; mib > 256 {
		t.Errorf("%d MiB were allocated", mib)
	}
}

// TestWarningsOfWebhooksAreBounded checks that of the warnings of a webhook those are kept that a server sends, each once,
// so that the time for a response with many of them does not grow with the square of their number.
func TestWarningsOfWebhooksAreBounded(t *testing.T) {
	var texts strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&texts, `"warning %d","the same","with\na line break",`, i)
	}
	got, err := mutatedByHook(t, func(w http.ResponseWriter, uid string) {
		fmt.Fprintf(w, `%s,"warnings":[%s]}}`, admitted(uid), strings.TrimSuffix(texts.String(), ","))
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, text := range got.Warnings {
		total += len(text)
	}
	if total < 4096 || total > 4200 || got.Warnings[1] != "the same" || got.Warnings[2] != "warning 1" {
		t.Errorf("got %d warnings with %d characters, first %q, want those of a little more than 4096 characters", len(got.Warnings), total, got.Warnings[:3])
	}
}
