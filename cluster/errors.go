package cluster

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// The reasons of failures, as meta.k8s.io/v1 names them.
const (
	ReasonBadRequest       = "BadRequest"
	ReasonNotFound         = "NotFound"
	ReasonAlreadyExists    = "AlreadyExists"
	ReasonConflict         = "Conflict"
	ReasonForbidden        = "Forbidden"
	ReasonInvalid          = "Invalid"
	ReasonMethodNotAllowed = "MethodNotAllowed"
	ReasonUnsupportedMedia = "UnsupportedMediaType"
	ReasonTooLarge         = "RequestEntityTooLarge"
	ReasonInternal         = "InternalError"
	ReasonExpired          = "Expired"
	ReasonTimeout          = "Timeout"
	ReasonUnavailable      = "ServiceUnavailable"
)

// The types of causes of an invalid object, as apimachinery names them.
const (
	causeInvalid      = "FieldValueInvalid"
	causeRequired     = "FieldValueRequired"
	causeNotSupported = "FieldValueNotSupported"
	causeForbidden    = "FieldValueForbidden"
	causeDuplicate    = "FieldValueDuplicate"
	causeNotFound     = "FieldValueNotFound"
	causeTooLong      = "FieldValueTooLong"
	causeTooLargeRV   = "ResourceVersionTooLarge"
)

// CauseConflict is the type of the cause that is a conflict with another field
// manager, as metav1.CauseTypeFieldManagerConflict.
const CauseConflict = "FieldManagerConflict"

// groupResource names a resource as messages do: "deployments.apps".
type groupResource struct{ group, resource string }

func (g groupResource) String() string {
	if g.group == "" {
		return g.resource
	}
	return g.resource + "." + g.group
}

func badRequest(message string) *Status {
	return &Status{Code: 400, Reason: ReasonBadRequest, Message: message}
}

func notFound(what groupResource, name string) *Status {
	return &Status{Code: 404, Reason: ReasonNotFound,
		Message: what.String() + " " + strconv.Quote(name) + " not found",
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}

// noResource is the answer where a path leads to nothing at all.
func noResource() *Status {
	return &Status{Code: 404, Reason: ReasonNotFound,
		Message: "the server could not find the requested resource", Details: &StatusDetails{}}
}

func alreadyExists(what groupResource, name string) *Status {
	return &Status{Code: 409, Reason: ReasonAlreadyExists,
		Message: what.String() + " " + strconv.Quote(name) + " already exists",
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}

// modified is why a write with an old resource version is refused.
const modified = "the object has been modified; please apply your changes to the latest version and try again"

func conflict(what groupResource, name, why string) *Status {
	return &Status{Code: 409, Reason: ReasonConflict,
		Message: "Operation cannot be fulfilled on " + what.String() + " " + strconv.Quote(name) + ": " + why,
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}

// invalid refuses a value of a kind. Here what names the kind, not the resource,
// except where kube-apiserver itself mixes them up. Causes with the same text are all
// listed, but the message has their text once.
func invalid(what groupResource, name string, causes []Cause) *Status {
	var texts []string
	for i, c := range causes {
		if c.Path == nil {
			causes[i].Path = fieldPath(c.Field)
		}
		if text := c.Field + ": " + c.Message; !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	message := what.String() + " " + strconv.Quote(name) + " is invalid: "
	if len(texts) == 1 {
		message += texts[0]
	} else {
		message += "[" + strings.Join(texts, ", ") + "]"
	}
	return &Status{Code: 422, Reason: ReasonInvalid, Message: message,
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name, Causes: causes}}
}

// fieldPath returns the path that a field of a cause stands for, in the spelling
// of schema.FieldText: spec.ports[0].name, metadata.annotations[a.b/c].
func fieldPath(field string) document.Path {
	var path document.Path
	if field == "<nil>" {
		return nil
	}
	for field = strings.TrimPrefix(field, "."); field != ""; field = strings.TrimPrefix(field, ".") {
		if inside, rest, ok := strings.Cut(field[1:], "]"); field[0] == '[' && ok {
			if i, err := strconv.Atoi(inside); err == nil && i >= 0 {
				path = path.Item(i)
			} else {
				path = path.Child(inside)
			}
			field = rest
			continue
		}
		end := strings.IndexAny(field[1:], ".[") + 1
		if end == 0 {
			end = len(field)
		}
		path = path.Child(field[:end])
		field = field[end:]
	}
	return path
}

// unprocessable is a patch that cannot be applied to the object.
func unprocessable(message string, err error) *Status {
	return &Status{Code: 422, Reason: ReasonInvalid, Message: message, Details: &StatusDetails{}, Err: err}
}

func tooLarge(message string) *Status {
	return &Status{Code: 413, Reason: ReasonTooLarge, Message: message}
}

func methodNotAllowed(what groupResource, action string) *Status {
	return &Status{Code: 405, Reason: ReasonMethodNotAllowed,
		Message: action + " is not supported on resources of kind " + strconv.Quote(what.String()),
		Details: &StatusDetails{Group: what.group, Kind: what.resource}}
}

func unsupportedMedia(accepted []string) *Status {
	return &Status{Code: 415, Reason: ReasonUnsupportedMedia,
		Message: "the body of the request was in an unknown format - accepted media types include: " +
			strings.Join(accepted, ", ")}
}

// internalError is a failure to which kube-apiserver gives the reason
// InternalError.
func internalError(err error) *Status {
	return &Status{Code: 500, Reason: ReasonInternal, Message: "Internal error occurred: " + err.Error(), Err: err,
		Details: &StatusDetails{Causes: []Cause{{Message: err.Error()}}}}
}

// plainError is a failure that kube-apiserver passes on as it is: code 500
// without a reason.
func plainError(err error) *Status {
	return &Status{Code: 500, Message: err.Error(), Err: err}
}

// unavailableStatus answers for a store that does not answer. A client may try
// again after a write that was refused (503); after one whose outcome is not
// known (504) it has to read first.
func unavailableStatus(err *store.UnavailableError) *Status {
	st := &Status{Code: 503, Reason: ReasonUnavailable, Message: err.Error(), Err: err, Details: &StatusDetails{RetryAfterSeconds: 1}}
	if err.Unknown {
		st.Code, st.Reason = 504, ReasonTimeout
	}
	return st
}

func expired(message string) *Status {
	return &Status{Code: 410, Reason: ReasonExpired, Message: message}
}

func invalidValue(field, value, why string) Cause {
	return Cause{Type: causeInvalid, Field: field, Message: "Invalid value: " + value + ": " + why}
}

func required(field, why string) Cause {
	message := "Required value"
	if why != "" {
		message += ": " + why
	}
	return Cause{Type: causeRequired, Field: field, Message: message}
}

func forbidden(field, why string) Cause {
	return Cause{Type: causeForbidden, Field: field, Message: "Forbidden: " + why}
}

func tooLong(field string, limit int) Cause {
	return Cause{Type: causeTooLong, Field: field,
		Message: "Too long: may not be more than " + strconv.Itoa(limit) + " bytes"}
}

func notSupported(field, value string, supported ...string) Cause {
	for i, s := range supported {
		supported[i] = strconv.Quote(s)
	}
	return Cause{Type: causeNotSupported, Field: field,
		Message: "Unsupported value: " + value + ": supported values: " + strings.Join(supported, ", ")}
}
