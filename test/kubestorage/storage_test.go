package kubestorage

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"

	"github.com/patchlab-dev/patchlab/store"
)

func newStorage(t *testing.T) *Storage {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	s := store.NewMemory(store.MemoryOptions[Encoded]{Equal: Equal, UID: UID})
	t.Cleanup(func() { s.Close() })
	return &Storage{
		Store:    s,
		Codec:    serializer.NewCodecFactory(scheme).LegacyCodec(schema.GroupVersion{Group: "example.apiserver.k8s.io", Version: "v1"}),
		New:      func() runtime.Object { return &example.Pod{} },
		NewList:  func() runtime.Object { return &example.PodList{} },
		Prefix:   "/registry",
		Resource: "/pods",

		Transformer: storagetesting.NewPrefixTransformer([]byte("stored:"), false),
	}
}

// transformed lets the tests replace the transformer.
type transformed struct{ *Storage }

// UpdatePrefixTransformer implements storagetesting.InterfaceWithPrefixTransformer.
func (s transformed) UpdatePrefixTransformer(modify storagetesting.PrefixTransformerModifier) func() {
	original := s.Transformer
	changed := *original.(*storagetesting.PrefixTransformer)
	s.Transformer = modify(&changed)
	return func() { s.Transformer = original }
}

// compaction writes and then compacts: kube-apiserver notes a compaction in
// etcd first, and its tests count that write.
func compaction(s *Storage) storagetesting.Compaction {
	return func(ctx context.Context, t *testing.T, resourceVersion string) {
		revision, err := s.versioner.ParseResourceVersion(resourceVersion)
		if err != nil {
			t.Fatal(err)
		}
		increase(s)(ctx, t)
		if err := s.Store.Compact(ctx, int64(revision)); err != nil {
			t.Fatal(err)
		}
	}
}

