package controllers

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// The configuration of API Priority and Fairness has no effect here, but every cluster has it, and
// kube-apiserver keeps the status of FlowSchemas.

// Names in flowcontrol.apiserver.k8s.io/v1.
const (
	flowGroup      = "flowcontrol.apiserver.k8s.io"
	flowSchemas    = "flowschemas"
	priorityLevels = "prioritylevelconfigurations"
	// autoUpdate is the annotation of objects whose spec kube-apiserver keeps.
	autoUpdate = "apf.kubernetes.io/autoupdate-spec"
	// The field managers of the parts of kube-apiserver that write the objects and their status.
	flowProducer = "api-priority-and-fairness-config-producer-v1"
	flowConsumer = "api-priority-and-fairness-config-consumer-v1"
)

// A flowObject is an object of the configuration with which kube-apiserver starts.
type flowObject struct {
	resource, name, spec string
	owned                string // the fields of the spec in managedFields
	level                string // the priority level of a FlowSchema
	// mandatory is true if clients cannot take over the object.
	mandatory bool
}

// flowConfiguration returns these objects in the order in which kube-apiserver creates them
// (k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap).
func flowConfiguration() []flowObject {
	const (
		resources  = `"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,"namespaces":["*"]}]`
		everything = resources + `,"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]`
		leases     = `"apiGroups":["coordination.k8s.io"],"resources":["leases"],"namespaces":["*"]`
		accounts   = `{"kind":"ServiceAccount","serviceAccount":{"namespace":"kube-system","name":"*"}}`
		byUser     = "ByUser"
		byNS       = "ByNamespace"
	)
	user := func(name string) string { return `{"kind":"User","user":{"name":"` + name + `"}}` }
	group := func(name string) string { return `{"kind":"Group","group":{"name":"` + name + `"}}` }
	everybody := group("system:unauthenticated") + "," + group("system:authenticated")
	schema := func(name, level string, precedence int, distinguisher, subjects, rules string) flowObject {
		owned := `"f:matchingPrecedence":{},"f:priorityLevelConfiguration":{"f:name":{}},"f:rules":{}`
		if distinguisher != "" {
			distinguisher = `"distinguisherMethod":{"type":"` + distinguisher + `"},`
			owned = `"f:distinguisherMethod":{".":{},"f:type":{}},` + owned
		}
		return flowObject{resource: flowSchemas, name: name, owned: owned, level: level, spec: `{"priorityLevelConfiguration":{"name":"` + level + `"},"matchingPrecedence":` +
			strconv.Itoa(precedence) + `,` + distinguisher + `"rules":[{"subjects":[` + subjects + `],` + rules + `}]}`}
	}
	limited := func(name string, shares, lendable, queues, handSize int) flowObject { // without queues it rejects requests
		response, owned := `"type":"Reject"`, ""
		if queues > 0 {
			response = `"type":"Queue","queuing":{"queues":` + strconv.Itoa(queues) + `,"handSize":` + strconv.Itoa(handSize) + `,"queueLengthLimit":50}`
			owned = `"f:queuing":{".":{},"f:handSize":{},"f:queueLengthLimit":{},"f:queues":{}},`
		}
		return flowObject{
			resource: priorityLevels, name: name,
			spec: `{"type":"Limited","limited":{"nominalConcurrencyShares":` + strconv.Itoa(shares) + `,"lendablePercent":` + strconv.Itoa(lendable) +
				`,"limitResponse":{` + response + `}}}`,
			owned: `"f:limited":{".":{},"f:lendablePercent":{},"f:limitResponse":{".":{},` + owned + `"f:type":{}},"f:nominalConcurrencyShares":{}},"f:type":{}`,
		}
	}
	mandatory := func(o flowObject) flowObject {
		o.mandatory = true
		return o
	}
	return []flowObject{
		limited("system", 30, 33, 64, 6),
		limited("node-high", 40, 25, 64, 6),
		limited("leader-election", 10, 0, 16, 4),
		limited("workload-high", 40, 50, 128, 6),
		limited("workload-low", 100, 90, 128, 6),
		limited("global-default", 20, 50, 128, 6),
		schema("system-nodes", "system", 500, byUser, group("system:nodes"), everything),
		schema("system-node-high", "node-high", 400, byUser, group("system:nodes"), `"resourceRules":[`+
			`{"verbs":["*"],"apiGroups":[""],"resources":["nodes","nodes/status"],"clusterScope":true,"namespaces":["*"]},{"verbs":["*"],`+leases+`}]`),
		schema("probes", "exempt", 2, "", everybody, `"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/readyz","/livez"]}]`),
		schema("system-leader-election", "leader-election", 100, byUser, user("system:kube-controller-manager")+","+user("system:kube-scheduler")+","+accounts,
			`"resourceRules":[{"verbs":["get","create","update"],`+leases+`}]`),
		schema("kube-controller-manager", "workload-high", 800, byNS, user("system:kube-controller-manager"), everything),
		schema("kube-scheduler", "workload-high", 800, byNS, user("system:kube-scheduler"), everything),
		schema("kube-system-service-accounts", "workload-high", 900, byNS, accounts, everything),
		schema("service-accounts", "workload-low", 9000, byUser, group("system:serviceaccounts"), everything),
		schema("global-default", "global-default", 9900, byUser, everybody, everything),
		mandatory(limited("catch-all", 5, 0, 0, 0)),
		mandatory(flowObject{
			resource: priorityLevels, name: "exempt", spec: `{"type":"Exempt","exempt":{"nominalConcurrencyShares":0,"lendablePercent":0}}`,
			owned: `"f:exempt":{".":{},"f:lendablePercent":{},"f:nominalConcurrencyShares":{}},"f:type":{}`,
		}),
		mandatory(schema("exempt", "exempt", 1, "", group("system:masters"), everything)),
		mandatory(schema("catch-all", "catch-all", 10000, byUser, everybody, everything)),
	}
}

