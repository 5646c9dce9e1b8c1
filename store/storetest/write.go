package storetest

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/patchlab-dev/patchlab/store"
)

// writeCases check guarantees G1 to G8.
func writeCases() []testCase {
	return []testCase{
		{"G1 an empty store is at revision 1", func(f *fixture) {
			same(f, "revision", f.revision(), 1)
		}},
		{"G1 every write takes the next revision; reads and failures take none", func(f *fixture) {
			same(f, "create", f.create("/a", "1").Revision, 2)
			f.get("/a")
			f.list("", store.ListOptions[Value]{})
			_, err := f.s.Create(f.ctx, "/a", value("2"))
			wantError(f, err, store.ErrExists)
			same(f, "update", f.update("/a", "2").Revision, 3)
			same(f, "delete", f.delete("/a").Revision, 4)
			same(f, "create again", f.create("/a", "1").Revision, 5)
			same(f, "store", f.revision(), 5)
		}},
		{"G2 an item has the revision of its own last write", func(f *fixture) {
			f.create("/a", "1")
			f.create("/b", "1")
			f.update("/a", "2")
			f.create("/c", "1")
			same(f, "a", f.get("/a"), item("/a", "2", 4))
			same(f, "b", f.get("/b"), item("/b", "1", 3))
		}},
		{"G3 concurrent increments of one key are all counted", countConcurrently},
		{"G4 create refuses an existing key and does not change it", func(f *fixture) {
			f.create("/a", "1")
			_, err := f.s.Create(f.ctx, "/a", value("2"))
			wantError(f, err, store.ErrExists)
			var of *store.KeyError
			if !errors.As(err, &of) || of.Key != "/a" || of.Op != "create" {
				f.Fatalf("the error does not tell the key and what was tried: %#v", err)
			}
			same(f, "a", f.get("/a"), item("/a", "1", 2))
		}},
		{"G4 only one of many creates succeeds", createConcurrently},
		{"G5 update passes the latest item to its function", func(f *fixture) {
			f.create("/a", "1")
			f.update("/a", "2")
			f.change("/a", store.UpdateOptions{}, func(current store.Item[Value]) (Value, error) {
				same(f, "current", current, item("/a", "2", 3))
				return value("3"), nil
			})
			same(f, "a", f.get("/a"), item("/a", "3", 4))
		}},
		{"G5 update calls its function again after a concurrent write", updateInterrupted},
		{"G5 the update's error is returned and nothing is written", func(f *fixture) {
			f.create("/a", "1")
			mine := errors.New("mine")
			_, err := f.s.Update(f.ctx, "/a", store.UpdateOptions{}, func(store.Item[Value]) (Value, error) {
				return value("2"), mine
			})
			same(f, "error", err, mine)
			same(f, "a", f.get("/a"), item("/a", "1", 2))
		}},
		{"G5 update of a missing key fails without calling its function", func(f *fixture) {
			_, err := f.s.Update(f.ctx, "/a", store.UpdateOptions{}, func(store.Item[Value]) (Value, error) {
				f.Fatal("asked about a key that does not exist")
				return Value{}, nil
			})
			wantError(f, err, store.ErrNotFound)
		}},
		{"G5 update may create a missing key", func(f *fixture) {
			made := f.change("/a", store.UpdateOptions{CreateMissing: true}, func(current store.Item[Value]) (Value, error) {
				same(f, "current", current, store.Item[Value]{Key: "/a"})
				return value("1"), nil
			})
			same(f, "made", made, item("/a", "1", 2))
		}},
		{"G5 update that may create calls its function again when the key appears", func(f *fixture) {
			asked := 0
			f.change("/a", store.UpdateOptions{CreateMissing: true}, func(current store.Item[Value]) (Value, error) {
				if asked++; asked == 1 {
					f.create("/a", "other")
				}
				return value(current.Value.Data + "+"), nil
			})
			same(f, "asked", asked, 2)
			same(f, "a", f.get("/a"), item("/a", "other+", 3))
		}},
		{"G6 an update to an equal value writes nothing", func(f *fixture) {
			f.create("/a", "1")
			f.create("/b", "1")
			w := f.watch("", store.WatchOptions{})
			same(f, "result", f.update("/a", "1"), item("/a", "1", 2))
			same(f, "revision", f.revision(), 3)
			same(f, "events but the bookmark", len(f.drained(w)), 1)
		}},
		{"G7 preconditions on update", func(f *fixture) { preconditions(f, tryUpdate) }},
		{"G7 preconditions on delete", func(f *fixture) { preconditions(f, tryDelete) }},
		{"G7 preconditions are checked again with the newer item", func(f *fixture) {
			f.create("/a", "1")
			at := "2"
			_, err := f.s.Update(f.ctx, "/a", store.UpdateOptions{Preconditions: store.Preconditions{ResourceVersion: &at}},
				func(store.Item[Value]) (Value, error) {
					f.update("/a", "other")
					return value("mine"), nil
				})
			wantError(f, err, store.ErrPrecondition)
			same(f, "a", f.get("/a"), item("/a", "other", 3))
		}},
		{"G7 a missing key matches no precondition", func(f *fixture) {
			uid := "uid-1"
			_, err := f.s.Update(f.ctx, "/a", store.UpdateOptions{CreateMissing: true, Preconditions: store.Preconditions{UID: &uid}}, always("1"))
			wantError(f, err, store.ErrPrecondition)
			same(f, "revision", f.revision(), 1)
		}},
		{"G8 delete returns the removed value with the deletion's revision", func(f *fixture) {
			f.create("/a", "1")
			f.create("/b", "1")
			same(f, "deleted", f.delete("/a"), item("/a", "1", 4))
			_, err := f.s.Get(f.ctx, "/a", store.GetOptions{})
			wantError(f, err, store.ErrNotFound)
			_, err = f.s.Delete(f.ctx, "/a", store.DeleteOptions[Value]{})
			wantError(f, err, store.ErrNotFound)
		}},
		{"G8 delete calls Validate", func(f *fixture) {
			f.create("/a", "1")
			mine := errors.New("mine")
			_, err := f.s.Delete(f.ctx, "/a", store.DeleteOptions[Value]{Validate: func(current store.Item[Value]) error {
				same(f, "current", current, item("/a", "1", 2))
				return mine
			}})
			same(f, "error", err, mine)
			same(f, "a", f.get("/a"), item("/a", "1", 2))
		}},
		{"G8 delete validates again after a concurrent write", func(f *fixture) {
			f.create("/a", "1")
			var seen []string
			_, err := f.s.Delete(f.ctx, "/a", store.DeleteOptions[Value]{Validate: func(current store.Item[Value]) error {
				if seen = append(seen, current.Value.Data); len(seen) == 1 {
					f.update("/a", "2")
				}
				return nil
			}})
			f.must(err)
			same(f, "asked", len(seen), 2)
			same(f, "second", seen[1], "2")
			same(f, "revision", f.revision(), 4)
		}},
		{"G18 malformed keys are refused and change nothing", malformedKeys},
		{"G18 a done context changes nothing", func(f *fixture) {
			_, err := f.s.Create(done(), "/a", value("1"))
			wantError(f, err, context.Canceled)
			same(f, "revision", f.revision(), 1)
		}},
	}
}

