package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
)

// Notes receives what the pipeline decides about a write while it works on it, for
// an explanation of the answer. Its methods are called by the goroutine that
// answers the request. What they are given is immutable, but for the path of a
// patch.Decision, which is valid during the call only.
type Notes interface {
	// Begin is called when a live object is about to be changed; it is the zero
	// Object where there is none. What was noted before is void then: a write that
	// another one came before starts over.
	Begin(live fieldmanager.Object)
	// Patched is called with the decisions of package patch.
	Patched(patch.Decision)
	// Managed is called with the decisions of package fieldmanager.
	Managed(fieldmanager.Decision)
	// Passed is called with the object as a stage leaves it, in the order of the
	// stages. managedFields may be part of the object and do not count.
	Passed(stage string, object document.Value)
}

// The stages of a write that [Notes] are told, in their order. Stages that a write
// does not go through are left out; StageMetadata is told whenever metadata was set.
const (
	// StageSent: the body as it was sent, the patch carried out on the live object,
	// or the configuration merged into it.
	StageSent = "sent"
	// StageDecoded: read as the kind's type. Unknown fields are gone.
	StageDecoded = "decoded"
	// StageDefaulted: the defaults are filled in.
	StageDefaulted = "defaulted"
	// StageLastApplied: the annotation with the last client-side apply is updated.
	StageLastApplied = "lastApplied"
	// StageScaled: the object has the number of replicas of its changed Scale. For
	// writes to scale this is the first stage.
	StageScaled = "scaled"
	// StageAdmitted: mutating admission has changed it.
	StageAdmitted = "admitted"
	// StageReset: the kind's strategy has reset and computed fields.
	StageReset = "reset"
	// StageMetadata: name, namespace, owner references, generation, uid and times
	// are as the API server sets them.
	StageMetadata = "metadata"
	// StageStored: as it is read back from the store.
	StageStored = "stored"
)

// begun notes that an attempt starts from a live object.
func (t *task) begun(live fieldmanager.Object) {
	if t.Notes == nil {
		return
	}
	t.Notes.Begin(live)
	for _, s := range t.received {
		t.Notes.Passed(s.stage, s.object)
	}
}

// passed notes the object as a stage leaves it.
func (t *task) passed(stage string, object document.Value) {
	if t.Notes != nil {
		t.Notes.Passed(stage, object)
	}
}

// passedBody is passed for an object of the kind that the endpoint takes. A Scale
// is no state of the object.
func (t *task) passedBody(stage string, object document.Value) {
	if t.ep.sub != subScale {
		t.passed(stage, object)
	}
}

// receivedBody keeps what became of the body of a create or update until a live
// object is known.
func (t *task) receivedBody(sent, decoded document.Value) {
	if t.Notes == nil {
		return
	}
	t.received = []passedStage{{StageSent, sent}, {StageDecoded, decoded}, {StageDefaulted, t.body}}
}

// passedStage is an object as a stage leaves it.
type passedStage struct {
	stage  string
	object document.Value
}

// observed returns a manager that reports to the request's notes.
func (t *task) observed(m *fieldmanager.Manager) *fieldmanager.Manager {
	if t.Notes == nil {
		return m
	}
	if t.ep.sub != subScale {
		return m.Observed(t.Notes.Managed)
	}
	path, _ := t.replicasPath(t.ep.kind.APIVersion())
	return m.Observed(func(d fieldmanager.Decision) {
		if len(d.Path) > 0 { // the only field of a Scale that has owners
			d.Path, d.At = path, path
		}
		t.Notes.Managed(d)
	})
}

// patchObserver returns what is told the decisions of a patch.
func (t *task) patchObserver() patch.Observer {
	if t.Notes == nil {
		return nil
	}
	return t.Notes.Patched
}
