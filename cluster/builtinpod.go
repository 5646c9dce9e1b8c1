package cluster

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
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
func (c *check) unique(at *way, named document.Value, seen map[string]bool) {
	name := named.Get("name").StringOr("")
	switch why := names.DNSLabel(name); {
	case name == "":
		c.add(required(at.to("name").String(), ""))
	case seen[name]:
		c.add(Cause{Type: causeDuplicate, Field: at.to("name").String(), Message: "Duplicate value: " + strconv.Quote(name)})
	case why != "":
		c.add(invalidValue(at.to("name").String(), strconv.Quote(name), why))
	}
	seen[name] = true
}

// members counts which of the members are there, and names the second.
func members(v document.Value, keys string) (n int, second string) {
	for i := range v.Len() {
		if key := v.Key(i); !v.At(i).IsNull() && among(key, keys) {
			if n++; n == 2 {
				second = key
			}
		}
	}
	return n, second
}

// checkPodSpec validates the pod spec at path. claims are the volumeClaimTemplates
// of a StatefulSet: its controller adds a volume for each to the pods, in place of
// one of the same name, so that containers may mount them.
func checkPodSpec(path string, spec, claims document.Value) []Cause {
	c := &check{}
	at := (*way)(nil).to(path)
	c.judge(at, spec, specRules)
	volumes, names := map[string]bool{}, map[string]bool{}
	for i, v := range spec.Get("volumes").Items() {
		at := at.item("volumes", i)
		c.unique(at, v, volumes)
		c.judge(at, v, volumeRules)
		if second := secondSource(v); second != "" {
			c.add(forbidden(at.to(second).String(), "may not specify more than 1 volume type"))
		}
	}
	for _, claim := range claims.Items() {
		if name := claim.Lookup("metadata", "name").StringOr(""); name != "" {
			volumes[name] = true
		}
	}
	if spec.Get("containers").Len() == 0 {
		c.add(required(at.to("containers").String(), ""))
	}
	for _, list := range [...]string{"containers", "initContainers"} {
		for i, container := range spec.Get(list).Items() {
			at := at.item(list, i)
			c.unique(at, container, names)
			c.judge(at, container, containerRules)
			image := container.Get("image").StringOr("")
			if path == "spec" && strings.TrimSpace(image) != image { // judged where pods are made, not in templates
				c.add(invalidValue(at.to("image").String(), strconv.Quote(image), "must not have leading or trailing whitespace"))
			}
			c.mounts(at, container, volumes)
			c.environment(at, container)
			c.resources(at, container.Get("resources"))
			c.probes(at, container, list == "initContainers" && container.Get("restartPolicy").StringOr("") != "Always")
		}
	}
	return c.causes
}

// secondSource names a volume's second source, "" where it has one at most.
func secondSource(volume document.Value) string {
	sources := 0
	for i := range volume.Len() {
		if key := volume.Key(i); key != "name" && !volume.At(i).IsNull() {
			if sources++; sources > 1 {
				return key
			}
		}
	}
	return ""
}

// mounts wants what a container mounts to be a volume of its pod, each in a place
// of its own.
func (c *check) mounts(at *way, container document.Value, volumes map[string]bool) {
	places := map[string]bool{}
	for i, m := range container.Get("volumeMounts").Items() {
		if name := m.Get("name").StringOr(""); !volumes[name] {
			c.add(Cause{Type: causeNotFound, Field: at.item("volumeMounts", i).to("name").String(), Message: "Not found: " + strconv.Quote(name)})
		}
		place := m.Get("mountPath").StringOr("")
		if places[place] && place != "" {
			c.add(invalidValue(at.item("volumeMounts", i).to("mountPath").String(), strconv.Quote(place), "must be unique"))
		}
		places[place] = true
	}
}

// environment wants one source for each variable that is not given.
func (c *check) environment(at *way, container document.Value) {
	for i, e := range container.Get("env").Items() {
		from := e.Get("valueFrom")
		if from.Kind() != document.Object {
			continue
		}
		if n, _ := members(from, "fieldRef,resourceFieldRef,configMapKeyRef,secretKeyRef,fileKeyRef"); n != 1 || e.Get("value").StringOr("") != "" {
			c.add(invalidValue(at.item("env", i).to("valueFrom").String(), from.String(), "must have one source, and none beside a value"))
		}
	}
	for _, e := range container.Get("envFrom").Items() {
		if n, _ := members(e, "configMapRef,secretRef"); n != 1 { // the API server leaves the index out
			c.add(invalidValue(at.to("envFrom").String(), e.String(), "must have one of `configMapRef` and `secretRef`"))
		}
	}
}

// probes judges how a container is probed and hooked; one that has to end may be
// neither.
func (c *check) probes(at *way, container document.Value, ends bool) {
	for _, key := range [...]string{"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"} {
		p := container.Get(key)
		if p.Kind() != document.Object {
			continue
		}
		at := at.to(key)
		switch {
		case ends:
			c.add(forbidden(at.String(), "may not be set for init containers without restartPolicy=Always"))
		case key == "lifecycle":
			c.handler(at.to("postStart"), p.Get("postStart"))
			c.handler(at.to("preStop"), p.Get("preStop"))
		default:
			c.handler(at, p)
			if n, _ := p.Get("successThreshold").Int(); n > 1 && key != "readinessProbe" {
				c.add(invalidValue(at.to("successThreshold").String(), strconv.FormatInt(n, 10), "must be 1"))
			}
		}
	}
}

// handler wants one way to probe or hook a container.
func (c *check) handler(at *way, p document.Value) {
	n, second := members(p, handlers)
	switch {
	case p.Kind() != document.Object:
		return
	case n == 0:
		c.add(required(at.String(), "must specify a handler type"))
	case n > 1:
		c.add(forbidden(at.to(second).String(), "may not specify more than 1 handler type"))
		return
	}
	c.judge(at, p, probeRules)
}

// resources wants amounts of known resources, and requests within limits.
func (c *check) resources(at *way, r document.Value) {
	limits, requests := r.Get("limits"), r.Get("requests")
	for _, list := range [...]string{"limits", "requests"} {
		amounts := r.Get(list)
		for i := range amounts.Len() {
			c.amount(at, list, amounts.Key(i), amounts.At(i))
		}
	}
	for i := range min(requests.Len(), requests.Len()*limits.Len()) {
		name := requests.Key(i)
		request, wrong := quantity.Parse(requests.At(i).StringOr(""))
		limit, unlimited := quantity.Parse(limits.Get(name).StringOr(""))
		if wrong == nil && unlimited == nil && request.Cmp(limit) > 0 {
			c.add(invalidValue(at.to("resources.requests").String(), strconv.Quote(request.String()), "must be less than or equal to "+name+" limit of "+limit.String()))
		}
	}
}

// amount judges an amount of a resource.
func (c *check) amount(at *way, list, name string, v document.Value) {
	wrong := func(value, why string) {
		c.add(invalidValue(at.to("resources."+list).String()+"["+name+"]", strconv.Quote(value), why))
	}
	amount := v.StringOr("")
	switch {
	case strings.HasPrefix(amount, "-"):
		wrong(amount, "must be greater than or equal to 0")
	case name != "cpu" && name != "memory" && name != "ephemeral-storage" && !strings.HasPrefix(name, "hugepages-") && !strings.Contains(name, "/"):
		wrong(name, "must be a standard resource for containers or fully qualified")
	}
}
