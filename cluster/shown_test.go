package cluster

import (
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// TestConcurrentReadersShareOneForm checks that readers who show an object at the same time get
// the same form of it, whose encoding is computed and held once.
func TestConcurrentReadersShareOneForm(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Do(t.Context(), &Request{Verb: Create, Version: "v1", Resource: "configmaps", Namespace: "n", Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	item, err := c.store.Get(t.Context(), "/registry/configmaps/n/a", store.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, _ := c.kinds.Resource("", "v1", "configmaps")
	for range 1000 {
		item.Value.form.Store(nil)
		var forms [8]*form
		var readers sync.WaitGroup
		begin := make(chan struct{})
		for i := range forms {
			readers.Go(func() {
				<-begin
				s, _ := c.shown(k, item.Value, item.Revision)
				forms[i] = s.form
			})
		}
		close(begin)
		readers.Wait()
		for _, f := range forms {
			if f == nil || f != forms[0] {
				t.Fatalf("the readers have different forms: %v", forms)
			}
		}
	}
}
