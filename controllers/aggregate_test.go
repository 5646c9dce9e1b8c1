package controllers

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// refusing is an admission that refuses updates of the object with its name.
type refusing string

func (refusing) Active() bool         { return true }
func (refusing) Changed(*schema.Kind) {}

func (refusing) Mutate(_ context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	return a.Object, nil
}

func (name refusing) Validate(_ context.Context, a *cluster.Attributes) *cluster.Status {
	if a.Operation == cluster.OperationUpdate && a.Name == string(name) {
		return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden, Message: a.Name + " is refused"}
	}
	return nil
}

// TestOneRefusedRoleDoesNotStopTheOthers checks that the rules of a ClusterRole are aggregated although those of the one
// before it cannot be applied, and that the refusal is reported.
func TestOneRefusedRoleDoesNotStopTheOthers(t *testing.T) {
	c, err := cluster.New(cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) { return refusing("a"), nil }})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t, c}
	for _, name := range []string{"a", "b"} {
		l.create(rbacGroup, "v1", clusterRoles, "", `{"metadata":{"name":"`+name+`"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"for":"all"}}]}}`)
	}
	l.create(rbacGroup, "v1", clusterRoles, "", `{"metadata":{"name":"c","labels":{"for":"all"}},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`)
	var mu sync.Mutex
	var faults []string
	l.runWith(Options{Aggregation: true, Fault: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, err.Error())
	}})
	l.until("b has the rules of c", func() (string, bool) {
		role, st := l.do(&cluster.Request{Verb: cluster.Get, Group: rbacGroup, Version: "v1", Resource: clusterRoles, Name: "b"})
		if st != nil {
			return st.Message, false
		}
		return role.Get("rules").String(), role.Get("rules").Len() == 1
	})
	l.until("the refusal of a is reported", func() (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		all := strings.Join(faults, "\n")
		return all, strings.Contains(all, "a is refused")
	})
}

// TestRolesThatMatchNone checks the rules of a ClusterRole to which no rules belong anymore, or none yet.
func TestRolesThatMatchNone(t *testing.T) {
	l := newLab(t, Options{Aggregation: true})
	const rule = `{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}`
	role := func(name, label, own string) {
		l.create(rbacGroup, "v1", clusterRoles, "", `{"metadata":{"name":"`+name+`"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"for":"`+label+`"}}]},"rules":[`+own+`]}`)
	}
	rules := func(name string) document.Value {
		o, _ := l.do(&cluster.Request{Verb: cluster.Get, Group: rbacGroup, Version: "v1", Resource: clusterRoles, Name: name})
		return o.Get("rules")
	}
	role("own", "nothing", rule)
	role("former", "b", "")
	l.create(rbacGroup, "v1", clusterRoles, "", `{"metadata":{"name":"b","labels":{"for":"b"}},"rules":[`+rule+`]}`)
	l.until("the rules are aggregated", func() (string, bool) { return rules("former").String(), rules("former").Len() == 1 })
	if _, st := l.do(&cluster.Request{Verb: cluster.Delete, Group: rbacGroup, Version: "v1", Resource: clusterRoles, Name: "b"}); st != nil {
		t.Fatal(st)
	}
	l.until("no rules are left", func() (string, bool) { return rules("former").String(), rules("former").Len() == 0 })
	if got := rules("own").String(); got != "["+rule+"]" {
		t.Errorf("the rules of a client are %s: kube-controller-manager applies none, which keeps those of others", got)
	}
}
