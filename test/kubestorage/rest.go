package kubestorage

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apiserver/pkg/storage"
)

// token makes a continue token of the store's form.
func token(revision int64, start string) string {
	return base64.RawURLEncoding.EncodeToString([]byte("v1:" + strconv.FormatInt(revision, 10) + ":" + start))
}

// kubeToken makes kube-apiserver's continue token of the store's, because its
// tests look into them.
func kubeToken(text, scope string) (string, error) {
	if text == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	parts := strings.SplitN(string(raw), ":", 3)
	if len(parts) != 3 {
		return "", fmt.Errorf("a token of another form: %q", raw)
	}
	revision, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return "", err
	}
	return storage.EncodeContinue(scope+parts[2], scope, revision)
}

// Versioner implements storage.Interface.
func (s *Storage) Versioner() storage.Versioner { return s.versioner }

// Stats implements storage.Interface. The size is not estimated.
func (s *Storage) Stats(ctx context.Context) (storage.Stats, error) {
	n, err := s.Store.Count(ctx, s.Prefix+s.Resource+"/")
	return storage.Stats{ObjectCount: n}, err
}

// ReadinessCheck implements storage.Interface.
func (s *Storage) ReadinessCheck() error { return nil }

// RequestWatchProgress implements storage.Interface; watchers are asked
// themselves.
func (s *Storage) RequestWatchProgress(context.Context) error { return nil }

// GetCurrentResourceVersion implements storage.Interface.
func (s *Storage) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	revision, err := s.Store.Revision(ctx)
	return uint64(revision), err
}

// EnableResourceSizeEstimation implements storage.Interface.
func (s *Storage) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// CompactRevision implements storage.Interface; it does not observe compaction.
func (s *Storage) CompactRevision() int64 { return 0 }
