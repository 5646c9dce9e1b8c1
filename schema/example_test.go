package schema_test

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// The catalog has the merge strategy of each field: the containers of a Deployment merge by
// name.
func ExampleBuiltin() {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		panic(err)
	}
	deployment, _ := catalog.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	podSpec := deployment.Type().Map.Field("spec").Type.Map.Field("template").Type.Map.Field("spec").Type
	containers := podSpec.Map.Field("containers")
	fmt.Println(deployment.Resource, deployment.ShortNames)
	fmt.Println(containers.Type.List.Kind == schema.KeyedList, containers.Type.List.Keys[0].Name, containers.MergeKey)
	// Output:
	// deployments [deploy]
	// true name name
}

func ExampleFromCRD() {
	doc, err := document.ParseYAML([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {colour: {type: string, default: white}}}
`), document.Options{})
	if err != nil {
		panic(err)
	}
	crd, err := schema.FromCRD(doc.Root)
	if err != nil {
		panic(err)
	}
	kinds := schema.NewRegistry(nil)
	kinds.AddCRD(crd)
	lamp, _ := kinds.Resource("example.com", "v1", "lamps")
	fmt.Println(lamp)
	fmt.Println(lamp.Type().Map.Field("spec").Type.Map.Field("colour").Default)
	// Output:
	// example.com/v1, Kind=Lamp
	// "white"
}

// The error for a schema that is not structural has the path of the violation.
func ExampleInvalidCRD() {
	doc, err := document.ParseYAML([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {}}}}}
`), document.Options{})
	if err != nil {
		panic(err)
	}
	_, err = schema.FromCRD(doc.Root)
	fmt.Println(err)
	// Output:
	// invalid CustomResourceDefinition "lamps.example.com": spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields
}

func ExampleNearest() {
	known := func(yield func(string) bool) {
		for _, name := range []string{"replicas", "selector", "template"} {
			if !yield(name) {
				return
			}
		}
	}
	fmt.Println(schema.Nearest("replcias", known))
	// Output:
	// replicas
}

// Without a catalog or the definition, the kinds come from the documents of a cluster.
func ExampleFromOpenAPI() {
	doc, err := document.ParseYAML([]byte(`
openapi: 3.0.0
paths:
  /apis/example.com/v1/namespaces/{namespace}/lamps/{name}:
    get:
      x-kubernetes-action: get
      x-kubernetes-group-version-kind: {group: example.com, version: v1, kind: Lamp}
components:
  schemas:
    com.example.v1.Lamp:
      type: object
      properties:
        apiVersion: {type: string}
        kind: {type: string}
        metadata: {type: object}
        bulbs:
          type: array
          x-kubernetes-list-type: map
          x-kubernetes-list-map-keys: [socket]
          items: {type: object, properties: {socket: {type: integer}, watts: {type: integer}}}
      x-kubernetes-group-version-kind:
      - {group: example.com, version: v1, kind: Lamp}
`), document.Options{})
	if err != nil {
		panic(err)
	}
	kinds, err := schema.FromOpenAPI(doc.Root)
	if err != nil {
		panic(err)
	}
	for _, k := range kinds {
		fmt.Println(k, k.Resource, k.Namespaced, k.Type().Map.Field("bulbs").Type.List.Keys[0].Name)
	}
	// Output: example.com/v1, Kind=Lamp lamps true socket
}
