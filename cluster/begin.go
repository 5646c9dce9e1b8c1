package cluster

import "errors"

// errVersionOnCreate is what the API server's storage says.
var errVersionOnCreate = errors.New("resourceVersion should not be set on objects to be created")

// objectTypes are the media types of objects. The text names protobuf, as the
// API server's does, though it is not served here.
func objectTypes() []string {
	return []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}
}

// begin checks what can be checked of a write without the live object, and
// decodes the body of a create or update.
func (p *pipeline) begin(r *Request, ep *endpoint) (*task, *Status) {
	t := p.newTask(r, ep)
	if r.Verb == Patch {
		if st := checkPatchFormat(r, ep); st != nil {
			return nil, st
		}
		return t, checkWriteOptions(r)
	}
	if r.Format != JSON && r.Format != YAML {
		return nil, unsupportedMedia(objectTypes())
	}
	if st := checkWriteOptions(r); st != nil {
		return nil, st
	}
	if st := t.decodeBody(); st != nil {
		return nil, st
	}
	if r.Verb == Update {
		var st *Status
		if t.body, st = t.inNamespace(t.body); st != nil {
			return nil, st
		}
		if st := t.checkName(t.body); st != nil {
			return nil, st
		}
	}
	return t, nil
}

// checkPatchFormat refuses media types that are not patches of the kind: custom
// resources do not support strategic merge patch.
func checkPatchFormat(r *Request, ep *endpoint) *Status {
	switch r.Format {
	case JSONPatch, MergePatch, ApplyPatch:
		return nil
	case StrategicPatch:
		if ep.kind.Builtin {
			return nil
		}
	}
	if ep.kind.Builtin {
		return &Status{Code: 415, Reason: ReasonUnsupportedMedia, Message: "415: Unsupported Media Type", Details: &StatusDetails{}}
	}
	return unsupportedMedia([]string{"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"})
}
