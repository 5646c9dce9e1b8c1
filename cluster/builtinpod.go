package cluster

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/quantity"
)

// Rules for pods and templates of pods (k8s.io/kubernetes/pkg/apis/core/validation,
// ValidatePodSpec). Most stand in tables, which weigh less in a page than code:
// a line is a path, what the part there has to be, and what belongs to that. A part
// that is missing is wrong only where it is required and what it is a part of is there.

const specRules = `restartPolicy one Always,Never,OnFailure
dnsPolicy one ClusterFirst,ClusterFirstWithHostNet,Default,None
activeDeadlineSeconds range 1
nodeName subdomain
serviceAccountName subdomain
priorityClassName subdomain
hostname label
subdomain label
securityContext.runAsUser range 0
securityContext.runAsGroup range 0
securityContext.fsGroup range 0
tolerations[].key qualified
tolerations[].operator one Equal,Exists
tolerations[].effect one NoExecute,NoSchedule,PreferNoSchedule
topologySpreadConstraints[].maxSkew range 1
topologySpreadConstraints[].topologyKey required
topologySpreadConstraints[].whenUnsatisfiable one DoNotSchedule,ScheduleAnyway
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms required
affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight range 1,100
affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].topologyKey required
affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight range 1,100
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].topologyKey required
affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight range 1,100`

const volumeRules = `hostPath.path required
hostPath.type one BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket
secret.secretName required
secret.defaultMode range 0,511
secret.items[].key required
secret.items[].path required
configMap.name required
configMap.defaultMode range 0,511
configMap.items[].key required
configMap.items[].path required
persistentVolumeClaim.claimName required
nfs.server required
nfs.path required
csi.driver required`

const containerRules = `image required
imagePullPolicy one Always,IfNotPresent,Never
terminationMessagePolicy one FallbackToLogsOnError,File
securityContext.runAsUser range 0
securityContext.runAsGroup range 0
ports[].name port
ports[].protocol one SCTP,TCP,UDP
ports[].containerPort number
ports[].hostPort range 0,65535
env[].name required
env[].name variable
env[].valueFrom.configMapKeyRef.key required
env[].valueFrom.secretKeyRef.key required
env[].valueFrom.fieldRef.fieldPath required
envFrom[].configMapRef.name required
envFrom[].secretRef.name required
volumeMounts[].name required
volumeMounts[].mountPath required`

const probeRules = `exec.command required
httpGet.port port
httpGet.scheme one HTTP,HTTPS
tcpSocket.port port
grpc.port range 1,65535
initialDelaySeconds range 0
timeoutSeconds range 0
periodSeconds range 0
failureThreshold range 0`

// handlers are the ways to probe or hook a container.
const handlers = "exec,httpGet,tcpSocket,grpc,sleep"

// unique wants a name that none of those seen is.
func (c *check) unique(at string, v document.Value, seen map[string]bool) {
	name := v.StringOr("")
	switch why := dnsLabel(name); {
	case name == "":
		c.add(required(at, ""))
	case seen[name]:
		c.add(Cause{Type: causeDuplicate, Field: at, Message: "Duplicate value: " + strconv.Quote(name)})
	case why != "":
		c.add(invalidValue(at, strconv.Quote(name), why))
	}
	seen[name] = true
}

// members counts which of the members are there, and names the second.
func members(v document.Value, keys string) (n int, second string) {
	for key, member := range v.Members() {
		if !member.IsNull() && slices.Contains(strings.Split(keys, ","), key) {
			if n++; n == 2 {
				second = key
			}
		}
	}
	return n, second
}

func checkPodSpec(path string, spec document.Value) []Cause {
	c := &check{}
	c.judge(path, spec, specRules)
	volumes, names := map[string]bool{}, map[string]bool{}
	for i, v := range spec.Get("volumes").Items() {
		at := path + ".volumes[" + strconv.Itoa(i) + "]"
		c.unique(at+".name", v.Get("name"), volumes)
		c.judge(at, v, volumeRules)
		if second := secondSource(v); second != "" {
			c.add(forbidden(at+"."+second, "may not specify more than 1 volume type"))
		}
	}
	if spec.Get("containers").Len() == 0 {
		c.add(required(path+".containers", ""))
	}
	for _, list := range [...]string{"containers", "initContainers"} {
		for i, container := range spec.Get(list).Items() {
			at := path + "." + list + "[" + strconv.Itoa(i) + "]"
			c.unique(at+".name", container.Get("name"), names)
			c.judge(at, container, containerRules)
			image := container.Get("image").StringOr("")
			if path == "spec" && strings.TrimSpace(image) != image { // judged where pods are made, not in templates
				c.add(invalidValue(at+".image", strconv.Quote(image), "must not have leading or trailing whitespace"))
			}
			c.mounts(at, container, volumes)
			c.environment(at, container)
			c.resources(at+".resources", container.Get("resources"))
			c.probes(at, container, list == "initContainers" && container.Get("restartPolicy").StringOr("") != "Always")
		}
	}
	return c.causes
}