// increase writes outside the resource.
func increase(s *Storage) storagetesting.IncreaseRVFunc {
	return func(ctx context.Context, t *testing.T) int64 {
		revision, err := s.Store.Revision(ctx)
		if err != nil {
			t.Fatal(err)
		}
		item, err := s.Store.Update(ctx, "/other", store.UpdateOptions{CreateMissing: true}, func(store.Item[Encoded]) (Encoded, error) {
			return Encoded{Data: []byte{byte(revision)}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return item.Revision
	}
}

func nothing(context.Context, *testing.T, string) {}

func noCalls(*testing.T, uint64, uint64) {}

// TestMemory runs kube-apiserver's own storage tests on the store in memory.
// Not run: what is about deleting corrupt data, time to live, sizes, progress
// and compaction observed in etcd, the calls made to it, and keys that end with
// a slash.
func TestMemory(t *testing.T) {
	ctx := context.Background()
	for name, run := range map[string]func(*testing.T, *Storage){
		"Create":             func(t *testing.T, s *Storage) { storagetesting.RunTestCreate(ctx, t, s, nothing) },
		"CreateWithKeyExist": func(t *testing.T, s *Storage) { storagetesting.RunTestCreateWithKeyExist(ctx, t, s) },
		"Get":                func(t *testing.T, s *Storage) { storagetesting.RunTestGet(ctx, t, s) },
		"UnconditionalDelete": func(t *testing.T, s *Storage) {
			storagetesting.RunTestUnconditionalDelete(ctx, t, s)
		},
		"ConditionalDelete":    func(t *testing.T, s *Storage) { storagetesting.RunTestConditionalDelete(ctx, t, s) },
		"DeleteWithSuggestion": func(t *testing.T, s *Storage) { storagetesting.RunTestDeleteWithSuggestion(ctx, t, s) },
		"DeleteWithSuggestionAndConflict": func(t *testing.T, s *Storage) {
			storagetesting.RunTestDeleteWithSuggestionAndConflict(ctx, t, s)
		},
		"DeleteWithConflict": func(t *testing.T, s *Storage) { storagetesting.RunTestDeleteWithConflict(ctx, t, s) },
		"DeleteWithSuggestionOfDeletedObject": func(t *testing.T, s *Storage) {
			storagetesting.RunTestDeleteWithSuggestionOfDeletedObject(ctx, t, s)
		},
		"ValidateDeletionWithSuggestion": func(t *testing.T, s *Storage) {
			storagetesting.RunTestValidateDeletionWithSuggestion(ctx, t, s)
		},
		"ValidateDeletionWithOnlySuggestionValid": func(t *testing.T, s *Storage) {
			storagetesting.RunTestValidateDeletionWithOnlySuggestionValid(ctx, t, s)
		},
		"PreconditionalDeleteWithSuggestion": func(t *testing.T, s *Storage) {
			storagetesting.RunTestPreconditionalDeleteWithSuggestion(ctx, t, s)
		},
		"PreconditionalDeleteWithOnlySuggestionPass": func(t *testing.T, s *Storage) {
			storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass(ctx, t, s)
		},
		"List": func(t *testing.T, s *Storage) {
			storagetesting.RunTestList(ctx, t, s, compaction(s), false, &storagetesting.KubernetesRecorder{})
		},
		"ConsistentList": func(t *testing.T, s *Storage) {
			storagetesting.RunTestConsistentList(ctx, t, s, increase(s), false, true, false)
		},
		"GetListNonRecursive": func(t *testing.T, s *Storage) {
			storagetesting.RunTestGetListNonRecursive(ctx, t, increase(s), s)
		},
		"GetListRecursivePrefix": func(t *testing.T, s *Storage) { storagetesting.RunTestGetListRecursivePrefix(ctx, t, s) },
		"ListContinuation": func(t *testing.T, s *Storage) {
			storagetesting.RunTestListContinuation(ctx, t, s, noCalls)
		},
		"ListPaginationRareObject": func(t *testing.T, s *Storage) {
			storagetesting.RunTestListPaginationRareObject(ctx, t, s, noCalls)
		},
		"ListContinuationWithFilter": func(t *testing.T, s *Storage) {
			storagetesting.RunTestListContinuationWithFilter(ctx, t, s, noCalls)
		},
		"ListInconsistentContinuation": func(t *testing.T, s *Storage) {
			storagetesting.RunTestListInconsistentContinuation(ctx, t, s, compaction(s))
		},
		"ListPaging":          func(t *testing.T, s *Storage) { storagetesting.RunTestListPaging(ctx, t, s) },
		"NamespaceScopedList": func(t *testing.T, s *Storage) { storagetesting.RunTestNamespaceScopedList(ctx, t, s) },
		"GuaranteedUpdateWithConflict": func(t *testing.T, s *Storage) {
			storagetesting.RunTestGuaranteedUpdateWithConflict(ctx, t, s)
		},
		"GuaranteedUpdateWithSuggestionAndConflict": func(t *testing.T, s *Storage) {
			storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict(ctx, t, s)
		},
		"GuaranteedUpdate": func(t *testing.T, s *Storage) {
			storagetesting.RunTestGuaranteedUpdate(ctx, t, transformed{s}, nothing)
		},
		"GuaranteedUpdateChecksStoredData": func(t *testing.T, s *Storage) {
			storagetesting.RunTestGuaranteedUpdateChecksStoredData(ctx, t, transformed{s})
		},
		"ListResourceVersionMatch": func(t *testing.T, s *Storage) {
			storagetesting.RunTestListResourceVersionMatch(ctx, t, transformed{s})
		},
		"TransformationFailure": func(t *testing.T, s *Storage) {
			storagetesting.RunTestTransformationFailure(ctx, t, transformed{s})
		},
		"WatchError": func(t *testing.T, s *Storage) { storagetesting.RunTestWatchError(ctx, t, transformed{s}) },
		"WatchErrorIsBlockingFurtherEvents": func(t *testing.T, s *Storage) {
			storagetesting.RunWatchErrorIsBlockingFurtherEvents(ctx, t, transformed{s})
		},
		"Watch":              func(t *testing.T, s *Storage) { storagetesting.RunTestWatch(ctx, t, s) },
		"WatchFromZero":      func(t *testing.T, s *Storage) { storagetesting.RunTestWatchFromZero(ctx, t, s, compaction(s)) },
		"DeleteTriggerWatch": func(t *testing.T, s *Storage) { storagetesting.RunTestDeleteTriggerWatch(ctx, t, s) },
		"WatchFromNonZero":   func(t *testing.T, s *Storage) { storagetesting.RunTestWatchFromNonZero(ctx, t, s) },
		"DelayedWatchDelivery": func(t *testing.T, s *Storage) {
			storagetesting.RunTestDelayedWatchDelivery(ctx, t, s)
		},
		"WatchContextCancel": func(t *testing.T, s *Storage) { storagetesting.RunTestWatchContextCancel(ctx, t, s) },
		"WatcherTimeout":     func(t *testing.T, s *Storage) { storagetesting.RunTestWatcherTimeout(ctx, t, s) },
		"WatchDeleteEventObjectHaveLatestRV": func(t *testing.T, s *Storage) {
			storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV(ctx, t, s)
		},
		"WatchInitializationSignal": func(t *testing.T, s *Storage) {
			storagetesting.RunTestWatchInitializationSignal(ctx, t, s)
		},
		"ClusterScopedWatch":   func(t *testing.T, s *Storage) { storagetesting.RunTestClusterScopedWatch(ctx, t, s) },
		"NamespaceScopedWatch": func(t *testing.T, s *Storage) { storagetesting.RunTestNamespaceScopedWatch(ctx, t, s) },
		"WatchDispatchBookmarkEvents": func(t *testing.T, s *Storage) {
			storagetesting.RunTestWatchDispatchBookmarkEvents(ctx, t, s, false)
		},
		"SendInitialEventsBackwardCompatibility": func(t *testing.T, s *Storage) {
			storagetesting.RunSendInitialEventsBackwardCompatibility(ctx, t, s)
		},
		"WatchSemantics": func(t *testing.T, s *Storage) { storagetesting.RunWatchSemantics(ctx, t, s) },
		"WatchSemanticInitialEventsExtended": func(t *testing.T, s *Storage) {
			storagetesting.RunWatchSemanticInitialEventsExtended(ctx, t, s)
		},
		"WatchListMatchSingle": func(t *testing.T, s *Storage) { storagetesting.RunWatchListMatchSingle(ctx, t, s) },
	} {
		t.Run(name, func(t *testing.T) { run(t, newStorage(t)) })
	}
}
