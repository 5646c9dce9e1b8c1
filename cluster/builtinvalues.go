package cluster

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// What fields of built-in kinds must hold: keys, numbers, and what may not be
// missing.

// valueCheck gathers what is wrong with one object.
type valueCheck struct {
	object document.Value
	causes []Cause
}

func (c *valueCheck) at(path string) document.Value {
	return c.object.Lookup(strings.Split(path, ".")...)
}

func (c *valueCheck) add(cause Cause) { c.causes = append(c.causes, cause) }

// atLeast judges numbers where they are given.
func (c *valueCheck) atLeast(least int64, paths ...string) {
	for _, path := range paths {
		if n, ok := c.at(path).Int(); ok && n < least {
			c.add(invalidValue(path, strconv.FormatInt(n, 10), "must be "+strconv.FormatInt(least, 10)+" or more"))
		}
	}
}

// oneOf judges texts where they are given.
func (c *valueCheck) oneOf(path string, known ...string) {
	c.causes = append(c.causes, oneOf(path, c.at(path), known...)...)
}

func oneOf(path string, v document.Value, known ...string) []Cause {
	if text, ok := v.Text(); ok && text != "" && !slices.Contains(known, text) {
		return []Cause{notSupported(path, strconv.Quote(text), slices.Clone(known)...)}
	}
	return nil
}

// given wants something that is not empty.
func (c *valueCheck) given(paths ...string) {
	for _, path := range paths {
		v := c.at(path)
		if text, ok := v.Text(); v.Kind() <= document.Null || ok && text == "" || v.Kind() >= document.List && v.Len() == 0 {
			c.add(required(path, ""))
		}
	}
}

// checkValues judges the values of a built-in object.
func checkValues(k *schema.Kind, object document.Value) []Cause {
	c := &valueCheck{object: object}
	switch k.Group + "/" + k.Kind {
	case "/ConfigMap":
		c.dataKeys("data", "binaryData")
	case "/Secret":
		c.dataKeys("data")
		c.secretType()
	case "/Service":
		c.servicePorts()
	case "/ReplicationController":
		c.given("spec.selector", "spec.template")
		c.atLeast(0, "spec.replicas", "spec.minReadySeconds")
	case "/PersistentVolumeClaim":
		c.given("spec.accessModes", "spec.resources.requests.storage")
	case "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet":
		c.given("spec.selector")
		c.atLeast(0, "spec.replicas", "spec.minReadySeconds", "spec.revisionHistoryLimit", "spec.progressDeadlineSeconds")
		c.oneOf("spec.strategy.type", "Recreate", "RollingUpdate")
		c.oneOf("spec.updateStrategy.type", "OnDelete", "RollingUpdate")
		c.oneOf("spec.podManagementPolicy", "OrderedReady", "Parallel")
		if policy := c.at("spec.template.spec.restartPolicy"); policy.StringOr("Always") != "Always" {
			c.add(notSupported("spec.template.spec.restartPolicy", policy.String(), "Always"))
		}
	case "autoscaling/HorizontalPodAutoscaler":
		c.autoscaler()
	case "batch/Job":
		c.atLeast(0, "spec.parallelism", "spec.completions", "spec.backoffLimit", "spec.activeDeadlineSeconds", "spec.ttlSecondsAfterFinished")
		c.oneOf("spec.completionMode", "Indexed", "NonIndexed")
	case "batch/CronJob":
		c.given("spec.schedule", "spec.jobTemplate.spec.template.spec.containers")
		c.oneOf("spec.concurrencyPolicy", "Allow", "Forbid", "Replace")
		c.atLeast(0, "spec.startingDeadlineSeconds", "spec.successfulJobsHistoryLimit", "spec.failedJobsHistoryLimit")
	case "coordination.k8s.io/Lease":
		c.atLeast(1, "spec.leaseDurationSeconds")
		c.atLeast(0, "spec.leaseTransitions")
	case "policy/PodDisruptionBudget":
		if c.at("spec.minAvailable").Exists() && c.at("spec.maxUnavailable").Exists() {
			c.add(invalidValue("spec", c.at("spec").String(), "minAvailable and maxUnavailable cannot be both set"))
		}
	case "rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding":
		c.given("roleRef.kind", "roleRef.name")
		c.oneOf("roleRef.kind", "ClusterRole", "Role")
		c.oneOf("roleRef.apiGroup", "rbac.authorization.k8s.io")
		c.subjects(k.Namespaced)
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole":
		c.rules(k.Kind == "Role")
	case "networking.k8s.io/Ingress":
		if c.at("spec.rules").Len() == 0 && !c.at("spec.defaultBackend").Exists() {
			c.add(invalidValue("spec", c.at("spec").String(), "either `defaultBackend` or `rules` must be specified"))
		}
	case "networking.k8s.io/NetworkPolicy":
		if policies := c.at("spec.policyTypes"); policies.Kind() == document.List {
			for i, p := range policies.Items() {
				c.causes = append(c.causes, oneOf("spec.policyTypes["+strconv.Itoa(i)+"]", p, "Egress", "Ingress")...)
			}
		}
	}
	return c.causes
}