// flowControl keeps the configuration of API Priority and Fairness.
type flowControl struct {
	cluster *cluster.Cluster
	// mu prevents one change from undoing what a concurrent one has just done.
	mu sync.Mutex
}

// startFlowControl creates the configuration, or updates it, and from then on keeps the status of FlowSchemas.
func startFlowControl(ctx context.Context, c *cluster.Cluster) error {
	f := &flowControl{cluster: c}
	if err := f.ensure(ctx); err != nil {
		return err
	}
	c.OnChange(flowGroup, []string{flowSchemas, priorityLevels}, func(ctx context.Context) {
		_ = f.updateStatus(ctx) // what fails is left to the next change
	})
	return nil
}

// ensure creates the objects of the configuration that are missing, and updates the others, as kube-apiserver does when it
// starts and every minute.
func (f *flowControl) ensure(ctx context.Context) error {
	if _, ok := f.cluster.Kinds().Resource(flowGroup, "v1", flowSchemas); !ok {
		return nil
	}
	existing := map[string]document.Value{}
	for _, resource := range []string{priorityLevels, flowSchemas} {
		list, err := f.cluster.Do(ctx, f.request(cluster.List, resource, ""))
		if err != nil {
			return err
		}
		for _, object := range list.Items() {
			existing[resource+"/"+object.Lookup("metadata", "name").StringOr("")] = object
		}
	}
	now := f.now()
	for _, o := range flowConfiguration() {
		var err error
		if object := existing[o.resource+"/"+o.name]; object.Exists() {
			err = f.revise(ctx, o, object)
		} else {
			err = f.create(ctx, o, now)
		}
		if err != nil {
			return err
		}
	}
	if len(existing) > 0 {
		return f.updateStatus(ctx)
	}
	return nil
}

// now returns the time in the form of timestamps.
func (f *flowControl) now() string { return f.cluster.Now().UTC().Format(time.RFC3339) }

func (f *flowControl) request(verb cluster.Verb, resource, name string) *cluster.Request {
	return (&cluster.Request{Verb: verb, Group: flowGroup, Version: "v1", Resource: resource, Name: name}).AsServer()
}

// create creates an object with the status and the owners of its fields that it has in a new cluster. Requests that have this
// result would take most of the time that a server needs to start.
func (f *flowControl) create(ctx context.Context, o flowObject, now string) error {
	d, err := document.Parse([]byte(o.text(now)), document.Options{})
	if err != nil {
		return err
	}
	return f.cluster.Seed(ctx, d.Root)
}

// text returns the object as kube-apiserver has created it at a time.
func (o flowObject) text(now string) string {
	entry := func(manager, operation, fields, subresource string) string {
		return `{"manager":"` + manager + `","operation":"` + operation + `","apiVersion":"` + flowGroup + `/v1","time":"` + now +
			`","fieldsType":"FieldsV1","fieldsV1":{` + fields + `}` + subresource + `}`
	}
	const annotated = `"f:metadata":{"f:annotations":{".":{},"f:` + autoUpdate + `":{}}},`
	kind, status, managers := "PriorityLevelConfiguration", "{}", ""
	if o.resource == flowSchemas {
		kind, status = "FlowSchema", `{"conditions":[`+dangling(o.level, false).object(document.NewString(now)).String()+`]}`
		managers = entry(flowConsumer, "Apply", `"f:status":{"f:conditions":{"k:{\"type\":\"Dangling\"}":{".":{},"f:lastTransitionTime":{},`+
			`"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}}}`, `,"subresource":"status"`) + ","
	}
	return `{"apiVersion":"` + flowGroup + `/v1","kind":"` + kind + `","metadata":{"name":"` + o.name + `","annotations":{"` + autoUpdate + `":"true"},` +
		`"managedFields":[` + managers + entry(flowProducer, "Update", annotated+`"f:spec":{`+o.owned+`}`, "") + `]},"spec":` + o.spec + `,"status":` + status + `}`
}

