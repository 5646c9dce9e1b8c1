package clients

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestDiscovery maps every name that users write to the resource that serves it.
func TestDiscovery(t *testing.T) {
	cfg := testserver.Start(t, crdDir)
	disco := discovery.NewDiscoveryClientForConfigOrDie(cfg)
	cached := memory.NewMemCacheClient(disco)
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	for name, want := range map[string]schema.GroupVersionResource{
		"cm":         configMaps,
		"deploy":     {Group: "apps", Version: "v1", Resource: "deployments"},
		"deployment": {Group: "apps", Version: "v1", Resource: "deployments"},
		"st":         sites,
		"site":       sites,
		"crd":        {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	} {
		got, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: name})
		if err != nil || got != want {
			t.Errorf("%q is mapped to %v (%v), want %v", name, got, err, want)
		}
	}
	if v, err := disco.ServerVersion(); err != nil || v.Major != "1" {
		t.Errorf("version %v, %v", v, err)
	}
	// As JSON: client-go's own OpenAPISchema takes nothing but gnostic's protobuf.
	if b, err := disco.RESTClient().Get().AbsPath("/openapi/v2").SetHeader("Accept", "application/json").Do(t.Context()).Raw(); err != nil || !json.Valid(b) {
		t.Errorf("OpenAPI v2: %d bytes, %v", len(b), err)
	}
	paths, err := disco.OpenAPIV3().Paths()
	if err != nil || paths["apis/apps/v1"] == nil || paths["apis/"+sites.GroupVersion().String()] == nil {
		t.Errorf("OpenAPI v3 has %d paths, without apps/v1 or %s: %v", len(paths), sites.GroupVersion(), err)
	}
}