// dataKeys judges the keys of a ConfigMap or Secret, of which each may stand in
// one map alone.
func (c *valueCheck) dataKeys(maps ...string) {
	const most = 253
	seen := map[string]bool{}
	for _, name := range maps {
		for key := range c.object.Get(name).Members() {
			switch {
			case seen[key]:
				c.add(invalidValue(name+"["+key+"]", strconv.Quote(key), "the key is there twice, in data and binaryData"))
			case key == "" || len(key) > most || key == "." || strings.HasPrefix(key, "..") || !isDataKey(key):
				c.add(invalidValue(name+"["+key+"]", strconv.Quote(key),
					"a key must consist of letters, digits, '-', '_' and '.', not begin with '..' nor be '.', and have no more than 253 characters"))
			}
			seen[key] = true
		}
	}
}

func isDataKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// secretType wants the keys that a type of Secret stands for.
func (c *valueCheck) secretType() {
	data := c.object.Get("data")
	key := func(name string) {
		if !data.Get(name).Exists() {
			c.add(required("data["+name+"]", ""))
		}
	}
	switch c.object.Get("type").StringOr("") {
	case "kubernetes.io/tls":
		key("tls.crt")
		key("tls.key")
	case "kubernetes.io/basic-auth":
		if !data.Get("username").Exists() && !data.Get("password").Exists() {
			c.add(required("data[username]", ""))
		}
	case "kubernetes.io/ssh-auth":
		key("ssh-privatekey")
	case "kubernetes.io/dockerconfigjson":
		c.jsonKey(".dockerconfigjson")
	case "kubernetes.io/dockercfg":
		c.jsonKey(".dockercfg")
	case "kubernetes.io/service-account-token":
		const account = "kubernetes.io/service-account.name"
		if c.object.Lookup("metadata", "annotations", account).StringOr("") == "" {
			c.add(required("metadata.annotations["+account+"]", ""))
		}
	}
}

// jsonKey wants a key whose content is a JSON object.
func (c *valueCheck) jsonKey(name string) {
	v := c.object.Get("data").Get(name)
	if !v.Exists() {
		c.add(required("data["+name+"]", ""))
		return
	}
	text, err := base64.StdEncoding.DecodeString(v.StringOr(""))
	if err == nil {
		var doc *document.Document
		if doc, err = document.Parse(text, document.Options{Duplicates: document.DuplicatesLast}); err == nil && doc.Root.Kind() == document.Object {
			return
		}
	}
	c.add(invalidValue("data["+name+"]", "<secret contents redacted>", "must hold a JSON object"))
}

