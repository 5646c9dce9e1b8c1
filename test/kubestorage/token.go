package kubestorage

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apiserver/pkg/storage"
)

// token returns a continue token in the store's format.
func token(revision int64, start string) string {
	return base64.RawURLEncoding.EncodeToString([]byte("v1:" + strconv.FormatInt(revision, 10) + ":" + start))
}

// kubeToken converts the store's continue token to kube-apiserver's format, which the
// tests decode.
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
		return "", fmt.Errorf("malformed continue token %q", raw)
	}
	revision, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return "", err
	}
	return storage.EncodeContinue(scope+parts[2], scope, revision)
}
