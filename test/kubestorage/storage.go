// Package kubestorage implements kube-apiserver's storage.Interface over a store.Store, in
// order to run kube-apiserver's own storage tests on it. It is a module of its own, because of
// its dependencies.
package kubestorage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/patchlab-dev/patchlab/store"
)

// Encoded is a stored value: an encoded object, its UID and its lifetime.
type Encoded struct {
	Data []byte
	UID  string
	TTL  time.Duration
	// rewrite marks a value that must be written even if it is equal, because the
	// transformer reports the stored form as stale.
	rewrite bool
}

// Equal reports whether two values have equal bytes and need no rewrite.
func Equal(a, b Encoded) bool { return !b.rewrite && bytes.Equal(a.Data, b.Data) }

// UID returns the UID of a value, for preconditions. If the value was read as bytes,
// UID decodes the JSON after the prefix of the tests' transformer.
func UID(v Encoded) string {
	if v.UID != "" {
		return v.UID
	}
	var object struct{ Metadata struct{ UID string } }
	if i := bytes.IndexByte(v.Data, '{'); i < 0 || json.Unmarshal(v.Data[i:], &object) != nil {
		return ""
	}
	return object.Metadata.UID
}

// Lifetime returns the TTL of a value.
func Lifetime(v Encoded) time.Duration { return v.TTL }

// Storage implements storage.Interface for one resource. It ignores the cached objects
// that callers may pass, which the interface allows.
type Storage struct {
	Store    store.Store[Encoded]
	Codec    runtime.Codec
	New      func() runtime.Object
	NewList  func() runtime.Object
	Prefix   string // of all keys, such as /registry
	Resource string // such as /pods/
	// Transformer converts between the encoded and the stored form: encryption in
	// kube-apiserver, a prefix in its tests.
	Transformer value.Transformer
	// Bookmarks is the interval of bookmarks for watches that allow them; 0 disables
	// them.
	Bookmarks time.Duration

	versioner storage.APIObjectVersioner
	progress  progress
}

var _ storage.Interface = (*Storage)(nil)

// key converts a key to the store's key or prefix.
func (s *Storage) key(key string, recursive bool) (string, error) {
	prepared, err := storage.PrepareKey(s.Resource, key, recursive)
	return s.Prefix + prepared, err
}

// name converts the key of one object to the store's key. storage.Interface accepts a
// trailing slash, which the store would treat as a prefix.
func (s *Storage) name(key string) (string, error) {
	key, err := s.key(key, false)
	if strings.HasSuffix(key, "/") {
		key += "\x01"
	}
	return key, err
}

// encode returns the value to store and its form before transformation. The latter is
// used for the response to a write, which does not go through the transformer again.
func (s *Storage) encode(ctx context.Context, key string, obj runtime.Object) (v Encoded, plain []byte, err error) {
	if err := s.versioner.PrepareObjectForStorage(obj); err != nil {
		return v, nil, err
	}
	of, err := meta.Accessor(obj)
	if err != nil {
		return v, nil, err
	}
	v.UID = string(of.GetUID())
	if plain, err = runtime.Encode(s.Codec, obj); err != nil {
		return v, nil, err
	}
	v.Data, err = s.Transformer.TransformToStorage(ctx, plain, value.DefaultContext(key))
	return v, plain, err
}

// decode returns the object of a stored value, with its resourceVersion.
func (s *Storage) decode(ctx context.Context, key string, v Encoded, revision int64) (obj runtime.Object, stale bool, err error) {
	data, stale, err := s.Transformer.TransformFromStorage(ctx, v.Data, value.DefaultContext(key))
	if err != nil {
		return nil, false, storage.NewInternalError(err)
	}
	if obj, err = runtime.Decode(s.Codec, data); err != nil {
		return nil, false, err
	}
	return obj, stale, s.versioner.UpdateObject(obj, uint64(revision))
}

// into decodes a stored item into out.
func (s *Storage) into(ctx context.Context, item store.Item[Encoded], out runtime.Object) error {
	plain, _, err := s.Transformer.TransformFromStorage(ctx, item.Value.Data, value.DefaultContext(item.Key))
	if err != nil {
		return storage.NewInternalError(err)
	}
	return s.answer(plain, item.Revision, out)
}

// answer decodes an encoded object into out, which may be nil.
func (s *Storage) answer(plain []byte, revision int64, out runtime.Object) error {
	if out == nil {
		return nil
	}
	if _, _, err := s.Codec.Decode(plain, nil, out); err != nil {
		return err
	}
	return s.versioner.UpdateObject(out, uint64(revision))
}

