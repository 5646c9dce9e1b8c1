// Command gencrd writes the CustomResourceDefinition of testdata/diagnoses, which is as
// large as those of operators that take a whole pod template: the schema of PodSpec as
// the built-in catalog has it, with a description for each field.
//
//	go run ./testdata/diagnoses/gencrd > testdata/diagnoses/custom-resource/crd.yaml
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func main() {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	pod, ok := catalog.Named("io.k8s.api.core.v1.PodSpec")
	if !ok {
		fmt.Fprintln(os.Stderr, "the catalog has no PodSpec")
		os.Exit(1)
	}
	os.Stdout.Write(definition(pod).YAML())
}

// outline is the definition without the schema of its Pod template, which is taken from the
// catalog.
const outline = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: monitors.telemetry.example.com
spec:
  group: telemetry.example.com
  scope: Namespaced
  names: {plural: monitors, singular: monitor, kind: Monitor, listKind: MonitorList, shortNames: [mon]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    schema:
      openAPIV3Schema:
        type: object
        description: Monitor runs a collector in pods of its own and tells it what to scrape.
        required: [spec]
        properties:
          apiVersion: {type: string, description: The version of the schema of this representation of an object.}
          kind: {type: string, description: The REST resource that this object represents.}
          metadata: {type: object}
          status:
            type: object
            properties:
              observedGeneration: {type: integer, format: int64}
              availableReplicas: {type: integer, format: int32}
          spec:
            type: object
            description: What the collector should do.
            properties:
              replicas: {type: integer, format: int32, minimum: 0, default: 1, description: The number of collectors to run.}
              retention: {type: string, pattern: '^(0|([0-9]+)(ms|s|m|h|d|w|y))$', default: 24h, description: How long samples are kept.}
              externalLabels: {type: object, additionalProperties: {type: string}, description: Labels to add to every sample.}
              endpoints:
                type: array
                description: The endpoints to scrape.
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: string, description: The name of the port.}
                    path: {type: string, default: /metrics, description: The path to ask.}
                    interval: {type: string, pattern: '^(0|([0-9]+)(ms|s|m|h|d|w|y))$', description: How often to ask.}
`

func definition(pod *schema.Type) document.Value {
	d, err := document.ParseYAML([]byte(outline), document.Options{})
	if err != nil {
		panic(err)
	}
	template := document.NewObject().With("type", document.NewString("object")).
		With("description", document.NewString("The pods of the collector.")).
		With("properties", document.NewObject().With("spec", openAPI(pod, "spec")))
	field := []string{"schema", "openAPIV3Schema", "properties", "spec", "properties", "template"}
	version := d.Root.Lookup("spec", "versions").At(0).Set(template, field...)
	return d.Root.Set(document.NewList(version), "spec", "versions")
}

// openAPI writes a type as a structural schema. name is the field's, for its description.
func openAPI(t *schema.Type, name string) document.Value {
	out := document.NewObject()
	set := func(key string, v document.Value) { out = out.With(key, v) }
	text := func(key, value string) { set(key, document.NewString(value)) }
	text("description", description(name))
	switch {
	case t.List != nil && t.Map != nil: // any value
		set("x-kubernetes-preserve-unknown-fields", document.NewBool(true))
	case t.Format == "quantity" || t.Scalar == schema.IntOrStringScalar:
		set("x-kubernetes-int-or-string", document.NewBool(true))
	case t.List != nil:
		text("type", "array")
		list(t.List, name, set)
	case t.Map != nil:
		text("type", "object")
		object(t.Map, set)
	case t.Scalar == schema.IntegerScalar:
		text("type", "integer")
		if t.Format != "" {
			text("format", t.Format)
		}
	case t.Scalar == schema.BooleanScalar:
		text("type", "boolean")
	case t.Scalar == schema.NumberScalar:
		text("type", "number")
	default:
		text("type", "string")
	}
	return out
}

func list(l *schema.ListType, name string, set func(string, document.Value)) {
	items := openAPI(l.Elem, "item of "+name)
	switch l.Kind {
	case schema.SetList:
		set("x-kubernetes-list-type", document.NewString("set"))
	case schema.KeyedList:
		set("x-kubernetes-list-type", document.NewString("map"))
		var keys, required document.ListBuilder
		for _, k := range l.Keys {
			keys.Append(document.NewString(k.Name))
			if k.Name == "protocol" { // the only key with a default
				items = items.Set(document.NewString("TCP"), "properties", k.Name, "default")
				continue
			}
			required.Append(document.NewString(k.Name))
		}
		set("x-kubernetes-list-map-keys", keys.List())
		items = items.With("required", required.List())
	default:
		set("x-kubernetes-list-type", document.NewString("atomic"))
	}
	set("items", items)
}

func object(m *schema.MapType, set func(string, document.Value)) {
	if m.Atomic {
		set("x-kubernetes-map-type", document.NewString("atomic"))
	}
	if len(m.Fields) == 0 {
		if m.Elem != nil {
			set("additionalProperties", openAPI(m.Elem, "value"))
		}
		return
	}
	properties := document.NewObject()
	for i := range m.Fields {
		properties = properties.With(m.Fields[i].Name, openAPI(m.Fields[i].Type, m.Fields[i].Name))
	}
	set("properties", properties)
}

// sentences describe fields as API documentation does, at its usual length.
var sentences = [...]string{
	"%s says how the pods are run in this respect; leave it out to have the API server's default for pods.",
	"%s is passed on to each pod as it is. A new value takes effect with the next rollout.",
	"%s is optional. Where it is set, it takes the place of what the operator would choose.",
	"%s has the meaning that it has in a pod.",
}

func description(name string) string {
	sum := 0
	for _, r := range name {
		sum += int(r)
	}
	return fmt.Sprintf(sentences[sum%len(sentences)], strings.ToUpper(name[:1])+name[1:])
}