// revise updates an object with another spec or annotation. The annotation determines whether kube-apiserver or a client
// decides on the spec; without it, a client does if it has changed the spec
// (k8s.io/kubernetes/pkg/registry/flowcontrol/ensurer).
func (f *flowControl) revise(ctx context.Context, o flowObject, object document.Value) error {
	d, err := document.Parse([]byte(o.spec), document.Options{})
	if err != nil {
		return err
	}
	next := o.revised(object, d.Root)
	if document.Equal(next, object) {
		return nil
	}
	r := f.request(cluster.Update, o.resource, o.name)
	r.Document, r.FieldManager = &document.Document{Root: next}, flowProducer
	if _, err = f.cluster.Do(ctx, r); isConflict(err) {
		return nil // another server has written it
	}
	return err
}

// revised returns an object with the spec and the annotation that kube-apiserver sets.
func (o flowObject) revised(object, spec document.Value) document.Value {
	metadata := object.Get("metadata")
	generation, _ := metadata.Get("generation").Int()
	annotation, err := strconv.ParseBool(metadata.Lookup("annotations", autoUpdate).StringOr(""))
	keeps := o.mandatory || err == nil && annotation || err != nil && generation == 1
	if err != nil || annotation != keeps {
		object = object.Set(document.NewString(strconv.FormatBool(keeps)), "metadata", "annotations", autoUpdate)
	}
	if exempt := object.Lookup("spec", "exempt"); exempt.Exists() && spec.Get("exempt").Exists() {
		spec = spec.With("exempt", exempt) // which clients may change
	}
	if keeps {
		object = object.With("spec", spec)
	}
	return object
}

// updateStatus sets the condition of each FlowSchema that states whether its priority level exists
// (k8s.io/apiserver/pkg/util/flowcontrol).
func (f *flowControl) updateStatus(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	levels, err := f.cluster.Do(ctx, f.request(cluster.List, priorityLevels, ""))
	if err != nil {
		return err
	}
	exists := map[string]bool{}
	for _, level := range levels.Items() {
		exists[level.Lookup("metadata", "name").StringOr("")] = true
	}
	schemas, err := f.cluster.Do(ctx, f.request(cluster.List, flowSchemas, ""))
	if err != nil {
		return err
	}
	for _, schema := range schemas.Items() {
		level := schema.Lookup("spec", "priorityLevelConfiguration", "name").StringOr("")
		if err := f.setCondition(ctx, schema, dangling(level, !exists[level])); err != nil && !isNotFound(err) {
			return err
		}
	}
	return nil
}

// dangling returns the condition of a FlowSchema with a priority level.
func dangling(level string, missing bool) condition {
	const message = "This FlowSchema references the PriorityLevelConfiguration object named "
	if missing {
		return condition{"Dangling", "True", "NotFound", message + strconv.Quote(level) + " but there is no such object"}
	}
	return condition{"Dangling", "False", "Found", message + strconv.Quote(level) + " and it exists"}
}

// setCondition sets the condition of a FlowSchema unless it has it.
func (f *flowControl) setCondition(ctx context.Context, schema document.Value, wanted condition) error {
	for _, has := range schema.Lookup("status", "conditions").Items() {
		if (condition{has.Get("type").StringOr(""), has.Get("status").StringOr(""), has.Get("reason").StringOr(""), has.Get("message").StringOr("")}) == wanted {
			return nil
		}
	}
	name := schema.Lookup("metadata", "name").StringOr("")
	r := f.request(cluster.Patch, flowSchemas, name)
	r.Subresource, r.Format, r.Options = "status", cluster.ApplyPatch, cluster.Options{FieldManager: flowConsumer, Force: new(true)}
	r.Body = document.NewObject().With("apiVersion", document.NewString(flowGroup+"/v1")).With("kind", document.NewString("FlowSchema")).
		With("metadata", document.NewObject().With("name", document.NewString(name))).
		With("status", document.NewObject().With("conditions", document.NewList(wanted.object(document.NewString(f.now()))))).JSON()
	_, err := f.cluster.Do(ctx, r)
	return err
}
