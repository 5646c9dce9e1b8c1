package plugins_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
)

// rival is an admission that changes the quota "a" before the plugin's first writes of its status are stored.
type rival struct {
	cluster *cluster.Cluster
	left    int // the number of these writes
	err     error
}

func (r *rival) Active() bool         { return true }
func (r *rival) Changed(*schema.Kind) {}

func (r *rival) Mutate(ctx context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	if a.Resource.Resource == "resourcequotas" && a.Request.Subresource == "status" && a.Name == "a" && r.left > 0 {
		r.left--
		_, r.err = r.cluster.Do(ctx, &cluster.Request{Verb: cluster.Patch, Format: cluster.MergePatch, Version: "v1", Resource: "resourcequotas",
			Namespace: "n", Name: "a", Body: fmt.Appendf(nil, `{"metadata":{"labels":{"left":"%d"}}}`, r.left)})
	}
	return a.Object, nil
}

func (r *rival) Validate(context.Context, *cluster.Attributes) *cluster.Status { return nil }

// TestQuotaIsReadAgainAfterAConflict creates an object while one of its two quotas changes. Each quota is charged
// once: that without a conflict is not charged again with the other one.
func TestQuotaIsReadAgainAfterAConflict(t *testing.T) {
	for conflicts := range 3 {
		r := &rival{}
		config := cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) { return r, nil }}
		if err := plugins.Configure(&config, []string{plugins.ResourceQuota}); err != nil {
			t.Fatal(err)
		}
		c, err := cluster.New(config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		r.cluster = c
		for _, name := range []string{"a", "b"} {
			q := send(t, c, cluster.Request{Verb: cluster.Create, Resource: "resourcequotas", Namespace: "n",
				Body: []byte(`{"metadata":{"name":"` + name + `"},"spec":{"hard":{"configmaps":"9"}}}`)})
			counted := document.NewObject().With("configmaps", document.NewString("0"))
			q = q.Set(q.Lookup("spec", "hard"), "status", "hard").Set(counted, "status", "used")
			send(t, c, cluster.Request{Verb: cluster.Update, Resource: "resourcequotas", Subresource: "status", Namespace: "n", Name: name, Body: q.JSON()})
		}
		r.left = conflicts
		send(t, c, cluster.Request{Verb: cluster.Create, Resource: "configmaps", Namespace: "n", Body: []byte(`{"metadata":{"name":"m"}}`)})
		if r.err != nil || r.left > 0 {
			t.Errorf("%d conflicts: %d left, %v", conflicts, r.left, r.err)
		}
		for _, name := range []string{"a", "b"} {
			q := send(t, c, cluster.Request{Verb: cluster.Get, Resource: "resourcequotas", Namespace: "n", Name: name})
			if used := q.Lookup("status", "used", "configmaps").StringOr(""); used != "1" {
				t.Errorf("%d conflicts: quota %s has used %s", conflicts, name, used)
			}
		}
	}
}
