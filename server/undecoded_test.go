package server

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
)

// TestUnpatched sends strategic merge patches that cannot be applied. The messages are those of kube-apiserver v1.36.3;
// most are also in testdata/conformance/strategic.jsonl.gz.
func TestUnpatched(t *testing.T) {
	s := local(t, Options{})
	const deployments = "/apis/apps/v1/namespaces/n/deployments"
	body := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"t","finalizers":["x.io/a"]},"spec":{"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a","env":[{"name":"A","value":"1"}]}],
		"nodeSelector":{"a":"b"},"volumes":[{"name":"v","emptyDir":{}}]}}}}`
	if w := ask(s, "POST", deployments, body); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	inPod := func(spec string) string { return `{"spec":{"template":{"spec":{` + spec + `}}}}` }
	for _, c := range []struct {
		why, patch string
		code       int
		want       string
	}{
		{"an item without its merge key", inPod(`"volumes":[{"emptyDir":{}}]`), 500, "map: map[emptyDir:map[]] does not contain declared merge key: name"},
		{"a directive without the merge key", inPod(`"containers":[{"$patch":"delete"}]`), 500, "map: map[$patch:delete] does not contain declared merge key: name"},
		{"items of two kinds", inPod(`"containers":[{"name":"a","env":[null]}]`), 500, "list element types are not identical: [[map[name:A value:1]] [<nil>]]"},
		{"a directive that does not exist", inPod(`"nodeSelector":{"$patch":"remove"}`), 500, "unknown patch type: remove in map: map[$patch:remove]"},
		{"a directive that is a number", inPod(`"nodeSelector":{"$patch":5}`), 500, "unknown patch type: %!s(int64=5) in map: map[$patch:5]"},
		{"a directive that is null", inPod(`"nodeSelector":{"$patch":null}`), 500, "unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]"},
		{"a directive of an item that does not exist", inPod(`"containers":[{"name":"a","$patch":"remove"}]`), 500, "unknown patch type: remove in map: map[$patch:remove name:a]"},
		{"the directive merge in an item", inPod(`"containers":[{"name":"a","$patch":"merge"}]`), 500, "merging lists cannot yet be specified in the patch"},
		{"a field that is not in $retainKeys", inPod(`"volumes":[{"name":"v","$retainKeys":["name"],"emptyDir":{}}]`), 400, "invalid patch format of retainKeys"},
		{"$retainKeys that are no list", `{"spec":{"strategy":{"$retainKeys":"type"}}}`, 400, "invalid patch format of retainKeys"},
		{"another order than that of the directive", `{"metadata":{"$setElementOrder/finalizers":["x.io/b"],"finalizers":["x.io/c"]}}`, 500,
			"The order in patch list:\n[x.io/c]\n doesn't match $setElementOrder list:\n[x.io/b]\n"},
		{"an order of two empty lists", inPod(`"$setElementOrder/imagePullSecrets":[{"name":"a"}],"imagePullSecrets":[]`), 500, "no elements in any of the given slices"},
		{"an order that is no list", `{"metadata":{"$setElementOrder/finalizers":"x"}}`, 500, "expected a []interface {}, but received a string"},
		{"an order without a name", `{"metadata":{"$setElementOrder":["x"]}}`, 400, "invalid patch format of setElementOrder list"},
		{"a patch that is a list", `[]`, 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"},
	} {
		w := ask(s, "PATCH", deployments+"/t?dryRun=All", c.patch, "Content-Type", "application/strategic-merge-patch+json")
		if message := parsed(t, w.Body.String()).Get("message").StringOr(""); w.Code != c.code || message != c.want {
			t.Errorf("%s: %d %q\nwant %d %q", c.why, w.Code, message, c.code, c.want)
		}
	}
}

// TestUndecoded sends values that do not fit their field. The messages are those of kube-apiserver v1.36.3.
func TestUndecoded(t *testing.T) {
	s := local(t, Options{})
	const (
		deployments = "/apis/apps/v1/namespaces/n/deployments"
		definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		sent        = `"apiVersion":"apps/v1","kind":"Deployment"`
		merge       = "application/merge-patch+json"
		strategic   = "application/strategic-merge-patch+json"
		apply       = "application/apply-patch+yaml"
	)
	deployment := `{` + sent + `,"metadata":{"name":"t"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}}`
	definition := func(schema string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.x.io"},"spec":{"group":"x.io","names":{"kind":"A","plural":"as"},"scope":"Namespaced",
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}}]}}`
	}
	for _, body := range []string{deployment, definition(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)} {
		path := deployments
		if strings.Contains(body, "CustomResource") {
			path = definitions
		}
		if w := ask(s, "POST", path, body); w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	for _, c := range []struct {
		why, method, path, contentType, body string
		code                                 int
		want                                 string // the end of the message
	}{
		{"a string for a number", "POST", deployments, "", `{` + sent + `,"spec":{"replicas":"3"}}`, 400,
			`Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`},
		{"a number that is no integer", "POST", deployments, "", `{` + sent + `,"spec":{"replicas":1.5}}`, 400, `json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32`},
		{"a named type of Go", "POST", deployments, "", `{` + sent + `,"spec":{"strategy":{"type":1}}}`, 400, `json: cannot unmarshal number into Go struct field DeploymentStrategy.spec.strategy.type of type v1.DeploymentStrategyType`},
		{"an embedded struct", "POST", deployments, "", `{` + sent + `,"spec":{"template":{"spec":{"volumes":[{"name":"v","iscsi":{"iqn":1}}]}}}}`, 400,
			`json: cannot unmarshal number into Go struct field ISCSIVolumeSource.spec.template.spec.volumes.VolumeSource.iscsi.iqn of type string`},
		{"an element of a map", "POST", deployments, "", `{` + sent + `,"metadata":{"labels":{"a":1}}}`, 400, `json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string`},
		{"a list that is none", "POST", deployments, "", `{` + sent + `,"spec":{"template":{"spec":{"containers":[{"args":"x"}]}}}}`, 400, `json: cannot unmarshal string into Go struct field Container.spec.template.spec.containers.args of type []string`},
		{"a quantity", "POST", deployments, "", `{` + sent + `,"spec":{"template":{"spec":{"overhead":{"cpu":"1K"}}}}}`, 400, `: unable to parse quantity's suffix`},
		{"a time", "POST", deployments, "", `{` + sent + `,"metadata":{"creationTimestamp":"noon"}}`, 400, `: parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"`},
		{"a value that decodes itself is reported before an earlier field", "POST", deployments, "", `{` + sent + `,"spec":{"replicas":"3","template":{"spec":{"overhead":{"cpu":"x"}}}}}`, 400,
			`: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`},
		{"a number or a text", "POST", deployments, "", `{` + sent + `,"spec":{"strategy":{"rollingUpdate":{"maxSurge":{}}}}}`, 400,
			`json: cannot unmarshal object into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32`},
		{"bytes", "POST", "/api/v1/namespaces/n/secrets", "", `{"apiVersion":"v1","kind":"Secret","data":{"a":1}}`, 400, `json: cannot unmarshal number into Go struct field Secret.data of type []uint8`},
		{"a schema of a definition", "POST", definitions, "", definition(`{"properties":{"a":{"items":{"properties":{"b":{"maxLength":"x"}}}}}}`), 400,
			`json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.properties.maxLength of type int64`},
		{"a name in a schema's dependencies", "POST", definitions, "", definition(`{"dependencies":{"a":["b",5]}}`), 400,
			`json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string`},
		{"neither a schema nor a boolean", "POST", definitions, "", definition(`{"additionalProperties":5}`), 400, `cannot be handled as a CustomResourceDefinition: boolean or JSON schema expected`},
		{"a schema of items decodes itself, and is reported before an earlier field", "POST", definitions, "", definition(`{"format":7,"items":{"type":[]}}`), 400,
			`json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.type of type string`},
		{"so does one of additional properties", "POST", definitions, "", definition(`{"additionalItems":{"format":[]},"additionalProperties":{"type":[]}}`), 400,
			`json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.additionalItems.format of type string`},
		{"it is the first that does", "POST", definitions, "", definition(`{"properties":{"a":{"type":7},"b":{"items":{"type":[]}},"c":{"items":{"maxItems":"x"}}}}`), 400,
			`json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string`},
		{"within it, the first error is reported", "POST", definitions, "", definition(`{"items":{"maxItems":"x","type":[]}}`), 400,
			`json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.maxItems of type int64`},
		{"the metadata of a custom resource is decoded by itself", "POST", "/apis/x.io/v1/namespaces/n/as", "", `{"apiVersion":"x.io/v1","kind":"A","metadata":{"name":"a","ownerReferences":[{"controller":"x"}]}}`, 400,
			`A in version "v1" cannot be handled as a A: json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool`},
		{"metadata that is none", "POST", "/apis/x.io/v1/namespaces/n/as", "", `{"apiVersion":"x.io/v1","kind":"A","metadata":"x"}`, 400, `json: cannot unmarshal string into Go value of type v1.ObjectMeta`},
		{"an annotation that is a number", "POST", "/apis/apps/v1/namespaces/n/daemonsets", "", `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"annotations":{"deprecated.daemonset.template.generation":"x"}}}`, 400,
			`DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "x": invalid syntax`},
		{"the options of a deletion", "DELETE", deployments + "/t", "", `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":5}}`, 400, `json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID`},

		{"a merge patch", "PATCH", deployments + "/t", merge, `{"spec":{"paused":1}}`, 422, `json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool`},
		{"a JSON patch", "PATCH", deployments + "/t", "application/json-patch+json", `[{"op":"replace","path":"/spec/replicas","value":"x"}]`, 422,
			`json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`},
		{"a strategic merge patch", "PATCH", deployments + "/t", strategic, `{"spec":{"replicas":"3"}}`, 422, `patch: Invalid value: "map[spec:map[replicas:3]]": unrecognized type: int32`},
		{"an integer that Go can convert", "PATCH", deployments + "/t", strategic, `{"spec":{"strategy":{"type":1}}}`, 422, `patch: Invalid value: "map[spec:map[strategy:map[type:1]]]": cannot convert int64 to v1.DeploymentStrategyType`},
		{"a struct", "PATCH", deployments + "/t", strategic, `{"spec":{"selector":"x"}}`, 422, `: cannot restore struct from: string`},
		{"a list", "PATCH", deployments + "/t", strategic, `{"spec":{"template":{"spec":{"containers":[{"name":"a","args":"x"}]}}}}`, 422, `: cannot restore slice from string`},
		{"a value that decodes itself in a strategic merge patch", "PATCH", deployments + "/t", strategic, `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1.5}}}}`, 422, `: json: cannot unmarshal number 1.5 into Go value of type int32`},
		{"an apply", "PATCH", deployments + "/t?fieldManager=m", apply, `{` + sent + `,"metadata":{"name":"t","creationTimestamp":"noon"}}`, 500,
			`failed to convert new object (/t; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"`},
	} {
		w := ask(s, c.method, c.path, c.body, "Content-Type", cmp.Or(c.contentType, "application/json"))
		message := parsed(t, w.Body.String()).Get("message").StringOr("")
		if w.Code != c.code || !strings.HasSuffix(message, c.want) {
			t.Errorf("%s: %d %s\nwant %d …%s", c.why, w.Code, message, c.code, c.want)
		}
	}
}
