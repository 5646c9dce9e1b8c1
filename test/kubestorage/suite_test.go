package kubestorage

import (
	"context"
	"testing"

	storagetesting "k8s.io/apiserver/pkg/storage/testing"
)

// suite returns the 55 functions of kube-apiserver's storage tests that are not
// benchmarks.
func suite(ctx context.Context) map[string]func(*testing.T, *subject) {
	return map[string]func(*testing.T, *subject){
		"Create":                              func(t *testing.T, s *subject) { storagetesting.RunTestCreate(ctx, t, s, s.stored) },
		"CreateWithTTL":                       func(t *testing.T, s *subject) { storagetesting.RunTestCreateWithTTL(ctx, t, s) },
		"CreateWithKeyExist":                  func(t *testing.T, s *subject) { storagetesting.RunTestCreateWithKeyExist(ctx, t, s) },
		"Get":                                 func(t *testing.T, s *subject) { storagetesting.RunTestGet(ctx, t, s) },
		"UnconditionalDelete":                 func(t *testing.T, s *subject) { storagetesting.RunTestUnconditionalDelete(ctx, t, s) },
		"ConditionalDelete":                   func(t *testing.T, s *subject) { storagetesting.RunTestConditionalDelete(ctx, t, s) },
		"DeleteWithSuggestion":                func(t *testing.T, s *subject) { storagetesting.RunTestDeleteWithSuggestion(ctx, t, s) },
		"DeleteWithSuggestionAndConflict":     func(t *testing.T, s *subject) { storagetesting.RunTestDeleteWithSuggestionAndConflict(ctx, t, s) },
		"DeleteWithConflict":                  func(t *testing.T, s *subject) { storagetesting.RunTestDeleteWithConflict(ctx, t, s) },
		"DeleteWithSuggestionOfDeletedObject": func(t *testing.T, s *subject) { storagetesting.RunTestDeleteWithSuggestionOfDeletedObject(ctx, t, s) },
		"ValidateDeletionWithSuggestion":      func(t *testing.T, s *subject) { storagetesting.RunTestValidateDeletionWithSuggestion(ctx, t, s) },
		"ValidateDeletionWithOnlySuggestionValid": func(t *testing.T, s *subject) {
			storagetesting.RunTestValidateDeletionWithOnlySuggestionValid(ctx, t, s)
		},
		"PreconditionalDeleteWithSuggestion": func(t *testing.T, s *subject) { storagetesting.RunTestPreconditionalDeleteWithSuggestion(ctx, t, s) },
		"PreconditionalDeleteWithOnlySuggestionPass": func(t *testing.T, s *subject) {
			storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass(ctx, t, s)
		},
		"List": func(t *testing.T, s *subject) {
			storagetesting.RunTestList(ctx, t, s, s.compaction, false, &storagetesting.KubernetesRecorder{})
		},
		"ConsistentList": func(t *testing.T, s *subject) {
			storagetesting.RunTestConsistentList(ctx, t, s, s.increaseLater, s.cached, true, s.cached)
		},
		"GetListNonRecursive":        func(t *testing.T, s *subject) { storagetesting.RunTestGetListNonRecursive(ctx, t, s.increase, s) },
		"GetListRecursivePrefix":     func(t *testing.T, s *subject) { storagetesting.RunTestGetListRecursivePrefix(ctx, t, s) },
		"ListContinuation":           func(t *testing.T, s *subject) { storagetesting.RunTestListContinuation(ctx, t, s, s.calls) },
		"ListPaginationRareObject":   func(t *testing.T, s *subject) { storagetesting.RunTestListPaginationRareObject(ctx, t, s, s.calls) },
		"ListContinuationWithFilter": func(t *testing.T, s *subject) { storagetesting.RunTestListContinuationWithFilter(ctx, t, s, s.calls) },
		"ListInconsistentContinuation": func(t *testing.T, s *subject) {
			storagetesting.RunTestListInconsistentContinuation(ctx, t, s, s.compaction)
		},
		"ListResourceVersionMatch":         func(t *testing.T, s *subject) { storagetesting.RunTestListResourceVersionMatch(ctx, t, s) },
		"GuaranteedUpdate":                 func(t *testing.T, s *subject) { storagetesting.RunTestGuaranteedUpdate(ctx, t, s, s.stored) },
		"GuaranteedUpdateWithTTL":          func(t *testing.T, s *subject) { storagetesting.RunTestGuaranteedUpdateWithTTL(ctx, t, s) },
		"GuaranteedUpdateChecksStoredData": func(t *testing.T, s *subject) { storagetesting.RunTestGuaranteedUpdateChecksStoredData(ctx, t, s) },
		"GuaranteedUpdateWithConflict":     func(t *testing.T, s *subject) { storagetesting.RunTestGuaranteedUpdateWithConflict(ctx, t, s) },
		"GuaranteedUpdateWithSuggestionAndConflict": func(t *testing.T, s *subject) {
			storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict(ctx, t, s)
		},
		"TransformationFailure": func(t *testing.T, s *subject) { storagetesting.RunTestTransformationFailure(ctx, t, s) },
		"Stats":                 func(t *testing.T, s *subject) { storagetesting.RunTestStats(ctx, t, s, s.Codec, s.Transformer, true) },
		"ListPaging":            func(t *testing.T, s *subject) { storagetesting.RunTestListPaging(ctx, t, s) },
		"NamespaceScopedList":   func(t *testing.T, s *subject) { storagetesting.RunTestNamespaceScopedList(ctx, t, s) },
		"CompactRevision": func(t *testing.T, s *subject) {
			storagetesting.RunTestCompactRevision(ctx, t, s, s.increase, s.compaction)
		},
		"KeySchema":                          func(t *testing.T, s *subject) { storagetesting.RunTestKeySchema(ctx, t, s) },
		"Watch":                              func(t *testing.T, s *subject) { storagetesting.RunTestWatch(ctx, t, s) },
		"WatchFromZero":                      func(t *testing.T, s *subject) { storagetesting.RunTestWatchFromZero(ctx, t, s, s.compaction) },
		"DeleteTriggerWatch":                 func(t *testing.T, s *subject) { storagetesting.RunTestDeleteTriggerWatch(ctx, t, s) },
		"WatchFromNonZero":                   func(t *testing.T, s *subject) { storagetesting.RunTestWatchFromNonZero(ctx, t, s) },
		"DelayedWatchDelivery":               func(t *testing.T, s *subject) { storagetesting.RunTestDelayedWatchDelivery(ctx, t, s) },
		"WatchError":                         func(t *testing.T, s *subject) { storagetesting.RunTestWatchError(ctx, t, s) },
		"WatchWithUnsafeDelete":              func(t *testing.T, s *subject) { storagetesting.RunTestWatchWithUnsafeDelete(ctx, t, s) },
		"WatchContextCancel":                 func(t *testing.T, s *subject) { storagetesting.RunTestWatchContextCancel(ctx, t, s) },
		"WatcherTimeout":                     func(t *testing.T, s *subject) { storagetesting.RunTestWatcherTimeout(ctx, t, s) },
		"WatchDeleteEventObjectHaveLatestRV": func(t *testing.T, s *subject) { storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV(ctx, t, s) },
		"WatchInitializationSignal":          func(t *testing.T, s *subject) { storagetesting.RunTestWatchInitializationSignal(ctx, t, s) },
		"ProgressNotify":                     func(t *testing.T, s *subject) { storagetesting.RunOptionalTestProgressNotify(ctx, t, s, s.increase) },
		"ClusterScopedWatch":                 func(t *testing.T, s *subject) { storagetesting.RunTestClusterScopedWatch(ctx, t, s) },
		"NamespaceScopedWatch":               func(t *testing.T, s *subject) { storagetesting.RunTestNamespaceScopedWatch(ctx, t, s) },
		"WatchDispatchBookmarkEvents": func(t *testing.T, s *subject) {
			storagetesting.RunTestWatchDispatchBookmarkEvents(ctx, t, s.bookmarked(), true)
		},
		"WatchBookmarksWithCorrectResourceVersion": func(t *testing.T, s *subject) {
			storagetesting.RunTestOptionalWatchBookmarksWithCorrectResourceVersion(ctx, t, s.bookmarked())
		},
		"SendInitialEventsBackwardCompatibility": func(t *testing.T, s *subject) { storagetesting.RunSendInitialEventsBackwardCompatibility(ctx, t, s) },
		"WatchSemantics":                         func(t *testing.T, s *subject) { storagetesting.RunWatchSemantics(ctx, t, s) },
		"WatchSemanticInitialEventsExtended":     func(t *testing.T, s *subject) { storagetesting.RunWatchSemanticInitialEventsExtended(ctx, t, s) },
		"WatchListMatchSingle":                   func(t *testing.T, s *subject) { storagetesting.RunWatchListMatchSingle(ctx, t, s) },
		"WatchErrorIsBlockingFurtherEvents":      func(t *testing.T, s *subject) { storagetesting.RunWatchErrorIsBlockingFurtherEvents(ctx, t, s) },
	}
}

// leftOut maps the tests that are skipped for a backend to the reason. Kubernetes does
// not run them on its own cache either.
var leftOut = map[string]string{
	"cache/WatchWithUnsafeDelete": "the test expects a list of any version to hold an object that was just created, which a cache need not",
}

// alone are the tests that cannot run in parallel: those that set feature gates, and
// one whose object expires after a second.
var alone = map[string]bool{
	"Get": true, "WatchSemantics": true, "WatchSemanticInitialEventsExtended": true, "WatchListMatchSingle": true, "SendInitialEventsBackwardCompatibility": true,
}

// TestSuite runs kube-apiserver's storage tests on the in-memory store, on etcd, and on
// a cache of etcd.
func TestSuite(t *testing.T) {
	tests := suite(context.Background())
	if len(tests) != 55 {
		t.Fatalf("%d functions, want all 55", len(tests))
	}
	for backendName, backend := range backends {
		t.Run(backendName, func(t *testing.T) {
			for name, run := range tests {
				t.Run(name, func(t *testing.T) {
					if why := leftOut[backendName+"/"+name]; why != "" {
						t.Skip(why)
					}
					if !alone[name] {
						t.Parallel()
					}
					run(t, backend(t))
				})
			}
		})
	}
}
