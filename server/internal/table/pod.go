package table

import (
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

func podColumns() []Column {
	gates := func(o Object) string {
		wanted := o.at("spec", "readinessGates")
		if wanted.Len() == 0 {
			return "<none>"
		}
		met := int64(0)
		for _, gate := range wanted.Items() {
			condition := named(o.at("status", "conditions"), "type", gate.Get("conditionType").StringOr(""))
			if condition.Get("status").StringOr("") == "True" {
				met++
			}
		}
		return fraction(met, int64(wanted.Len()))
	}
	ip := func(o Object) string {
		for _, ip := range o.at("status", "podIPs").Items() {
			return or(ip.Get("ip").StringOr(""), "<none>")
		}
		return "<none>"
	}
	return []Column{nameColumn(),
		textColumn("Ready", func(o Object) string {
			p := podOf(o)
			return fraction(p.ready, p.containers)
		}),
		textColumn("Status", func(o Object) string { return podOf(o).reason }),
		textColumn("Restarts", func(o Object) string { return podOf(o).restartText(o.Now) }),
		ageColumn(), wide(textColumn("IP", ip)), wide(field("Node", "<none>", "spec", "nodeName")),
		wide(field("Nominated Node", "<none>", "status", "nominatedNodeName")), wide(textColumn("Readiness Gates", gates))}
}

// conditions returns the conditions of a pod's row: Completed if the pod has ended, otherwise
// absent.
func conditions(pod document.Value) document.Value {
	phase := pod.Lookup("status", "phase").StringOr("")
	message := map[string]string{"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}[phase]
	if message == "" {
		return document.Value{}
	}
	var b document.ObjectBuilder
	for _, member := range [][2]string{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}} {
		b.SetString(member[0], member[1])
	}
	return document.NewList(b.Object())
}

// pod summarizes the containers of a pod.
type pod struct {
	containers, ready, restarts int64
	lastRestart                 time.Time
	reason                      string
}

func (p pod) restartText(now time.Time) string {
	n := strconv.FormatInt(p.restarts, 10)
	if p.restarts == 0 || p.lastRestart.IsZero() {
		return n
	}
	return n + " (" + durationText(now.Sub(p.lastRestart)) + " ago)"
}

func podOf(o Object) pod {
	status := o.at("status")
	p := pod{
		containers: int64(o.at("spec", "containers").Len()),
		reason:     or(status.Get("reason").StringOr(""), status.Get("phase").StringOr("")),
	}
	conditions := status.Get("conditions")
	if scheduled := named(conditions, "type", "PodScheduled"); scheduled.Get("reason").StringOr("") == "SchedulingGated" {
		p.reason = "SchedulingGated"
	}
	initializing, sidecars := p.initContainers(o)
	if !initializing || named(conditions, "type", "Initialized").Get("status").StringOr("") == "True" {
		p.restarts, p.lastRestart = sidecars.restarts, sidecars.lastRestart
		p.mainContainers(o)
	}
	if o.at("metadata", "deletionTimestamp").Exists() {
		phase := status.Get("phase").StringOr("")
		switch {
		case status.Get("reason").StringOr("") == "NodeLost":
			p.reason = "Unknown"
		case phase != "Succeeded" && phase != "Failed":
			p.reason = "Terminating"
		}
	}
	return p
}

// count adds a container's restarts.
func (p *pod) count(status document.Value) {
	n, _ := status.Get("restartCount").Int()
	p.restarts += n
	finished, err := time.Parse(time.RFC3339, status.Lookup("lastState", "terminated", "finishedAt").StringOr(""))
	if err == nil && finished.After(p.lastRestart) {
		p.lastRestart = finished
	}
}

// initContainers evaluates the init containers up to the first one that is not done. It reports
// whether there is one, and returns the restarts of the sidecars among them.
func (p *pod) initContainers(o Object) (initializing bool, sidecars pod) {
	specs := o.at("spec", "initContainers")
	restartable := func(name string) bool {
		return named(specs, "name", name).Get("restartPolicy").StringOr("") == "Always"
	}
	for _, c := range specs.Items() {
		if c.Get("restartPolicy").StringOr("") == "Always" {
			p.containers++
		}
	}
	for i, status := range o.at("status", "initContainerStatuses").Items() {
		p.count(status)
		sidecar := restartable(status.Get("name").StringOr(""))
		if sidecar {
			sidecars.count(status)
		}
		terminated := status.Lookup("state", "terminated")
		exit, _ := terminated.Get("exitCode").Int()
		started, _ := status.Get("started").Bool()
		waiting := status.Lookup("state", "waiting", "reason").StringOr("")
		switch {
		case terminated.Exists() && exit == 0:
			continue
		case sidecar && started:
			if ready, _ := status.Get("ready").Bool(); ready {
				p.ready++
			}
			continue
		case terminated.Exists():
			p.reason = "Init:" + endReason(terminated)
		case waiting != "" && waiting != "PodInitializing":
			p.reason = "Init:" + waiting
		default:
			p.reason = "Init:" + fraction(int64(i), int64(specs.Len()))
		}
		return true, sidecars
	}
	return false, sidecars
}

// endReason returns the reason for which a container ended.
func endReason(terminated document.Value) string {
	if reason := terminated.Get("reason").StringOr(""); reason != "" {
		return reason
	}
	if signal, _ := terminated.Get("signal").Int(); signal != 0 {
		return "Signal:" + strconv.FormatInt(signal, 10)
	}
	return "ExitCode:" + or(plain(terminated.Get("exitCode")), "0")
}

func (p *pod) mainContainers(o Object) {
	statuses := o.at("status", "containerStatuses")
	running, failed := false, ""
	for i := statuses.Len() - 1; i >= 0; i-- {
		status := statuses.At(i)
		p.count(status)
		waiting := status.Lookup("state", "waiting", "reason").StringOr("")
		terminated := status.Lookup("state", "terminated")
		ready, _ := status.Get("ready").Bool()
		switch {
		case waiting != "":
			p.reason = waiting
		case terminated.Exists():
			p.reason = endReason(terminated)
			if exit, _ := terminated.Get("exitCode").Int(); exit != 0 {
				failed = p.reason
			}
		case ready && status.Lookup("state", "running").Exists():
			running = true
			p.ready++
		}
	}
	if p.reason != "Completed" {
		return
	}
	switch {
	case running && named(o.at("status", "conditions"), "type", "Ready").Get("status").StringOr("") == "True":
		p.reason = "Running"
	case failed != "":
		p.reason = failed
	case running:
		p.reason = "NotReady"
	}
}
