//go:build !js

package cluster

import (
	"context"
	"errors"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

var podResource = groupResource{resource: "pods"}

// bind assigns a pod to a node (registry/core/pod/storage, BindingREST). The bindings resource,
// which predates the subresource, has the pod's name in its body only.
func (c *Cluster) bind(ctx context.Context, t *task, binding fieldmanager.Object) (*Response, *Status) {
	if st := checkBinding(t.ep.kind, binding.Value); st != nil {
		return nil, st
	}
	if _, st := t.admit(binding, fieldmanager.Object{}); st != nil {
		return nil, st
	}
	name := meta(t.body, "name")
	if st := checkNameParameter(name); st != nil {
		return nil, st
	}
	pods, _ := c.kinds.Resource("", "v1", "pods")
	key := c.endpointOf(pods).key(t.Namespace, name)
	change := func(current store.Item[*Record]) (*Record, error) {
		object := current.Value.tree()
		if st := checkBound(t.shownKey(key), object.Value, t.body, current.Revision); st != nil {
			return nil, st
		}
		var err error
		if object.Value, err = assigned(object.Value, t.body, formatTime(t.now)); err != nil {
			return nil, conflict(groupResource{resource: "pods/binding"}, name, err.Error())
		}
		return newRecord(object, document.Value{}), nil
	}
	var err error
	if t.dryRun() {
		var item store.Item[*Record]
		if item, err = c.store.Get(ctx, key, store.GetOptions{}); err == nil {
			_, err = change(item)
		}
	} else {
		_, err = c.store.Update(ctx, key, store.UpdateOptions{}, change)
	}
	var st *Status
	switch {
	case errors.As(err, &st):
		return nil, st
	case errors.Is(err, store.ErrNotFound):
		return nil, notFound(podResource, name)
	case err != nil:
		return nil, storeStatus(t.ep, name, err)
	}
	return done(t), nil
}

// checkBinding validates a Binding. kube-apiserver returns what is wrong without a status code.
func checkBinding(kind *schema.Kind, binding document.Value) *Status {
	var wrong []string
	target := binding.Get("target")
	to := target.Get("kind").StringOr("")
	if to != "" && to != "Node" {
		wrong = append(wrong, `target.kind: Unsupported value: `+strconv.Quote(to)+`: supported values: "Node", "<empty>"`)
	}
	switch name := target.Get("name").StringOr(""); {
	case name == "":
		wrong = append(wrong, "target.name: Required value")
	case to == "" || to == "Node":
		if why := names.DNSSubdomain(name); why != "" && kind.Since("1.37") {
			wrong = append(wrong, "target.name: Invalid value: "+strconv.Quote(name)+": "+why)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return plainError(errors.New(aggregate(wrong)))
}

// checkBound compares the uid and the resourceVersion of a Binding, which are preconditions,
// with those of the pod.
func checkBound(key string, pod, binding document.Value, revision int64) *Status {
	name, found := meta(pod, "name"), strconv.FormatInt(revision, 10)
	if wanted, uid := meta(binding, "uid"), meta(pod, "uid"); wanted != "" && wanted != uid {
		return conflict(podResource, name, storageError(key, "UID", wanted, uid))
	}
	if wanted := meta(binding, "resourceVersion"); wanted != "" && wanted != found {
		return conflict(podResource, name, storageError(key, "ResourceVersion", wanted, found))
	}
	return nil
}

// assigned returns a pod assigned to the node of a Binding, with its annotations and labels.
func assigned(pod, binding document.Value, now string) (document.Value, error) {
	name := meta(pod, "name")
	switch spec := pod.Get("spec"); {
	case hasMeta(pod, "deletionTimestamp"):
		return pod, errors.New("pod " + name + " is being deleted, cannot be assigned to a host")
	case spec.Get("nodeName").StringOr("") != "":
		return pod, errors.New("pod " + name + " is already assigned to node " + strconv.Quote(spec.Get("nodeName").StringOr("")))
	case spec.Get("schedulingGates").Len() > 0:
		return pod, errors.New("pod " + name + " has non-empty .spec.schedulingGates")
	}
	pod = pod.Set(binding.Get("target").Get("name"), "spec", "nodeName").Remove("status", "nominatedNodeName")
	for _, part := range []string{"annotations", "labels"} {
		for key, value := range binding.Get("metadata").Get(part).Members() {
			pod = pod.Set(value, "metadata", part, key)
		}
	}
	return withPodCondition(pod, podCondition{kind: "PodScheduled"}, now), nil
}

// A podCondition is a condition of a pod whose status is True.
type podCondition struct{ kind, reason, message string }

// withPodCondition sets a condition of a pod (api/pod, UpdatePodCondition).
func withPodCondition(pod document.Value, condition podCondition, now string) document.Value {
	text := document.NewString
	next := document.NewObject().With("type", text(condition.kind)).With("status", text("True")).With("lastProbeTime", document.NewNull())
	if condition.reason != "" {
		next = next.With("reason", text(condition.reason)).With("message", text(condition.message))
	}
	if was := findCondition(pod, condition.kind); was.Get("status").StringOr("") == "True" { // its time may be null
		next = next.With("lastTransitionTime", was.Get("lastTransitionTime"))
	}
	return setCondition(pod, next, now)
}
