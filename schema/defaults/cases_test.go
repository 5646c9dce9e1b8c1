package defaults

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A storedObject is an object and the result of decoding, defaulting and storing it in
// kube-apiserver. An empty Version is 1.36.3, or any version since which the rule has not
// changed.
type storedObject struct {
	Name, Version string
	Sent, Want    json.RawMessage
}

func storedObjects(t testing.TB) []storedObject {
	t.Helper()
	data, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []storedObject
	for s := bufio.NewScanner(strings.NewReader(string(data))); s.Scan(); {
		var f storedObject
		if err := json.Unmarshal(s.Bytes(), &f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// made decodes and defaults an object.
func made(t testing.TB, version string, sent document.Value, seen func(Filled)) (*schema.Kind, document.Value) {
	t.Helper()
	catalog, err := schema.Builtin(version)
	if err != nil {
		t.Fatal(err)
	}
	k, ok := kindOf(catalog, sent)
	if !ok {
		t.Fatalf("no kind %s %s in %s", sent.Get("apiVersion"), sent.Get("kind"), version)
	}
	r, err := For(version)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := Decode(k, sent, FromJSON)
	if err != nil {
		t.Fatal(err)
	}
	return k, r.Apply(k, v, Options{Now: noon, Observe: seen})
}

func TestCases(t *testing.T) {
	names := map[string]bool{}
	for _, f := range storedObjects(t) {
		if names[f.Name] {
			t.Errorf("the name %s is duplicated", f.Name)
		}
		names[f.Name] = true
		_, got := made(t, f.Version, parse(t, string(f.Sent)), nil)
		if want := parse(t, string(f.Want)); !document.Identical(got.Without("metadata"), want.Without("metadata")) {
			t.Errorf("%s: %s\n got %s\nwant %s", f.Name, f.Sent, got, want)
		}
	}
}

// TestDefaultingIsIdempotent: decoding and defaulting a decoded and defaulted object returns the same
// value, in every version.
func TestDefaultingIsIdempotent(t *testing.T) {
	all := creations(t)
	for i, version := range schema.Versions() {
		rules, err := For(version)
		if err != nil {
			t.Fatal(err)
		}
		catalog, err := schema.Builtin(version)
		if err != nil {
			t.Fatal(err)
		}
		for n := i; n < len(all); n += len(schema.Versions()) {
			c := all[n]
			k, ok := kindOf(catalog, c.sent)
			if !ok {
				continue
			}
			for _, from := range []Source{FromJSON, FromTree} {
				once, _, err := Decode(k, c.sent, from)
				if err != nil {
					t.Fatal(err)
				}
				filled := rules.Apply(k, once, Options{})
				again, problems, err := Decode(k, filled, from)
				if err != nil || len(problems) > 0 || !document.SameNode(again, filled) {
					t.Errorf("%s in %s: decoding again gives %s, %v, %v", c.name, version, again, problems, err)
				}
				if twice := rules.Apply(k, filled, Options{}); !document.SameNode(twice, filled) {
					t.Errorf("%s in %s: defaults again give %s", c.name, version, twice)
				}
			}
		}
	}
}

// everything has fields of feature gates that are off in some version.
var everything = []string{
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"spec":{
	"schedulingGroup":{"podGroupName":"g"},"workloadRef":{"name":"w","podGroup":"g"},"resources":{"limits":{"cpu":"1"}},"hostnameOverride":"h","hostUsers":false,
	"resourceClaims":[{"name":"c"}],"securityContext":{"supplementalGroupsPolicy":"Merge","seLinuxChangePolicy":"Recursive"},
	"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k","matchLabelKeys":["a"],"mismatchLabelKeys":["b"]}]}},
	"containers":[{"name":"a","lifecycle":{"stopSignal":"SIGINT"},"resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"}],
	"restartPolicy":"Never","restartPolicyRules":[{"action":"Restart"}],"env":[{"name":"e","valueFrom":{"fileKeyRef":{"key":"k","path":"p","volumeName":"v"}}}],
	"volumeMounts":[{"name":"m","mountPath":"/m","recursiveReadOnly":"Enabled"}],"securityContext":{"procMount":"Unmasked"},
	"resources":{"claims":[{"name":"c"}]}},{"name":"b","lifecycle":{"stopSignal":"SIGINT","preStop":{"exec":{"command":["x"]}}},"volumeMounts":[{"name":"i","mountPath":"/i"}]}],
	"initContainers":[{"name":"c","restartPolicy":"Never","volumeMounts":[{"name":"i","mountPath":"/i"}]}],
	"ephemeralContainers":[{"name":"d","restartPolicy":"Never","volumeMounts":[{"name":"i","mountPath":"/i"}]}],
	"volumes":[{"name":"i","image":{"reference":"r"}},{"name":"p","projected":{"sources":[{"clusterTrustBundle":{"path":"p"}},{"podCertificate":{"keyType":"ED25519","signerName":"s"}}]}}]},
	"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","observedGeneration":1}],"resources":{},"allocatedResources":{"cpu":"1"},"extendedResourceClaimStatus":{},"nodeAllocatableResourceClaimStatuses":[{"resourceClaimName":"c"}],
	"containerStatuses":[{"name":"a","allocatedResourcesStatus":[{"name":"cpu"}],"volumeMounts":[{"name":"m","mountPath":"/m","volumeStatus":{}}]}]}}`,
	`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"n"},"spec":{"volumeAttributesClassName":"c"}}`,
	`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"n","namespace":"n"},"spec":{"volumeAttributesClassName":"c"},
	"status":{"currentVolumeAttributesClassName":"c","modifyVolumeStatus":{"status":"Pending"},
	"allocatedResources":{"storage":"1Gi"},"allocatedResourceStatuses":{"storage":"NodeResizePending"}}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"n"},"spec":{"trafficDistribution":"PreferClose"}}`,
	`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"n"},"spec":{"versions":[{"name":"v1","selectableFields":[{"jsonPath":".spec.a"}]}]}}`,
	`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"n"},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"],"hints":{"forNodes":[{"name":"n"}]}}]}`,
	`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"configSource":{}},"status":{"config":{},"features":{"supplementalGroupsPolicy":true},"runtimeHandlers":[{"name":"r"}],"declaredFeatures":["f"]}}`,
	`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"n"},"status":{"terminatingReplicas":1}}`,
	`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"n"},"status":{"terminatingReplicas":1}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":"n"},"status":{"attachError":{"errorCode":1}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"n"},"spec":{"extendedResourceName":"example.com/r"}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"n"},"spec":{"sharedCounters":[{"name":"s"}],"perDeviceNodeSelection":true,"devices":[{"name":"d",
	"taints":[{"key":"k","effect":"NoSchedule"}],"consumesCounters":[{"counterSet":"s"}],"nodeName":"n","nodeSelector":{},"allNodes":true,
	"bindingConditions":["a"],"bindingFailureConditions":["b"],"bindsToNode":true,"allowMultipleAllocations":true,"capacity":{"c":{"requestPolicy":{}}}}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"n"},"spec":{"devices":{"constraints":[{"distinctAttribute":"a"}],
	"requests":[{"name":"a","exactly":{"capacity":{},"tolerations":[{"key":"k"}]}},{"name":"b","firstAvailable":[{"name":"s","capacity":{},"tolerations":[{"key":"k"}]}]}]}},
	"status":{"devices":[{"device":"d","shareID":"s"}],"allocation":{"allocationTimestamp":"2026-04-01T12:00:00Z",
	"devices":{"results":[{"request":"a","bindingConditions":["a"],"bindingFailureConditions":["b"],"shareID":"s","consumedCapacity":{"c":"1"}}]}}}}`,
	`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"n"},"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":1}}}}`,
	`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"n"},"spec":{"managedBy":"m","successPolicy":{"rules":[{"succeededCount":1}]}}}`,
	`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"n"},"spec":{"behavior":{"scaleUp":{"tolerance":"1"}}}}`,
	`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"n"},"spec":{"strategy":"s","preferredHolder":"h"}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"n"},"spec":{"preventPodSchedulingIfMissing":true,"nodeAllocatableUpdatePeriodSeconds":10}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"n"},"spec":{"devices":[{"name":"d","nodeAllocatableResourceMappings":{"cpu":{}},"attributes":{"a":{"bools":[true],"ints":[1],"strings":["s"],"versions":["1.0.0"]}}}]}}`,
	// Fields of 1.37.
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"spec":{"evictionResponders":[{"name":"example.com/r","priority":10000}],
	"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":80,"protocol":"HTTP1"}},"readinessProbe":{"grpc":{"port":80,"mode":"TLS"}},
	"volumeMounts":[{"name":"c","mountPath":"/c","bindMountOptions":["noexec"]}]}],
	"volumes":[{"name":"c","configMap":{"name":"x","defaultUser":1,"items":[{"key":"k","path":"p","user":1}]}},
	{"name":"s","secret":{"secretName":"x","defaultUser":1}},{"name":"d","downwardAPI":{"defaultUser":1,"items":[{"path":"p","user":1}]}},
	{"name":"e","emptyDir":{"mode":448}},{"name":"p","projected":{"defaultUser":1,"sources":[{"serviceAccountToken":{"path":"t","user":1}},
	{"clusterTrustBundle":{"path":"b","user":1}},{"podCertificate":{"keyType":"ED25519","signerName":"s","user":1}}]}}]},
	"status":{"volumeHealth":[{"name":"c"}]}}`,
	`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"n"},"status":{"healthStatus":{"lastTransitionTime":"2026-04-01T12:00:00Z"}}}`,
	`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"podPreemptionPolicy":{"disableResizePreemption":["Always"]}}}`,
	`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"n"},"spec":{"scheduling":{}}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n"},"status":{"storageHealth":[{"name":"d"}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"n"},"spec":{"skipNodeOperations":["Prepare"],"partitionTypeAttribute":"t",
	"devices":[{"name":"d","nodeAllocatableResources":{"cpu":{}},"consumesCounters":[{"counterSet":"x","compatibilityGroups":["g"]}]}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"n"},"spec":{"devices":{"requests":[{"name":"a","exactly":{"derivedAttributes":[{"name":"x","expression":"true"}]}},
	{"name":"b","firstAvailable":[{"name":"s","derivedAttributes":[{"name":"x","expression":"true"}]}]}]}},
	"status":{"allocation":{"devices":{"results":[{"request":"a","skipNodeOperations":["Prepare"]}]}}}}`,
}

// TestDisabledFeatures: fields of disabled features are dropped on create, and kept on
// update if the stored object has them; fields of enabled features are kept.
func TestDisabledFeatures(t *testing.T) {
	checked := map[*Rule]bool{}
	for _, version := range schema.Versions() {
		r, err := For(version)
		if err != nil {
			t.Fatal(err)
		}
		catalog, _ := schema.Builtin(version)
		for _, text := range everything {
			sent := parse(t, text)
			k, ok := kindOf(catalog, sent)
			if !ok {
				continue // resource.k8s.io/v1 is newer
			}
			v, _, err := Decode(k, sent, FromJSON)
			if err != nil {
				t.Fatal(err)
			}
			before, after := features(t, k, v), features(t, k, r.withoutDisabled(k, v, document.Value{}))
			for rule := range before {
				off := rule.Since <= r.minor && (rule.Until == 0 || r.minor <= rule.Until)
				if after[rule] == off {
					t.Errorf("%s: %s: the field of %s is there: %v", version, k.Kind, rule, after[rule])
				}
				checked[rule] = checked[rule] || off
			}
			if kept := r.withoutDisabled(k, v, v); !document.SameNode(kept, v) {
				t.Errorf("%s: %s: an update removes stored fields: %s", version, k.Kind, kept)
			}
		}
	}
	for _, rule := range rulesOf(t, true) {
		beta := rule.Type != "io.k8s.api.core.v1.EphemeralContainer" && rule.Type[:len("io.k8s.api.resource.v1.")] != "io.k8s.api.resource.v1b"
		if !checked[rule] && beta {
			t.Errorf("no object has the field of %s %s", rule.Type, rule)
		}
	}
}

func rulesOf(t testing.TB, off bool) []*Rule {
	t.Helper()
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	var rules []*Rule
	for _, r := range all {
		if (r.File == disabled) == off {
			rules = append(rules, r)
		}
	}
	return rules
}

// features returns the rules of all versions that drop a field of v.
func features(t testing.TB, k *schema.Kind, v document.Value) map[*Rule]bool {
	t.Helper()
	found := map[*Rule]bool{}
	for _, rule := range rulesOf(t, true) {
		set := ruleSet{byType: map[string][]*Rule{rule.Type: {rule}}}
		if p := set.plan(k.Type()); p != nil {
			f := filler{options: Options{Observe: func(Filled) { found[rule] = true }}}
			f.walk(p, v, document.Value{})
		}
	}
	return found
}
