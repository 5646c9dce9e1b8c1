package aggregation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/patchlab-dev/patchlab/cluster"
)

// openAPIPath is the path of the list of OpenAPI 3 documents.
const openAPIPath = "/openapi/v3"

// Documents returns the OpenAPI 3 documents of the extension API server: their URLs by the path that they describe, such as
// "apis/metrics.k8s.io/v1beta1". The map must not be changed.
func (b *Backend) Documents() map[string]string {
	if d := b.documents.Load(); d != nil {
		return *d
	}
	return nil
}

// fetchDocuments fetches the list of OpenAPI 3 documents. An extension API server need not have one.
func (b *Backend) fetchDocuments(ctx context.Context, to *connection) error {
	answer, err := b.fetch(ctx, to, openAPIPath, http.Header{}, cluster.User{Name: "system:aggregator"})
	switch {
	case err != nil:
		return err
	case answer.code == http.StatusNotFound:
		b.documents.Store(&map[string]string{})
		return nil
	case answer.code != http.StatusOK:
		return fmt.Errorf("the service answered a request for %s with %d", openAPIPath, answer.code)
	}
	var list struct {
		Paths map[string]struct {
			URL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(answer.body, &list); err != nil {
		return err
	}
	documents := map[string]string{}
	for path, location := range list.Paths {
		documents[path] = location.URL
	}
	b.documents.Store(&documents)
	return nil
}
