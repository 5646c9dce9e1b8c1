package explain

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// lintCases are objects with the rule and path of each expected finding.
var lintCases = []struct{ why, object, want string }{
	{"no finding", configMap + "data: {a: b}", ""},
	{"two items of a keyed list with the same key", service + "spec: {ports: [{port: 80, protocol: TCP}, {port: 80, protocol: TCP}]}", "duplicate-item .spec.ports[1]"},
	{"two items of which one has its key by default", service + "spec: {ports: [{port: 80, protocol: TCP}, {port: 80}]}", "duplicate-item .spec.ports[1], defaulted-key .spec.ports[1]"},
	{"a set with a duplicate item", configMap[:len(configMap)-2] + ", finalizers: [example.com/a, example.com/a]}\n", "duplicate-item .metadata.finalizers[1]"},
	{"an item without its key", aDeployment + "spec: {template: {spec: {containers: [{image: a}]}}}", "missing-key .spec.template.spec.containers[0]"},
	{"a key with its default value", aDeployment + "spec: {template: {spec: {containers: [{name: a, ports: [{containerPort: 80}]}]}}}", "defaulted-key .spec.template.spec.containers[0].ports[0]"},
	{"TCP and UDP on one port", service + "spec: {ports: [{name: a, port: 53, protocol: TCP}, {name: b, port: 53, protocol: UDP}]}", "shared-merge-key .spec.ports[1]"},
	{"TCP and UDP on two ports", service + "spec: {ports: [{name: a, port: 53, protocol: TCP}, {name: b, port: 54, protocol: UDP}]}", ""},
	{"a field that the kind does not have", aDeployment + "spec: {replica: 1}", "unknown-field .spec.replica"},
	{"a value of the wrong type", aDeployment + "spec: {replicas: [1]}", "type .spec.replicas"},
	{"an object in the place of a scalar and of a list", service + "spec: {ports: [{port: 80, protocol: TCP, name: {a: null}}], externalIPs: {a: b}, type: {a: {b: c}}}", "null-value .spec.ports[0].name.a, unknown-field .spec.externalIPs.a, unknown-field .spec.ports[0].name.a, unknown-field .spec.type.a, type .spec.externalIPs, type .spec.ports[0].name, type .spec.type"},
	{"a list in the place of an object and of a scalar", aDeployment + "spec: {selector: [null], paused: [{a: b}]}", "null-value .spec.selector[0], unknown-field .spec.paused[0].a, type .spec.paused, type .spec.selector"},
	{"several values of the wrong type", aDeployment + "spec: {replicas: [1], paused: 1, minReadySeconds: a}", "type .spec.minReadySeconds, type .spec.paused, type .spec.replicas"},
	{"unknown fields beside a value of the wrong type", aDeployment + "spec: {replica: 1, paused: 1, template: {spec: {containrs: []}}}", "unknown-field .spec.replica, unknown-field .spec.template.spec.containrs, type .spec.paused"},
	{"a value of the wrong type beside an item without its key", aDeployment + "spec: {paused: 1, template: {spec: {containers: [{image: a}]}}}", "missing-key .spec.template.spec.containers[0], type .spec.paused"},
	{"a value of the wrong type in items of keyed lists, beside one that relies on a default", aDeployment + "spec: {template: {spec: {containers: [{name: b}, {name: a, ports: [{containerPort: 81}, {containerPort: 80, hostIP: 1, protocol: TCP}], env: [{name: A, value: 1}]}]}}}",
		"defaulted-key .spec.template.spec.containers[1].ports[0], type .spec.template.spec.containers[1].env[0].value, type .spec.template.spec.containers[1].ports[1].hostIP"},
	{"values that an apply finds only after others are correct", aDeployment + "spec: {replicas: x, template: {spec: {containers: [{name: a, resources: {limits: {cpu: x, memory: y}}}]}}}", "type .spec.replicas, type .spec.template.spec.containers[0].resources.limits.cpu, type .spec.template.spec.containers[0].resources.limits.memory"},
	{"values that an apply finds one by one, each the only one in an item of a list", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  maxReplicas: 3\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}\n  metrics: [{resource: {target: {averageValue: x}}}, {resource: {target: {averageValue: y}}}, {resource: {target: {averageValue: z}}}]\n",
		"type .spec.metrics[0].resource.target.averageValue, type .spec.metrics[1].resource.target.averageValue, type .spec.metrics[2].resource.target.averageValue"},
	{"numbers that do not fit their fields", aDeployment + "spec: {replicas: 4294967297, minReadySeconds: -2147483649, template: {spec: {terminationGracePeriodSeconds: 9223372036854775808, containers: [{name: a, ports: [{containerPort: 4294967376, protocol: TCP}]}]}}}", "integer-range .spec.minReadySeconds, integer-range .spec.replicas, integer-range .spec.template.spec.containers[0].ports[0].containerPort, integer-range .spec.template.spec.terminationGracePeriodSeconds"},
	{"a list that the API server drops, because it is no field of a schema", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {versions: [{schema: {openAPIV3Schema: {properties: {a: {items: {b: {x-kubernetes-validations: [{rule: c}]}}}}}}}]}", ""},
	{"a number that does not fit beside a value of the wrong type", aDeployment + "spec: {replicas: 3000000000, paused: 1}", "type .spec.paused, integer-range .spec.replicas"},
	{"the largest numbers that fit", aDeployment + "spec: {replicas: 2147483647, minReadySeconds: -2147483648, template: {spec: {terminationGracePeriodSeconds: 9223372036854775807}}}", ""},
	{"an annotation that is a number", configMap[:len(configMap)-2] + ", annotations: {a: 5}}\n", "type .metadata.annotations.a"},
	{"null", aDeployment + "spec: {replicas: null}", "null-value .spec.replicas"},
	{"null in a field of a custom resource, which an apply refuses", aWidget + "spec: {paused: null, size: null, labels: {a: null}, args: [null]}", "type .spec.args[0], type .spec.labels.a, type .spec.paused, type .spec.size"},
	{"null in a field with a default", aWidget + "spec: {replicas: null}", "null-value .spec.replicas"},
	{"null in a field that is nullable", aWidget + "spec: {note: null}", ""},
	{"null where the schema of a custom resource takes any value, as in the values of a HelmRelease", aGadget + "spec: {values: null, nested: {a: null, b: [{c: null}]}}", ""},
	{"a null creationTimestamp is ignored", configMap[:len(configMap)-2] + ", creationTimestamp: null}\n", ""},
	{"so is that of a template", aDeployment + "spec: {template: {metadata: {creationTimestamp: null}}}", ""},
	{"an empty map", configMap + "data: {}", "empty-value .data"},
	{"an empty list", aDeployment + "spec: {template: {spec: {tolerations: []}}}", "empty-value .spec.template.spec.tolerations"},
	{"an empty struct has a meaning", aDeployment + "spec: {template: {spec: {volumes: [{name: v, emptyDir: {}}]}}}", ""},
	{"an empty struct without fields has a meaning", definition + "subresources: {status: {}}}]}", ""},
	{"an empty value of a field that takes any value has a meaning", definition + "schema: {openAPIV3Schema: {type: object, properties: {a: {type: object, default: {}}, b: {type: array, default: []}}}}}]}", ""},
	{"an empty list in an object without a schema", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {a: [], b: {}}\n", ""},
	{"scalars that the API server does not store", aDeployment + "spec: {paused: false, minReadySeconds: 0, template: {spec: {hostNetwork: false, containers: [{name: a, tty: false, env: [{name: A, value: ''}], livenessProbe: {timeoutSeconds: 0}}]}}}",
		"unstored-value .spec.minReadySeconds, unstored-value .spec.paused, unstored-value .spec.template.spec.containers[0].env[0].value, unstored-value .spec.template.spec.containers[0].livenessProbe.timeoutSeconds, unstored-value .spec.template.spec.containers[0].tty, unstored-value .spec.template.spec.hostNetwork"},
	{"scalars that are stored: behind a pointer, of a required field, a number or a text, a quantity, in a map", aDeployment + "spec: {replicas: 0, template: {metadata: {labels: {a: ''}}, spec: {automountServiceAccountToken: false, containers: [{name: a, resources: {limits: {cpu: 0}}, livenessProbe: {httpGet: {port: 0}}}]}}}", ""},
	{"a scalar of a custom resource", aWidget + "spec: {size: 0, note: ''}", ""},
	{"a placeholder for a CA bundle", webhook + "  clientConfig: {url: 'https://x', caBundle: Cg==}\n", "empty-ca-bundle .webhooks[0].clientConfig.caBundle"},
	{"an empty CA bundle", webhook + "  clientConfig: {url: 'https://x', caBundle: ''}\n", "empty-ca-bundle .webhooks[0].clientConfig.caBundle"},
	{"a CA bundle", webhook + "  clientConfig: {url: 'https://x', caBundle: LS0tLQ==}\n", ""},
	{"no name", "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n", "no-name .metadata"},
	{"an exported object", configMap[:len(configMap)-2] + ", uid: u, resourceVersion: '5'}\n", "server-field .metadata.uid"},
	{"a status in a manifest", aDeployment + "status: {replicas: 3}", "reset-field .status"},
	{"texts of a Secret, which nobody owns once they are in data", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: b}\n", "string-data .stringData"},
	{"a field of a custom resource with that name", aGadget + "stringData: {a: b}", ""},
	{"annotations near their limit", configMap[:len(configMap)-2] + ", annotations: {a: " + strings.Repeat("x", 250000) + "}}\n", "annotations-size .metadata.annotations, last-applied-size "},
	{"annotations beyond their limit", configMap[:len(configMap)-2] + ", annotations: {a: " + strings.Repeat("x", 262144) + "}}\n", "annotations-size .metadata.annotations"},
	{"too large for client-side apply", configMap + "data: {a: " + strings.Repeat("x", 262144) + "}", "last-applied-size "},
	{"the largest data of a ConfigMap", configMap + "data: {a: " + strings.Repeat("x", 1<<20-3) + "}\nbinaryData: {b: eHh4}", "last-applied-size "},
	{"a ConfigMap whose data is too large", configMap + "data: {a: " + strings.Repeat("x", 1<<20-2) + "}\nbinaryData: {b: eHh4}", "data-size , last-applied-size "},
	{"the largest data of a Secret", aSecret + "data: {a: " + strings.Repeat("eHh4", 1<<20/3) + "eA==}\n", "last-applied-size , object-size "},
	{"a Secret whose data is too large", aSecret + "data: {a: " + strings.Repeat("eHh4", 1<<20/3) + "eHg=}\n", "data-size , last-applied-size , object-size "},
	{"near etcd's limit", configMap + "data: {a: " + strings.Repeat("x", 1300000) + "}", "data-size , last-applied-size , object-size "},
	{"the last-applied annotation in a manifest", configMap[:len(configMap)-2] + ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}\n", `last-applied .metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`},
	{"the last-applied annotation and another applying manager", liveMap + "  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}\n  managedFields:\n  - {manager: gitops, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}\n", `last-applied .metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`},
	{"a last-applied annotation that kubectl maintains", liveMap + "  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}\n  managedFields:\n  - {manager: kubectl, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}\n", ""},
	{"fields owned by before-first-apply", liveMap + "  managedFields:\n  - {manager: gitops, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}\n  - {manager: before-first-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}\n", "client-side-owner .metadata.managedFields"},
	{"an entry that cannot be read", configMap[:len(configMap)-2] + ", managedFields: [{manager: m}]}\n", "managed-fields .metadata.managedFields"},
	{"an entry in a removed version", liveMap + "  managedFields:\n  - {manager: m, operation: Update, apiVersion: v0, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}\n", "unknown-version .metadata.managedFields[0]"},
	{"ten updating managers", liveMap + "  managedFields:\n" + manyManagers(10), "managed-fields-cap .metadata.managedFields"},
	{"nine updating managers", liveMap + "  managedFields:\n" + manyManagers(9), ""},
	{"two owners of an atomic map", "apiVersion: v1\nkind: Service\nspec: {selector: {app: a}}\nmetadata:\n  name: a\n  managedFields:\n" + owning("one", "'f:spec': {'f:selector': {}}") + owning("two", "'f:spec': {'f:selector': {}}"), "shared-atomic .spec.selector"},
	{"two owners of an atomic map that is immutable", "apiVersion: apps/v1\nkind: Deployment\nspec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}], nodeSelector: {a: b}}}}\nmetadata:\n  name: a\n  managedFields:\n" +
		strings.ReplaceAll(owning("one", "'f:spec': {'f:selector': {}, 'f:template': {'f:spec': {'f:nodeSelector': {}}}}")+owning("two", "'f:spec': {'f:selector': {}, 'f:template': {'f:spec': {'f:nodeSelector': {}}}}"), "v1", "apps/v1"), "shared-atomic .spec.template.spec.nodeSelector"},
	{"two owners of an atomic list that a StatefulSet cannot change", "apiVersion: apps/v1\nkind: StatefulSet\nspec: {serviceName: a, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}, volumeClaimTemplates: [{metadata: {name: a}}]}\nmetadata:\n  name: a\n  managedFields:\n" +
		strings.ReplaceAll(owning("one", "'f:spec': {'f:volumeClaimTemplates': {}}")+owning("two", "'f:spec': {'f:volumeClaimTemplates': {}}"), "v1", "apps/v1"), ""},
	{"ports that differ only in their protocol, of a Pod that a ReplicaSet controls", "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: a, ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]}]}\nmetadata:\n  name: a\n  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: a, uid: u, controller: true}]\n  managedFields:\n" + owning("one", "'f:spec': {'f:nodeName': {}}"), ""},
	{"labels and annotations of charts that have none", configMap[:len(configMap)-2] + ", labels: {}, annotations: {}}\n", ""},
	{"two owners of the members of a map", liveMap + "  managedFields:\n" + owning("one", "'f:data': {'f:a': {}}") + owning("two", "'f:data': {'f:a': {}}"), ""},
	{"null in an object without a schema, which may take any value there", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {a: null}\n", ""},
	{"null in the metadata of an object without a schema", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a, labels: {b: null}}\n", "null-value .metadata.labels.b"},
	{"metadata of an object without a schema", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a, labels: {version: 1.10}, anotations: {a: b}}\nspec: {a: 1}\n", "unknown-field .metadata.anotations, type .metadata.labels.version"},
	{"a value that is not an object", "[1]", ""},
}

// TestLintDump checks that an object without owners is live among objects with managedFields.
func TestLintDump(t *testing.T) {
	registry := kinds(t)
	bare, owned := configMap[:len(configMap)-2]+", uid: u, resourceVersion: '5'}\n", liveMap+"  managedFields:\n"+owning("one", "'f:data': {'f:a': {}}")
	for why, c := range map[string]struct {
		objects []string
		want    int // findings of the first object
	}{
		"alone, it is a manifest with server fields": {[]string{bare}, 1},
		"in a dump, it is live":                      {[]string{bare, owned}, 0},
		"a manifest beside a live object":            {[]string{configMap + "data: {a: null}", owned}, 1},
	} {
		var values []document.Value
		for _, text := range c.objects {
			values = append(values, parsedYAML(t, text))
		}
		if found := Lint(registry, values...)[0]; len(found) != c.want {
			t.Errorf("%s: %v, want %d findings", why, found, c.want)
		}
	}
}

const (
	configMap   = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	service     = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
	aSecret     = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	aDeployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
	webhook     = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- name: a.example.com\n"
	definition  = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec: {versions: [{name: v1, "
	aWidget     = "apiVersion: lab.example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
	aGadget     = "apiVersion: lab.example.com/v1\nkind: Gadget\nmetadata: {name: a}\n"
	liveMap     = "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\nmetadata:\n  name: a\n"
)

func owning(manager, fields string) string {
	return fmt.Sprintf("  - {manager: %s, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {%s}}\n", manager, fields)
}

func manyManagers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(owning(fmt.Sprintf("m%d", i), "'f:data': {'f:a': {}}"))
	}
	return b.String()
}

func lintText(found []Finding) string {
	var got []string
	for _, f := range found {
		at := ""
		if len(f.Path) > 0 {
			at = f.Path.String()
		}
		got = append(got, f.Rule+" "+at)
	}
	return strings.Join(got, ", ")
}

func parsedYAML(t *testing.T, text string) document.Value {
	t.Helper()
	d, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d.Root
}

// TestLint has a case for each rule.
func TestLint(t *testing.T) {
	registry := kinds(t)
	seen := map[string]bool{LintUnknownKind: true, LintDuplicateKey: true, LintConvertedKey: true, LintRefused: true, LintAPIWarning: true, lintReplicas: true} // checked by callers and with several objects
	for _, c := range lintCases {
		found := Lint(registry, parsedYAML(t, c.object))[0]
		if got := lintText(found); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, got, c.want)
		}
		for _, f := range found {
			seen[f.Rule] = true
			if f.Remedy == "" || f.Message == "" || f.Severity == "" {
				t.Errorf("%s: %+v lacks something", c.why, f)
			}
		}
	}
	for _, r := range LintRules() {
		if !seen[r.ID] {
			t.Errorf("no case finds %s", r.ID)
		}
	}
}

// TestLintSeverity: a problem for which an apply is refused only sometimes is an error in
// that case only.
func TestLintSeverity(t *testing.T) {
	registry := kinds(t)
	for _, c := range []struct {
		why, object string
		want        Severity
	}{
		{"annotations near the limit", configMap[:len(configMap)-2] + ", annotations: {a: " + strings.Repeat("x", 250000) + "}}\n", LevelWarning},
		{"annotations beyond the limit", configMap[:len(configMap)-2] + ", annotations: {a: " + strings.Repeat("x", 262144) + "}}\n", LevelError},
		{"duplicates in a manifest", service + "spec: {ports: [{port: 80, protocol: TCP}, {port: 80, protocol: TCP}]}", LevelError},
		{"a removed version of a built-in kind", liveMap + "  managedFields:\n  - {manager: m, operation: Update, apiVersion: v0, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}\n", LevelWarning},
		{"a removed version of a custom resource", "apiVersion: lab.example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  managedFields:\n  - {manager: m, operation: Update, apiVersion: lab.example.com/v0, fieldsType: FieldsV1, fieldsV1: {'f:spec': {}}}\n", LevelError},
	} {
		found := Lint(registry, parsedYAML(t, c.object))[0]
		if len(found) == 0 || found[0].Severity != c.want {
			t.Errorf("%s: %+v, want %s", c.why, found, c.want)
		}
	}
}

// TestLintReplicas checks a workload against an autoscaler for its kind, name and
// namespace.
func TestLintReplicas(t *testing.T) {
	registry := kinds(t)
	workload := parsedYAML(t, aDeployment+"spec: {replicas: 3}")
	for _, c := range []struct {
		why, autoscaler string
		want            string
	}{
		{"the Deployment's autoscaler", "metadata: {name: h}\nspec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}\n", "autoscaled-replicas .spec.replicas"},
		{"another version of the group", "metadata: {name: h}\nspec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1beta1, kind: Deployment, name: a}}\n", "autoscaled-replicas .spec.replicas"},
		{"another name", "metadata: {name: h}\nspec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: b}}\n", ""},
		{"another namespace", "metadata: {name: h, namespace: x}\nspec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}\n", ""},
	} {
		autoscaler := parsedYAML(t, "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"+c.autoscaler)
		if got := lintText(Lint(registry, workload, autoscaler)[0]); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestLintRulesAreDocumented compares the rules with the table in doc/lint.md.
func TestLintRulesAreDocumented(t *testing.T) {
	const begin, end = "<!-- The rules, as explain.LintRules has them. -->\n", "<!-- End of the rules. -->"
	text, err := os.ReadFile("../doc/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), begin)
	shown, _, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("doc/lint.md lacks the marks around the rules")
	}
	var want strings.Builder
	for _, r := range LintRules() {
		fmt.Fprintf(&want, "\n### %s\n\n%s (%s). %s\n\n%s\n", r.ID, r.Title, r.Severity, r.Reason, r.Remedy)
	}
	want.WriteString("\n")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		text := strings.Replace(string(text), begin+shown+end, begin+want.String()+end, 1)
		if err := os.WriteFile("../doc/lint.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want.String() {
		t.Errorf("doc/lint.md shows\n%s\nwant\n%s", shown, want.String())
	}
}
