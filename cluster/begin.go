package cluster

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// errVersionOnCreate is the error of the API server's storage for a create with a
// resourceVersion.
var errVersionOnCreate = errors.New("resourceVersion should not be set on objects to be created")

// objectTypes returns the media types of objects for error messages. It includes protobuf, as
// the API server's messages do, although this package does not decode protobuf.
func objectTypes() []string {
	return []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}
}

// begin checks the part of a write that does not depend on the live object, and decodes the
// body of a create or update.
func (p *pipeline) begin(r *Request, ep *endpoint) (*task, *Status) {
	t := p.newTask(r, ep)
	if r.Verb == Patch {
		if st := checkPatchFormat(r, ep); st != nil {
			return nil, st
		}
		if st := checkWriteOptions(r); st != nil {
			return nil, st
		}
		if st := t.checkSyntax(); st != nil {
			return nil, st
		}
		return t, checkNameParameter(r.Name)
	}
	decodable := r.Format == JSON || r.Format == YAML || r.Format == Protobuf
	if !decodable && r.Verb == Create { // the API server checks the options of an update first
		return nil, unsupportedMedia(objectTypes())
	}
	if st := checkWriteOptions(r); st != nil {
		return nil, st
	}
	if !decodable {
		return nil, unsupportedMedia(objectTypes())
	}
	if st := t.decodeBody(); st != nil {
		return nil, st
	}
	if r.Verb == Update {
		var st *Status
		if t.body, st = t.inNamespace(t.body); st == nil {
			st = t.checkName(t.body)
		}
		if st == nil {
			st = checkNameParameter(r.Name)
		}
		if st != nil {
			return nil, st.warning(t.warnings)
		}
	}
	t.early = len(t.warnings)
	return t, nil
}

// checkPatchFormat refuses media types that are not patches, and strategic merge patches for
// custom resources.
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

// checkNameParameter refuses names that storage keys cannot contain.
func checkNameParameter(name string) *Status {
	if name == "" {
		return badRequest("Name parameter required.")
	}
	if why := names.PathSegment(name); why != "" {
		return badRequest("Name parameter invalid: " + strconv.Quote(name) + ": " + strings.ReplaceAll(why, "\n", ";"))
	}
	return nil
}
