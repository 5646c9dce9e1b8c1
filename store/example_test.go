package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/store"
)

func Example() {
	ctx := context.Background()
	s := store.NewMemory(store.MemoryOptions[string]{
		Equal: func(a, b string) bool { return a == b },
	})
	defer s.Close()

	made, _ := s.Create(ctx, "/registry/configmaps/default/a", "one")
	changed, _ := s.Update(ctx, made.Key, store.UpdateOptions{}, func(current store.Item[string]) (string, error) {
		return current.Value + ", two", nil
	})
	same, _ := s.Update(ctx, made.Key, store.UpdateOptions{}, func(current store.Item[string]) (string, error) {
		return current.Value, nil
	})
	gone, _ := s.Delete(ctx, made.Key, store.DeleteOptions[string]{})
	for _, item := range []store.Item[string]{made, changed, same, gone} {
		fmt.Println(item.Revision, item.Value)
	}
	// Output:
	// 2 one
	// 3 one, two
	// 3 one, two
	// 4 one, two
}

func ExampleMemory_Update_preconditions() {
	ctx := context.Background()
	s := store.NewMemory(store.MemoryOptions[string]{})
	defer s.Close()
	s.Create(ctx, "/pods/default/web", "v1")

	seen := "1" // an outdated resourceVersion
	_, err := s.Update(ctx, "/pods/default/web", store.UpdateOptions{
		Preconditions: store.Preconditions{ResourceVersion: &seen},
	}, func(store.Item[string]) (string, error) { return "v2", nil })

	var failed *store.PreconditionError
	if errors.As(err, &failed) {
		fmt.Println(failed)
	}
	// Output: /pods/default/web: Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 2
}

func ExampleMemory_List() {
	ctx := context.Background()
	s := store.NewMemory(store.MemoryOptions[string]{})
	defer s.Close()
	for _, name := range []string{"c", "a", "b"} {
		s.Create(ctx, "/pods/default/"+name, name)
	}

	opts := store.ListOptions[string]{Limit: 2}
	for {
		page, err := s.List(ctx, "/pods/default/", opts)
		if err != nil {
			fmt.Println(err)
			return
		}
		var names []string
		for _, item := range page.Items {
			names = append(names, item.Value)
		}
		fmt.Println(page.Revision, strings.Join(names, " "), page.Remaining)
		if opts.Continue = page.Continue; opts.Continue == "" {
			return
		}
		s.Delete(ctx, "/pods/default/c", store.DeleteOptions[string]{}) // has no effect on the list: all pages are of one revision
	}
	// Output:
	// 4 a b 1
	// 4 c 0
}

func ExampleMemory_Watch() {
	ctx := context.Background()
	s := store.NewMemory(store.MemoryOptions[string]{})
	defer s.Close()
	s.Create(ctx, "/pods/default/a", "one")

	w, _ := s.Watch(ctx, "/pods/", store.WatchOptions{Initial: true})
	defer w.Stop()
	s.Create(ctx, "/pods/default/b", "one")
	s.Delete(ctx, "/pods/default/a", store.DeleteOptions[string]{})
	for range 4 {
		e, err := w.Next(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %s %q\n", e.Revision, e.Type, e.Key)
	}
	// Output:
	// 2 ADDED "/pods/default/a"
	// 2 BOOKMARK ""
	// 3 ADDED "/pods/default/b"
	// 4 DELETED "/pods/default/a"
}
