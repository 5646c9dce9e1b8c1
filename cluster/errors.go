package cluster

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// Reasons of failures (metav1.StatusReason).
const (
	ReasonBadRequest       = "BadRequest"
	ReasonNotFound         = "NotFound"
	ReasonAlreadyExists    = "AlreadyExists"
	ReasonConflict         = "Conflict"
	ReasonForbidden        = "Forbidden"
	ReasonInvalid          = "Invalid"
	ReasonMethodNotAllowed = "MethodNotAllowed"
	ReasonTooManyRequests  = "TooManyRequests"
	ReasonUnsupportedMedia = "UnsupportedMediaType"
	ReasonTooLarge         = "RequestEntityTooLarge"
	ReasonInternal         = "InternalError"
	ReasonExpired          = "Expired"
	ReasonTimeout          = "Timeout"
	ReasonUnavailable      = "ServiceUnavailable"
)

// Types of the causes of a failure (metav1.CauseType).
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

// CauseConflict is the type of a cause that is a conflict with another field manager
// (metav1.CauseTypeFieldManagerConflict).
const CauseConflict = "FieldManagerConflict"

// groupResource is the qualified name of a resource or kind in messages: "deployments.apps".
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

// noResource returns the error for a path that is not served.
func noResource() *Status {
	return &Status{Code: 404, Reason: ReasonNotFound,
		Message: "the server could not find the requested resource", Details: &StatusDetails{}}
}

func alreadyExists(what groupResource, name string) *Status {
	return &Status{Code: 409, Reason: ReasonAlreadyExists,
		Message: what.String() + " " + strconv.Quote(name) + " already exists",
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}

// modified is the message of a write with an outdated resourceVersion.
const modified = "the object has been modified; please apply your changes to the latest version and try again"

func conflict(what groupResource, name, why string) *Status {
	return &Status{Code: 409, Reason: ReasonConflict,
		Message: "Operation cannot be fulfilled on " + what.String() + " " + strconv.Quote(name) + ": " + why,
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}

// maxCauses limits the size of the listed causes in bytes. The message of
// [fieldmanager.Conflicts] has the same limit. kube-apiserver has none.
const maxCauses = 3 << 20

// invalid returns the error for an object that fails validation. what is the object's kind
// (not its resource), except where kube-apiserver itself uses the resource. Causes with equal
// messages are all listed, but the status message contains them once. It ends with the number of those
// that are left out because of maxCauses.
func invalid(what groupResource, name string, causes []Cause) *Status {
	var texts []string
	seen := map[string]bool{}
	for i, size := 0, 0; i < len(causes); i++ {
		c := causes[i]
		if size += len(c.Field) + len(c.Message); i > 0 && size > maxCauses {
			texts = append(texts, "and "+strconv.Itoa(len(causes)-i)+" more")
			causes = causes[:i]
			break
		}
		if c.Path == nil {
			causes[i].Path = fieldPath(c.Field)
		}
		if text := c.Field + ": " + c.Message; !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	message := what.String() + " " + strconv.Quote(name) + " is invalid: " + aggregate(texts)
	return &Status{Code: 422, Reason: ReasonInvalid, Message: message,
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name, Causes: causes}}
}

// aggregate joins the messages of errors like apimachinery's Aggregate: one stands alone, several in
// brackets.
func aggregate(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// fieldPath parses the field of a cause into a path. It reads the notation of
// schema.FieldText: spec.ports[0].name, metadata.annotations[a.b/c].
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

// unprocessable returns the error for a patch that cannot be applied to the object.
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

// internalError returns an error with the reason InternalError.
func internalError(err error) *Status {
	return &Status{Code: 500, Reason: ReasonInternal, Message: "Internal error occurred: " + err.Error(), Err: err,
		Details: &StatusDetails{Causes: []Cause{{Message: err.Error()}}}}
}

// plainError returns an error with code 500 and no reason, as kube-apiserver does for errors
// that are not a Status.
func plainError(err error) *Status {
	return &Status{Code: 500, Message: err.Error(), Err: err}
}

// unavailableStatus returns the error for a store that does not respond. After 503 the write
// was not stored and can be retried; after 504 its outcome is unknown, so that a client has to
// read the object first.
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