func item(key, data string, revision int64) store.Item[Value] {
	return store.Item[Value]{Key: key, Value: value(data), Revision: revision}
}

func (f *fixture) change(key string, opts store.UpdateOptions, try store.UpdateFunc[Value]) store.Item[Value] {
	f.Helper()
	got, err := f.s.Update(f.ctx, key, opts, try)
	f.must(err)
	return got
}

func wantError(f *fixture, err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("got the error %v, want %v", err, want)
	}
}

func countConcurrently(f *fixture) {
	const writers, each = 8, 50
	f.create("/n", "0")
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				_, err := f.s.Update(f.ctx, "/n", store.UpdateOptions{}, func(current store.Item[Value]) (Value, error) {
					n, err := strconv.Atoi(current.Value.Data)
					return value(strconv.Itoa(n + 1)), err
				})
				if err != nil {
					f.Error(err)
				}
			}
		})
	}
	wg.Wait()
	same(f, "n", f.get("/n"), item("/n", strconv.Itoa(writers*each), 2+writers*each))
}

func createConcurrently(f *fixture) {
	const writers = 8
	made := make(chan store.Item[Value], writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			got, err := f.s.Create(f.ctx, "/a", value(strconv.Itoa(i)))
			if err == nil {
				made <- got
			} else if !errors.Is(err, store.ErrExists) {
				f.Error(err)
			}
		})
	}
	wg.Wait()
	same(f, "successes", len(made), 1)
	same(f, "a", f.get("/a"), <-made)
}

