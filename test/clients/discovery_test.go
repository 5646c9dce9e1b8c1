package clients

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestDiscovery checks that plural, singular and short names resolve to their resource.
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
	if d, err := disco.OpenAPISchema(); err != nil || len(d.GetDefinitions().GetAdditionalProperties()) < 100 {
		t.Errorf("OpenAPI v2 has %d definitions, %v", len(d.GetDefinitions().GetAdditionalProperties()), err)
	}
	paths, err := disco.OpenAPIV3().Paths()
	if err != nil || paths["apis/apps/v1"] == nil || paths["apis/"+sites.GroupVersion().String()] == nil {
		t.Errorf("OpenAPI v3 has %d paths, without apps/v1 or %s: %v", len(paths), sites.GroupVersion(), err)
	}
}

// TestDryRunIsFoundInOpenAPI2 checks that the verifier of kubectl before version 1.27, which reads
// OpenAPI 2 in protobuf, finds the query parameters of patches: without them,
// 'kubectl apply --dry-run=server' and 'kubectl diff' refuse to send a request.
func TestDryRunIsFoundInOpenAPI2(t *testing.T) {
	cfg := testserver.Start(t, crdDir)
	disco, client := discovery.NewDiscoveryClientForConfigOrDie(cfg), dynamic.NewForConfigOrDie(cfg)
	for _, c := range []struct {
		parameter resource.VerifiableQueryParam
		kind      schema.GroupVersionKind
		supported bool
	}{
		{"dryRun", schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, true},
		{"fieldValidation", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, true},
		{"dryRun", sites.GroupVersion().WithKind("Site"), true},
		{"dryRun", schema.GroupVersionKind{Group: "authorization.k8s.io", Version: "v1", Kind: "SubjectAccessReview"}, false},
		{"noSuchParameter", schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, false},
	} {
		err := resource.NewQueryParamVerifier(client, disco, c.parameter).HasSupport(c.kind)
		if (err == nil) != c.supported {
			t.Errorf("%s of %s: %v, want support: %v", c.parameter, c.kind, err, c.supported)
		}
	}
}