// Create implements storage.Interface.
func (s *Storage) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	key, err := s.name(key)
	if err != nil {
		return err
	}
	if version, err := s.versioner.ObjectResourceVersion(obj); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	v, plain, err := s.encode(ctx, key, obj)
	if err != nil {
		return err
	}
	v.TTL = time.Duration(ttl) * time.Second
	item, err := s.Store.Create(ctx, key, v)
	if err != nil {
		return translate(err)
	}
	return s.answer(plain, item.Revision, out)
}

// Get implements storage.Interface.
func (s *Storage) Get(ctx context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	key, err := s.name(key)
	if err != nil {
		return err
	}
	least, err := s.versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	item, err := s.Store.Get(ctx, key, store.GetOptions{MinRevision: int64(least), Cached: opts.ResourceVersion != ""})
	if errors.Is(err, store.ErrNotFound) && opts.IgnoreNotFound {
		return runtime.SetZeroValue(out)
	}
	if err != nil {
		return translate(err)
	}
	return s.into(ctx, item, out)
}

// Delete implements storage.Interface.
func (s *Storage) Delete(ctx context.Context, key string, out runtime.Object, p *storage.Preconditions, validate storage.ValidateObjectFunc, _ runtime.Object, opts storage.DeleteOptions) error {
	key, err := s.name(key)
	if err != nil {
		return err
	}
	if opts.IgnoreStoreReadError { // the stored object may be undecodable
		_, err := s.Store.Delete(ctx, key, store.DeleteOptions[Encoded]{Preconditions: preconditions(p)})
		return translate(err)
	}
	item, err := s.Store.Delete(ctx, key, store.DeleteOptions[Encoded]{
		Preconditions: preconditions(p),
		Validate: func(current store.Item[Encoded]) error {
			obj, _, err := s.decode(ctx, key, current.Value, current.Revision)
			if err != nil {
				return err
			}
			return validate(ctx, obj)
		},
	})
	if err != nil {
		return translate(err)
	}
	return s.into(ctx, item, out)
}

// GuaranteedUpdate implements storage.Interface.
func (s *Storage) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, p *storage.Preconditions, try storage.UpdateFunc, _ runtime.Object) error {
	key, err := s.name(key)
	if err != nil {
		return err
	}
	opts := store.UpdateOptions{Preconditions: preconditions(p), CreateMissing: ignoreNotFound}
	var plain []byte
	item, err := s.Store.Update(ctx, key, opts, func(current store.Item[Encoded]) (Encoded, error) {
		obj, stale := s.New(), false
		if current.Revision != 0 {
			var err error
			if obj, stale, err = s.decode(ctx, key, current.Value, current.Revision); err != nil {
				return Encoded{}, err
			}
		}
		next, ttl, err := try(obj, storage.ResponseMeta{ResourceVersion: uint64(current.Revision)})
		if err != nil {
			return Encoded{}, err
		}
		var v Encoded
		v, plain, err = s.encode(ctx, key, next)
		v.rewrite = stale
		if ttl != nil {
			v.TTL = time.Duration(*ttl) * time.Second
		}
		return v, err
	})
	if err != nil {
		return translate(err)
	}
	return s.answer(plain, item.Revision, out)
}

func preconditions(p *storage.Preconditions) store.Preconditions {
	if p == nil {
		return store.Preconditions{}
	}
	return store.Preconditions{UID: (*string)(p.UID), ResourceVersion: p.ResourceVersion}
}

// GetList implements storage.Interface.
func (s *Storage) GetList(ctx context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	scope, err := s.key(key, opts.Recursive)
	if err != nil {
		return err
	}
	decoded := map[string]runtime.Object{} // objects that the filter has decoded, by key
	want, err := s.listOptions(ctx, scope, opts, decoded)
	if err != nil {
		return err
	}
	if !opts.Recursive && strings.HasSuffix(scope, "/") {
		// A single key with a trailing slash matches no key of the store.
		want.Filter = func(store.Item[Encoded]) bool { return false }
	}
	page, err := s.Store.List(ctx, scope, want)
	if err != nil {
		return s.listError(err, scope, opts)
	}
	if err := s.fill(ctx, list, page.Items, decoded); err != nil {
		return err
	}
	next, err := kubeToken(page.Continue, scope)
	if err != nil {
		return err
	}
	var remaining *int64
	if next != "" && page.Remaining != store.UnknownRemaining {
		remaining = &page.Remaining
	}
	return s.versioner.UpdateList(list, uint64(page.Revision), next, remaining)
}