func updateInterrupted(f *fixture) {
	f.create("/a", "1")
	var seen []store.Item[Value]
	got := f.change("/a", store.UpdateOptions{}, func(current store.Item[Value]) (Value, error) {
		if seen = append(seen, current); len(seen) == 1 {
			f.update("/a", "other")
		}
		return value(current.Value.Data + "+"), nil
	})
	same(f, "asked", len(seen), 2)
	same(f, "first", seen[0], item("/a", "1", 2))
	same(f, "second", seen[1], item("/a", "other", 3))
	same(f, "result", got, item("/a", "other+", 4))
}

func tryUpdate(f *fixture, p store.Preconditions) error {
	_, err := f.s.Update(f.ctx, "/a", store.UpdateOptions{Preconditions: p}, always("2"))
	return err
}

func tryDelete(f *fixture, p store.Preconditions) error {
	_, err := f.s.Delete(f.ctx, "/a", store.DeleteOptions[Value]{Preconditions: p})
	return err
}

// preconditions calls try with preconditions that fail in each possible way, then with
// matching ones.
func preconditions(f *fixture, try func(*fixture, store.Preconditions) error) {
	f.create("/a", "1")
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		why   string
		p     store.Preconditions
		field string
		want  string
		found string
	}{
		{"another UID", store.Preconditions{UID: text("uid-2")}, "UID", "uid-2", "uid-1"},
		{"the empty UID is one too", store.Preconditions{UID: text("")}, "UID", "", "uid-1"},
		{"an older version", store.Preconditions{ResourceVersion: text("1")}, "ResourceVersion", "1", "2"},
		{"no version", store.Preconditions{ResourceVersion: text("abc")}, "ResourceVersion", "abc", "2"},
		{"versions compare as text", store.Preconditions{ResourceVersion: text("02")}, "ResourceVersion", "02", "2"},
		{"the UID is compared first", store.Preconditions{UID: text("x"), ResourceVersion: text("1")}, "UID", "x", "uid-1"},
		{"both must hold", store.Preconditions{UID: text("uid-1"), ResourceVersion: text("1")}, "ResourceVersion", "1", "2"},
	} {
		err := try(f, c.p)
		wantError(f, err, store.ErrPrecondition)
		var failed *store.PreconditionError
		if !errors.As(err, &failed) {
			f.Fatalf("%s: the error is a %T", c.why, err)
		}
		same(f, c.why, *failed, store.PreconditionError{Key: "/a", Field: c.field, Wanted: c.want, Found: c.found})
		same(f, c.why, f.get("/a"), item("/a", "1", 2))
	}
	f.must(try(f, store.Preconditions{UID: text("uid-1"), ResourceVersion: text("2")}))
	same(f, "revision", f.revision(), 3)
}

func malformedKeys(f *fixture) {
	for _, key := range []string{"", "a", "/", "/a/", "/a/../b", "/..", "/a/.", "./a"} {
		_, err := f.s.Create(f.ctx, key, value("1"))
		wantError(f, err, store.ErrInvalidKey)
		_, err = f.s.Update(f.ctx, key, store.UpdateOptions{CreateMissing: true}, always("1"))
		wantError(f, err, store.ErrInvalidKey)
		_, err = f.s.Get(f.ctx, key, store.GetOptions{})
		wantError(f, err, store.ErrInvalidKey)
		_, err = f.s.Delete(f.ctx, key, store.DeleteOptions[Value]{})
		wantError(f, err, store.ErrInvalidKey)
	}
	for _, scope := range []string{"a", "a/", "/a/../", "/./", "/a/.", "/../"} {
		_, err := f.s.List(f.ctx, scope, store.ListOptions[Value]{})
		wantError(f, err, store.ErrInvalidKey)
		_, err = f.s.Watch(f.ctx, scope, store.WatchOptions{})
		wantError(f, err, store.ErrInvalidKey)
		_, err = f.s.Count(f.ctx, scope)
		wantError(f, err, store.ErrInvalidKey)
	}
	same(f, "revision", f.revision(), 1)
}
