package conformance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Install creates the CustomResourceDefinitions in a directory, which the recorded cases
// need, on a server that has none of them.
func Install(send Send, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if len(files) == 0 || err != nil {
		return fmt.Errorf("no custom resources in %s", folder)
	}
	for _, name := range files {
		crd, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		a, err := send(Request{
			Method: http.MethodPost, Path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
			ContentType: "application/yaml", Body: string(crd),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if a.Code != http.StatusCreated {
			return fmt.Errorf("%s: the server answers %d %s", name, a.Code, a.Body)
		}
	}
	return nil
}
