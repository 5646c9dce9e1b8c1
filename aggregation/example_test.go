package aggregation_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
)

// A request for a version of an APIService is answered by its service, which learns who has sent it.
func Example() {
	extension := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s by %s", r.URL.Path, r.Header.Get("X-Remote-User"))
	}))
	defer extension.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := aggregation.New(ctx, c, aggregation.Options{
		Service: func(_, _ string, _ int32) (*url.URL, error) { return url.Parse(extension.URL) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	go a.Run(ctx)
	_, err = c.Do(ctx, &cluster.Request{Verb: cluster.Create, Group: aggregation.Group, Version: "v1", Resource: "apiservices", Body: []byte(`{
		"metadata": {"name": "v1.metrics.example.com"},
		"spec": {"group": "metrics.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10,
			"insecureSkipTLSVerify": true, "service": {"namespace": "kube-system", "name": "metrics"}}}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	backend := a.Find("metrics.example.com", "v1")
	for ; backend == nil || !backend.Available(); backend = a.Find("metrics.example.com", "v1") {
		time.Sleep(time.Millisecond)
	}
	w := httptest.NewRecorder()
	backend.Serve(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/apis/metrics.example.com/v1/nodes", nil), cluster.User{Name: "ada"})
	fmt.Println(w.Code, w.Body)
	// Output:
	// 200 /apis/metrics.example.com/v1/nodes by ada
}
