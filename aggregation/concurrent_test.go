package aggregation

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestConcurrentChanges creates, changes and deletes APIServices while requests are forwarded. In the end, the routes are
// those of the APIServices that are left.
func TestConcurrentChanges(t *testing.T) {
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(`{"resources":[]}`)) })
	a := newAggregator(t)
	a.create(t, services, external)
	const groups, rounds = 4, 20
	var running sync.WaitGroup
	for g := range groups {
		group := fmt.Sprintf("g%d.example.com", g)
		running.Go(func() {
			for i := range rounds {
				a.create(t, apiServices, strings.ReplaceAll(e.registration(), "ext.example.com", group))
				a.patch(t, apiServices, "v1."+group, fmt.Sprintf(`{"spec":{"versionPriority":%d}}`, i+1))
				if b := a.Find(group, "v1"); b != nil {
					b.Serve(newDiscard(), newRequest("/apis/"+group+"/v1/x"), cluster.User{Name: "ada"})
				}
				if _, err := a.Versions(t.Context()); err != nil {
					t.Error(err)
				}
				_ = a.DeleteAll(t.Context(), "lab")
				if i < rounds-1 || g%2 == 0 {
					a.delete(t, apiServices, "v1."+group)
				}
			}
		})
	}
	running.Wait()
	names := ""
	eventually(t, func() string { return "the backends are " + names }, func() bool {
		names = ""
		for _, b := range a.Backends() {
			names += b.name + " "
		}
		return names == "v1.g1.example.com v1.g3.example.com "
	})
	versions, err := a.Versions(t.Context())
	if err != nil || len(versions) != groups/2 || versions[0].Group != "g1.example.com" || versions[0].VersionPriority != rounds {
		t.Errorf("the versions are %v, %v", versions, err)
	}
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func newDiscard() discard                     { return discard{http.Header{}} }
func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}
func newRequest(path string) *http.Request {
	r, _ := http.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = "192.0.2.1:1234"
	return r
}