// rules wants verbs, and resources with their groups or, beyond namespaces, paths.
func (c *valueCheck) rules(namespaced bool) {
	rules := c.object.Get("rules")
	if rules.Kind() != document.List {
		return
	}
	for i, rule := range rules.Items() {
		at := "rules[" + strconv.Itoa(i) + "]"
		if rule.Get("verbs").Len() == 0 {
			c.add(required(at+".verbs", "verbs must contain at least one value"))
		}
		resources, paths := rule.Get("resources").Len(), rule.Get("nonResourceURLs").Len()
		switch {
		case paths > 0 && namespaced:
			c.add(invalidValue(at+".nonResourceURLs", rule.Get("nonResourceURLs").String(), "namespaced rules cannot apply to non-resource URLs"))
		case paths > 0:
			if resources > 0 || rule.Get("apiGroups").Len() > 0 {
				c.add(invalidValue(at+".nonResourceURLs", rule.Get("nonResourceURLs").String(), "rules cannot apply to both regular resources and non-resource URLs"))
			}
		case resources == 0:
			c.add(required(at+".resources", "resource rules must supply at least one resource"))
		case rule.Get("apiGroups").Len() == 0:
			c.add(required(at+".apiGroups", "resource rules must supply at least one api group"))
		}
	}
}

// subjects wants a name and, where the binding has no namespace, one for service
// accounts.
func (c *valueCheck) subjects(namespaced bool) {
	subjects := c.object.Get("subjects")
	if subjects.Kind() != document.List {
		return
	}
	for i, s := range subjects.Items() {
		at := "subjects[" + strconv.Itoa(i) + "]."
		if s.Get("name").StringOr("") == "" {
			c.add(required(at+"name", ""))
		}
		group := "rbac.authorization.k8s.io"
		if s.Get("kind").StringOr("") == "ServiceAccount" {
			group = ""
			if !namespaced && s.Get("namespace").StringOr("") == "" {
				c.add(required(at+"namespace", ""))
			}
		}
		if got := s.Get("apiGroup").StringOr(""); got != group {
			c.add(notSupported(at+"apiGroup", strconv.Quote(got), group))
		}
	}
}

