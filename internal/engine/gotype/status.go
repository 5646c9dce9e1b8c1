package gotype

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// maxMessage is the maximum length in bytes of a message that shows values, such as whole lists.
const maxMessage = 4 << 10

func shortened(message string) string {
	if len(message) > maxMessage {
		return strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}

// Worded returns a failure for a body, a value or a continue token that cannot be decoded, or for a patch that cannot be
// applied, with kube-apiserver's message, for which clients may look. The cluster's own message names the field and the
// value instead of Go types, and the operation of a JSON patch, of which kube-apiserver reports nothing.
func Worded(status *cluster.Status) *cluster.Status {
	var body *cluster.BodyError
	var undecoded *defaults.DecodeError
	var unpatched *patch.Error
	var token *store.TokenError
	var result *cluster.ResultError
	own, message := "", ""
	if errors.As(status.Err, &body) {
		own, message = body.Message, shortened(bodyMessage(body))
	}
	switch {
	case message != "":
	case errors.As(status.Err, &undecoded):
		own, message = undecoded.Error(), Message(undecoded)
	case errors.As(status.Err, &unpatched) && unpatched.Problem != patch.OtherProblem:
		own, message = unpatched.Error(), shortened(strategicMessage(unpatched))
	case errors.As(status.Err, &unpatched) && status.Code == http.StatusUnprocessableEntity:
		own, message = unpatched.Error(), "the server rejected our request due to an error in our request"
	case errors.As(status.Err, &token):
		own, message = token.Error(), continueMessage(token)
	case !errors.As(status.Err, &result):
		return status
	}
	errors.As(status.Err, &result)
	out := *status
	reworded := func(text string) string {
		if result != nil {
			text = requoted(text, result)
		}
		return replaceEnd(text, own, message)
	}
	out.Message = reworded(out.Message)
	if out.Details != nil {
		details := *out.Details
		details.Causes = slices.Clone(details.Causes)
		for i := range details.Causes {
			details.Causes[i].Message = reworded(details.Causes[i].Message)
		}
		out.Details = &details
	}
	return &out
}

// replaceEnd replaces the end of a text. A message ends with that of its cause; the object that it may quote before could
// contain the same words.
func replaceEnd(text, end, by string) string {
	before, ok := strings.CutSuffix(text, end)
	if !ok {
		return text
	}
	return before + by
}
