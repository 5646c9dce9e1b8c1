package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
)

// The values of a store can have any type that Encode and Decode convert. Without an etcd at
// the endpoint, each call fails with a *store.UnavailableError. Its field Unknown
// distinguishes a write, which may have taken effect, from a read.
func Example() {
	client, err := etcd.Dial(etcd.Access{Endpoints: []string{"http://127.0.0.1:1"}})
	if err != nil {
		log.Fatal(err)
	}
	s := etcd.New(client, etcd.Options[string]{
		Prefix:  "/example",
		Encode:  func(v string) []byte { return []byte(v) },
		Decode:  func(data []byte) (string, error) { return string(data), nil },
		Equal:   func(a, b string) bool { return a == b },
		Timeout: 100 * time.Millisecond,
	})
	defer s.Close()

	ctx := context.Background()
	_, read := s.Get(ctx, "/registry/configmaps/default/a", store.GetOptions{})
	_, write := s.Create(ctx, "/registry/configmaps/default/a", "one")
	for _, err := range []error{read, write} {
		var unavailable *store.UnavailableError
		if errors.As(err, &unavailable) {
			fmt.Println(unavailable.Unknown, err)
		}
	}
	// Output:
	// false storage is unavailable: context deadline exceeded
	// true storage did not respond, and the write may have taken effect: context deadline exceeded
}