// secondSource names a volume's second source, "" where it has one at most.
func secondSource(volume document.Value) string {
	sources := 0
	for key, v := range volume.Members() {
		if key == "name" || v.IsNull() {
			continue
		}
		if sources++; sources > 1 {
			return key
		}
	}
	return ""
}

// mounts wants what a container mounts to be a volume of its pod, each in a place
// of its own.
func (c *check) mounts(at string, container document.Value, volumes map[string]bool) {
	places := map[string]bool{}
	for i, m := range container.Get("volumeMounts").Items() {
		at := at + ".volumeMounts[" + strconv.Itoa(i) + "]"
		if name := m.Get("name").StringOr(""); !volumes[name] {
			c.add(Cause{Type: causeNotFound, Field: at + ".name", Message: "Not found: " + strconv.Quote(name)})
		}
		place := m.Get("mountPath").StringOr("")
		if places[place] && place != "" {
			c.add(invalidValue(at+".mountPath", strconv.Quote(place), "must be unique"))
		}
		places[place] = true
	}
}

// environment wants one source for each variable that is not given.
func (c *check) environment(at string, container document.Value) {
	for i, e := range container.Get("env").Items() {
		from := e.Get("valueFrom")
		n, _ := members(from, "fieldRef,resourceFieldRef,configMapKeyRef,secretKeyRef,fileKeyRef")
		if from.Kind() == document.Object && (n != 1 || e.Get("value").StringOr("") != "") {
			c.add(invalidValue(at+".env["+strconv.Itoa(i)+"].valueFrom", from.String(), "must have one source, and none beside a value"))
		}
	}
	for _, e := range container.Get("envFrom").Items() {
		if n, _ := members(e, "configMapRef,secretRef"); n != 1 { // the API server leaves the index out
			c.add(invalidValue(at+".envFrom", e.String(), "must have one of `configMapRef` and `secretRef`"))
		}
	}
}

// probes judges how a container is probed and hooked; one that has to end may be
// neither.
func (c *check) probes(at string, container document.Value, ends bool) {
	for _, key := range [...]string{"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"} {
		p, at := container.Get(key), at+"."+key
		switch {
		case p.Kind() != document.Object:
		case ends:
			c.add(forbidden(at, "may not be set for init containers without restartPolicy=Always"))
		case key == "lifecycle":
			c.handler(at+".postStart", p.Get("postStart"))
			c.handler(at+".preStop", p.Get("preStop"))
		default:
			c.handler(at, p)
			if n, _ := p.Get("successThreshold").Int(); n > 1 && key != "readinessProbe" {
				c.add(invalidValue(at+".successThreshold", strconv.FormatInt(n, 10), "must be 1"))
			}
		}
	}
}

// handler wants one way to probe or hook a container.
func (c *check) handler(at string, p document.Value) {
	n, second := members(p, handlers)
	switch {
	case p.Kind() != document.Object:
		return
	case n == 0:
		c.add(required(at, "must specify a handler type"))
	case n > 1:
		c.add(forbidden(at+"."+second, "may not specify more than 1 handler type"))
		return
	}
	c.judge(at, p, probeRules)
}

// resources wants amounts of known resources, and requests within limits.
func (c *check) resources(at string, r document.Value) {
	limits := c.amounts(at+".limits", r.Get("limits"))
	requests := c.amounts(at+".requests", r.Get("requests"))
	for name := range r.Get("requests").Members() {
		request, right := requests[name]
		limit, limited := limits[name]
		if right && limited && request.Cmp(limit) > 0 {
			c.add(invalidValue(at+".requests", strconv.Quote(request.String()), "must be less than or equal to "+name+" limit of "+limit.String()))
		}
	}
}

// amounts judges amounts of resources and returns those that are right.
func (c *check) amounts(at string, v document.Value) map[string]quantity.Quantity {
	right := map[string]quantity.Quantity{}
	for name, amount := range v.Members() {
		switch q, err := quantity.Parse(amount.StringOr("")); {
		case err != nil:
		case q.Cmp(quantity.Quantity{}) < 0:
			c.add(invalidValue(at+"["+name+"]", amount.String(), "must be greater than or equal to 0"))
		case name != "cpu" && name != "memory" && name != "ephemeral-storage" && !strings.HasPrefix(name, "hugepages-") && !strings.Contains(name, "/"):
			c.add(invalidValue(at+"["+name+"]", strconv.Quote(name), "must be a standard resource for containers or fully qualified"))
		default:
			right[name] = q
		}
	}
	return right
}
