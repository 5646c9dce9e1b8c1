package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// watched is a resource whose objects a case of watches writes. The version of a resource without namespaces ends in "!".
type watched struct {
	apiVersion, resource, kind string
	fields                     []string // field selectors besides those of the metadata
	spec                       func(w *world, o object)
}

var watchedKinds = []watched{
	{"v1", "configmaps", "ConfigMap", nil, func(w *world, o object) { o["data"] = object{"k": one(w, "1", "2", "3")} }},
	{"v1", "pods", "Pod", []string{"spec.nodeName=n1", "spec.nodeName=", "spec.nodeName!=n1", "status.phase=Pending", "status.phase=Running", "status.phase!=Running,metadata.name=a", "spec.restartPolicy=Never"}, func(w *world, o object) {
		spec := object{"containers": []any{object{"name": "c", "image": one(w, "i", "j")}}, "terminationGracePeriodSeconds": one(w, 0, 1, 30)}
		w.some(spec, 2, "nodeName", one(w, "n1", "n2"))
		w.some(spec, 4, "restartPolicy", "Never")
		o["spec"] = spec
	}},
	{"v1", "secrets", "Secret", []string{"type=Opaque", "type!=Opaque", "type=example.com/t"}, func(w *world, o object) { o["type"] = one(w, "Opaque", "example.com/t", "") }},
	{"v1", "services", "Service", []string{"spec.type=ClusterIP", "spec.clusterIP=None", "spec.type!=ExternalName"}, func(w *world, o object) {
		// The type does not change: whether an event shows the policy of the former type depends in kube-apiserver on
		// how many watches have the event.
		o["spec"] = object{"clusterIP": "None", "selector": object{"a": one(w, "b", "c")}}
		if metadata(o)["name"] == "a" {
			o["spec"] = object{"type": "ExternalName", "externalName": one(w, "a.example.com", "b.example.com")}
		}
	}},
	{"v1", "events", "Event", []string{"reason=R", "type!=Warning", "involvedObject.name=a", "involvedObject.kind=Pod,type=Normal"}, func(w *world, o object) {
		o["involvedObject"] = object{"kind": one(w, "Pod", "Node"), "name": one(w, "a", "b"), "namespace": w.name}
		o["reason"], o["type"], o["count"] = one(w, "R", "S"), one(w, "Normal", "Warning"), one(w, 1, 2)
	}},
	{"apps/v1", "replicasets", "ReplicaSet", []string{"status.replicas=0", "status.replicas!=1"}, func(w *world, o object) {
		o["spec"] = object{"replicas": one(w, 0, 1), "selector": object{"matchLabels": object{"x": "1"}}, "template": object{"metadata": object{"labels": object{"x": "1"}}, "spec": object{"containers": []any{object{"name": "c", "image": "i"}}}}}
	}},
	{"coordination.k8s.io/v1", "leases", "Lease", nil, func(w *world, o object) { o["spec"] = object{"holderIdentity": one(w, "a", "b")} }},
	{"batch/v1", "jobs", "Job", []string{"status.successful=0", "status.successful!=1"}, func(w *world, o object) {
		o["spec"] = object{"suspend": w.in(2), "template": object{"spec": object{"restartPolicy": "Never", "containers": []any{object{"name": "c", "image": "i"}}}}}
	}},
	{"v1!", "nodes", "Node", []string{"spec.unschedulable=true", "spec.unschedulable!=true"}, func(w *world, o object) { o["spec"] = object{"unschedulable": w.in(2)} }},
	{"rbac.authorization.k8s.io/v1!", "clusterroles", "ClusterRole", nil, func(w *world, o object) {
		o["rules"] = []any{object{"apiGroups": []any{""}, "resources": []any{one(w, "pods", "nodes")}, "verbs": []any{"get"}}}
	}},
	{"", "", "", []string{"spec.a=1", "spec.a!=1", "spec.b=1"}, func(w *world, o object) { o["spec"] = object{"a": one(w, "1", "2"), "b": one(w, "1", "2")} }},
}

// compareWatches compares the events of watches, and lists, while several managers write.
func compareWatches(o *options, p *pair) (*report, error) {
	session, err := newSessions()
	if err != nil {
		return nil, err
	}
	r := newReport()
	const atOnce = 4 // cases spend most of their time waiting
	for first := 0; first < o.cases; first += atOnce {
		played := make([][]conformance.Case, min(atOnce, o.cases-first))
		var group errgroup.Group
		for i := range played {
			group.Go(func() (err error) {
				played[i], err = p.play(session, watchCase(o, first+i), time.Duration(o.seconds)*time.Second)
				if errors.Is(err, errLate) {
					return nil
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for _, cases := range played {
			if cases == nil {
				r.note("cases whose requests took longer than their watches (-seconds)")
			}
			for i := 0; i < len(cases); i += 2 {
				p.judgeWatches(r, cases[i], cases[i+1])
			}
		}
	}
	return r, nil
}

// errLate is the error of a case whose watches may have ended before its last write, so that they miss events.
var errLate = errors.New("the requests took longer than the watches")

// play sends a case to both servers at once. It returns pairs of recordings, first that of kube-apiserver: those of the
// requests that were answered at once, and those of each watch, which ends after the given time. The error is errLate if
// less than a quarter of this time was left for the events of the last write.
func (p *pair) play(start func(conformance.Send) *session, c conformance.Case, lasting time.Duration) ([]conformance.Case, error) {
	sessions := []*session{start(p.theirs), start(p.ours)}
	recorded := make([]conformance.Case, len(sessions))
	var group errgroup.Group
	for i, s := range sessions {
		group.Go(func() (err error) {
			recorded[i], err = conformance.Runner{Sleep: p.sleep}.Record(c, s.do)
			if err == nil && len(s.watches) > 0 && time.Since(s.opened) > lasting*3/4 {
				err = errLate
			}
			s.watching.Wait()
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for n, theirs := range sessions[0].watches {
		one := conformance.Case{Name: c.Name, Steps: []conformance.Step{{Request: theirs.request}}}
		for _, s := range sessions {
			watch := s.watches[n]
			of, err := conformance.Runner{}.Record(one, func(conformance.Request) (conformance.Answer, error) { return watch.answer, watch.err })
			if err != nil {
				return nil, err
			}
			recorded = append(recorded, of)
		}
	}
	return recorded, nil
}

// judgeWatches compares two recordings, and counts each response by the form in which objects are requested.
func (p *pair) judgeWatches(r *report, want, got conformance.Case) {
	want, got = clean(want), clean(got)
	for i, step := range want.Steps {
		sent := step.Request
		if strings.Contains(sent.Query, "watch=") && len(want.Steps) > 1 {
			continue // the events are compared in another recording
		}
		if events, ok := step.Response.Body.([]any); ok {
			r.events += len(events)
		}
		difference := p.responseDifference(want, got, i)
		group := groupOf(sent.Path)
		r.add(formOf(sent), step.Response.Code, fmt.Sprintf("watches/%s step %d\n%s %s %s", group, i, want.Name, sent.Accept, brief(sent)), difference)
		if difference != "" {
			return
		}
	}
}

// formOf returns the verb of a request and the form in which objects are requested.
func formOf(r conformance.Request) string {
	verb := strings.ToLower(r.Method)
	switch {
	case strings.Contains(r.Query, "watch="):
		verb = "watch"
	case verb != "get":
		return "writes"
	}
	media, form, _ := strings.Cut(r.Accept, ";as=")
	form, _, _ = strings.Cut(form, ";")
	if media == protobufType {
		form = "protobuf " + form
	}
	return strings.TrimSpace(verb + " " + form)
}