// servicePorts wants ports where there is an address to have them, each with a
// name where there are several.
func (c *valueCheck) servicePorts() {
	kind := c.at("spec.type").StringOr("")
	c.oneOf("spec.type", "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
	c.oneOf("spec.sessionAffinity", "ClientIP", "None")
	c.oneOf("spec.internalTrafficPolicy", "Cluster", "Local")
	switch {
	case kind == "ExternalName":
		c.given("spec.externalName")
	case kind != "" && kind != "ClusterIP" && c.at("spec.clusterIP").StringOr("") == "None":
		c.add(invalidValue("spec.clusterIPs[0]", `"None"`, "may not be set to 'None' for "+kind+" services"))
	}
	ports := c.at("spec.ports")
	if ports.Len() == 0 && kind != "ExternalName" && c.at("spec.clusterIP").StringOr("") != "None" {
		c.add(required("spec.ports", ""))
	}
	if ports.Kind() != document.List {
		return
	}
	seen := map[string]bool{}
	for i, port := range ports.Items() {
		at := "spec.ports[" + strconv.Itoa(i) + "]."
		name := port.Get("name").StringOr("")
		switch {
		case name == "" && ports.Len() > 1:
			c.add(required(at+"name", "each of several ports needs a name"))
		case name != "" && seen[name]:
			c.add(Cause{Type: causeDuplicate, Field: at + "name", Message: "Duplicate value: " + strconv.Quote(name)})
		}
		seen[name] = true
		c.causes = append(c.causes, portNumber(at+"port", port.Get("port"))...)
		c.causes = append(c.causes, oneOf(at+"protocol", port.Get("protocol"), "SCTP", "TCP", "UDP")...)
	}
}

func portNumber(path string, v document.Value) []Cause {
	if n, _ := v.Int(); n < 1 || n > 65535 {
		return []Cause{invalidValue(path, strconv.FormatInt(n, 10), "must be between 1 and 65535, inclusive")}
	}
	return nil
}

// autoscaler wants bounds in order and something to scale.
func (c *valueCheck) autoscaler() {
	c.given("spec.scaleTargetRef.kind", "spec.scaleTargetRef.name")
	c.atLeast(1, "spec.minReplicas")
	most, _ := c.at("spec.maxReplicas").Int()
	least, _ := c.at("spec.minReplicas").Int()
	switch {
	case most < 1:
		c.add(invalidValue("spec.maxReplicas", strconv.FormatInt(most, 10), "must be greater than 0"))
	case most < least:
		c.add(invalidValue("spec.maxReplicas", strconv.FormatInt(most, 10), "must be greater than or equal to `minReplicas`"))
	}
}

// checkContainers wants containers with names of their own and images.
func checkContainers(path string, spec document.Value) []Cause {
	var causes []Cause
	if spec.Get("containers").Len() == 0 {
		causes = append(causes, required(path+".containers", ""))
	}
	seen := map[string]bool{}
	for _, list := range [...]string{"initContainers", "containers"} {
		items := spec.Get(list)
		if items.Kind() != document.List {
			continue
		}
		for i, c := range items.Items() {
			at := path + "." + list + "[" + strconv.Itoa(i) + "]."
			name, image := c.Get("name").StringOr(""), c.Get("image").StringOr("")
			switch {
			case name == "":
				causes = append(causes, required(at+"name", ""))
			case seen[name]:
				causes = append(causes, Cause{Type: causeDuplicate, Field: at + "name", Message: "Duplicate value: " + strconv.Quote(name)})
			case dnsLabel(name) != "":
				causes = append(causes, invalidValue(at+"name", strconv.Quote(name), dnsLabel(name)))
			}
			seen[name] = true
			if image == "" {
				causes = append(causes, required(at+"image", ""))
			} else if path == "spec" && strings.TrimSpace(image) != image { // judged where pods are made, not in templates
				causes = append(causes, invalidValue(at+"image", strconv.Quote(image), "must not have leading or trailing whitespace"))
			}
			causes = append(causes, oneOf(at+"imagePullPolicy", c.Get("imagePullPolicy"), "Always", "IfNotPresent", "Never")...)
			causes = append(causes, checkMounts(at, c, spec)...)
			if ports := c.Get("ports"); ports.Kind() == document.List {
				for j, port := range ports.Items() {
					causes = append(causes, oneOf(at+"ports["+strconv.Itoa(j)+"].protocol", port.Get("protocol"), "SCTP", "TCP", "UDP")...)
					causes = append(causes, portNumber(at+"ports["+strconv.Itoa(j)+"].containerPort", port.Get("containerPort"))...)
				}
			}
		}
	}
	return causes
}

// checkMounts wants what a container mounts to be a volume of its pod, and names
// of variables.
func checkMounts(at string, container, spec document.Value) []Cause {
	var causes []Cause
	names := map[string]bool{}
	if volumes := spec.Get("volumes"); volumes.Kind() == document.List {
		for _, v := range volumes.Items() {
			names[v.Get("name").StringOr("")] = true
		}
	}
	if mounts := container.Get("volumeMounts"); mounts.Kind() == document.List {
		for i, m := range mounts.Items() {
			if name := m.Get("name").StringOr(""); !names[name] {
				causes = append(causes, Cause{Type: causeNotFound, Field: at + "volumeMounts[" + strconv.Itoa(i) + "].name", Message: "Not found: " + strconv.Quote(name)})
			}
		}
	}
	if env := container.Get("env"); env.Kind() == document.List {
		for i, e := range env.Items() {
			if e.Get("name").StringOr("") == "" {
				causes = append(causes, required(at+"env["+strconv.Itoa(i)+"].name", ""))
			}
		}
	}
	return causes
}