// listOptions converts the options of a list to the store's.
func (s *Storage) listOptions(ctx context.Context, scope string, opts storage.ListOptions, decoded map[string]runtime.Object) (want store.ListOptions[Encoded], err error) {
	exact, start, err := storage.ValidateListOptions(scope, s.versioner, opts)
	if err != nil {
		return want, err
	}
	least, err := s.versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return want, apierrors.NewBadRequest(err.Error())
	}
	want.Limit, want.Cached = opts.Predicate.Limit, opts.ResourceVersion != ""
	switch {
	case start != "":
		if exact == 0 {
			exact = -1
		}
		want.Continue = token(exact, strings.TrimPrefix(start, scope))
	case exact != 0:
		want.Revision, want.Match = exact, store.Exact
	default:
		want.Revision = int64(least)
	}
	if !opts.Predicate.Empty() {
		want.Filter = func(item store.Item[Encoded]) bool {
			obj, _, err := s.decode(ctx, item.Key, item.Value, item.Revision)
			if err != nil {
				return true // fill reports the error
			}
			matches, err := opts.Predicate.Matches(obj)
			if err != nil || !matches {
				return false
			}
			decoded[item.Key] = obj
			return true
		}
	}
	return want, nil
}

// listError adds a new continue token to the error of a continued list whose revision
// was compacted.
func (s *Storage) listError(err error, scope string, opts storage.ListOptions) error {
	var old *store.CompactedError
	if !errors.As(err, &old) {
		return translate(err)
	}
	if opts.Predicate.Continue == "" {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	status := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result.")
	next, err := kubeToken(old.Continue, scope)
	if err != nil {
		return err
	}
	status.ErrStatus.Continue = next
	return status
}

// fill sets the items of a list object.
func (s *Storage) fill(ctx context.Context, list runtime.Object, items []store.Item[Encoded], decoded map[string]runtime.Object) error {
	ptr, err := meta.GetItemsPtr(list)
	if err != nil {
		return err
	}
	v := reflect.ValueOf(ptr).Elem()
	v.Set(reflect.MakeSlice(v.Type(), 0, len(items)))
	for _, item := range items {
		obj := decoded[item.Key]
		if obj == nil {
			if obj, _, err = s.decode(ctx, item.Key, item.Value, item.Revision); err != nil {
				return err
			}
		}
		v.Set(reflect.Append(v, reflect.ValueOf(obj).Elem()))
	}
	return nil
}

// translate converts the store's errors to kube-apiserver's.
func translate(err error) error {
	var key *store.KeyError
	var failed *store.PreconditionError
	var ahead *store.FutureError
	switch {
	case errors.As(err, &key) && errors.Is(err, store.ErrNotFound):
		return storage.NewKeyNotFoundError(key.Key, 0)
	case errors.As(err, &key) && errors.Is(err, store.ErrExists):
		return storage.NewKeyExistsError(key.Key, 0)
	case errors.As(err, &failed):
		return storage.NewInvalidObjError(failed.Key, fmt.Sprintf("Precondition failed: %s in precondition: %s, %s in object meta: %s",
			failed.Field, failed.Wanted, failed.Field, failed.Found))
	case errors.As(err, &ahead):
		return storage.NewTooLargeResourceVersionError(uint64(ahead.Revision), uint64(ahead.Current), 0)
	case errors.Is(err, store.ErrCompacted):
		return apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	}
	return err
}

// Versioner implements storage.Interface.
func (s *Storage) Versioner() storage.Versioner { return s.versioner }

// Stats implements storage.Interface.
func (s *Storage) Stats(ctx context.Context) (stats storage.Stats, err error) {
	if stats.ObjectCount, err = s.Store.Count(ctx, s.Prefix+s.Resource); err != nil || stats.ObjectCount == 0 {
		return stats, err
	}
	page, err := s.Store.List(ctx, s.Prefix+s.Resource, store.ListOptions[Encoded]{})
	for _, item := range page.Items {
		stats.EstimatedAverageObjectSizeBytes += int64(len(item.Value.Data))
	}
	stats.EstimatedAverageObjectSizeBytes /= max(1, int64(len(page.Items)))
	return stats, err
}

// ReadinessCheck implements storage.Interface.
func (s *Storage) ReadinessCheck() error { return nil }

// RequestWatchProgress implements storage.Interface.
func (s *Storage) RequestWatchProgress(context.Context) error {
	s.progress.request()
	return nil
}

// GetCurrentResourceVersion implements storage.Interface.
func (s *Storage) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	revision, err := s.Store.Revision(ctx)
	return uint64(revision), err
}

// EnableResourceSizeEstimation implements storage.Interface.
func (s *Storage) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// CompactRevision implements storage.Interface. The store returns the oldest revision that it
// keeps in the error for an older one.
func (s *Storage) CompactRevision() int64 {
	_, err := s.Store.List(context.Background(), "/none", store.ListOptions[Encoded]{Revision: 1, Match: store.Exact})
	var gone *store.CompactedError
	if errors.As(err, &gone) {
		return gone.Oldest
	}
	return 0
}
