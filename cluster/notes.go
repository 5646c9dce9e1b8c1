package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
)

// Notes receives the decisions of the pipeline about a write while it is processed, in order
// to explain the response. Its methods are called by the goroutine that answers the request.
// Their arguments are immutable, except for the path of a patch.Decision, which is valid only
// during the call.
type Notes interface {
	// Begin is called at the start of each attempt to change a live object, which is the zero
	// Object if none exists. An attempt that loses against a concurrent write is repeated;
	// what was noted for the earlier attempt is then void.
	Begin(live fieldmanager.Object)
	// Patched is called for each decision of package patch.
	Patched(patch.Decision)
	// Managed is called for each decision of package fieldmanager.
	Managed(fieldmanager.Decision)
	// Passed is called after each stage with the resulting object, in the order of the stages.
	// The object's managedFields are to be ignored.
	Passed(stage string, object document.Value)
}

// The stages of a write that [Notes.Passed] receives, in order. Stages that a write does not
// have are left out; StageMetadata is always reported if metadata was set.
const (
	// StageSent: the body as sent, the result of the patch on the live object, or the live
	// object with the apply configuration merged into it.
	StageSent = "sent"
	// StageDecoded: decoded into the kind's type. Unknown fields are gone.
	StageDecoded = "decoded"
	// StageDefaulted: defaults are set.
	StageDefaulted = "defaulted"
	// StageLastApplied: the last-applied-configuration annotation of client-side apply is
	// updated.
	StageLastApplied = "lastApplied"
	// StageScaled: the object has the replicas of its changed Scale. This is the first stage
	// of a write to the scale subresource.
	StageScaled = "scaled"
	// StageAdmitted: mutating admission has run.
	StageAdmitted = "admitted"
	// StageReset: the kind's strategy has reset and computed fields.
	StageReset = "reset"
	// StageMetadata: name, namespace, owner references, generation, uid and timestamps are set
	// as the API server sets them.
	StageMetadata = "metadata"
	// StageStored: as read back from the store.
	StageStored = "stored"
)

// begun starts an attempt: the warnings of an earlier one are void.
func (t *task) begun(live fieldmanager.Object) {
	t.warnings = t.warnings[:t.early]
	if t.Notes == nil {
		return
	}
	t.Notes.Begin(live)
	for _, s := range t.received {
		t.Notes.Passed(s.stage, s.object)
	}
}

// passed reports the object that results from a stage.
func (t *task) passed(stage string, object document.Value) {
	if t.Notes != nil {
		t.Notes.Passed(stage, object)
	}
}

// passedBody is passed for an object of the endpoint's body kind. It ignores a Scale, which is
// not a state of the object.
func (t *task) passedBody(stage string, object document.Value) {
	if t.ep.sub != subScale {
		t.passed(stage, object)
	}
}

// receivedBody keeps the stages of the body of a create or update until a live object is
// known.
func (t *task) receivedBody(sent, decoded document.Value) {
	if t.Notes == nil {
		return
	}
	t.received = []passedStage{{StageSent, sent}, {StageDecoded, decoded}, {StageDefaulted, t.body}}
}

// passedStage is the object that results from a stage.
type passedStage struct {
	stage  string
	object document.Value
}

// observed returns a manager that reports its decisions to the request's notes.
func (t *task) observed(m *fieldmanager.Manager) *fieldmanager.Manager {
	if t.Notes == nil {
		return m
	}
	if t.ep.sub != subScale {
		return m.Observed(t.Notes.Managed)
	}
	path, _ := t.replicasPath(t.ep.kind.APIVersion())
	return m.Observed(func(d fieldmanager.Decision) {
		if len(d.Path) > 0 { // spec.replicas is the only field of a Scale that has owners
			d.Path, d.At = path, path
		}
		t.Notes.Managed(d)
	})
}

// patchObserver returns an observer that reports the decisions of a patch to the request's
// notes.
func (t *task) patchObserver() patch.Observer {
	if t.Notes == nil {
		return nil
	}
	return t.Notes.Patched
}
