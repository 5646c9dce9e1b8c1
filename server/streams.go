package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// isStream reports whether a target is the log of a container, or connects to one.
func (t *target) isStream() bool {
	return t.subresource != "" && t.kind.Builtin && kinds.StreamOptions(t.subresource) != nil
}

// stream answers a request for the log of a container, or for a connection to one. Its body is ignored.
func (s *Server) stream(w *writer, r *http.Request, t target) {
	var form answerForm
	options, err := streamOptionsOf(t, queryOf(r))
	if t.subresource == "log" {
		var refused error
		if form, refused = negotiate(r, offer{protobuf: true, routed: true, plain: true}); refused != nil {
			err = refused
		}
	}
	if err != nil {
		s.fail(w, r, s.refusal(r, t.place, err))
		return
	}
	who := s.identity(r)
	ctx := withDeadline(r.Context(), time.Now().Add(w.limit))
	defer ctx.end()
	response, err := s.cluster.Do(ctx, &cluster.Request{
		Verb: t.verb, Version: t.version, Resource: t.resource, Namespace: t.namespace, Name: t.name, Subresource: t.subresource,
		UserAgent: r.UserAgent(), User: who.user, Impersonator: who.impersonator, Document: &document.Document{Root: options},
		Options: cluster.Options{DryRun: queryOf(r)["dryRun"]},
	})
	switch {
	case err != nil:
		s.fail(w, r, err)
	case response.Code == http.StatusNoContent:
		w.WriteHeader(http.StatusNoContent)
	default:
		s.answer(w, r, form, t, response)
	}
}

// streamOptionsOf returns the options object that a query contains. As elsewhere, unknown parameters are ignored,
// and so are all but the first value of a parameter that is no list.
func streamOptionsOf(t target, query url.Values) (document.Value, error) {
	options := document.NewObject()
	for _, field := range kinds.StreamOptions(t.subresource).Type().Map.Fields {
		values := query[field.Name]
		if len(values) == 0 {
			continue
		}
		v, err := optionOf(field.Type, values)
		if err != nil {
			return document.Value{}, badRequest(err.Error())
		}
		options = options.With(field.Name, v)
	}
	return options, nil
}

// optionOf returns a field of an options object.
func optionOf(t *schema.Type, values []string) (document.Value, error) {
	switch {
	case t.List != nil && t.List.Elem.Scalar == schema.IntegerScalar:
		return portsOf(values)
	case t.List != nil:
		var list []document.Value
		for _, v := range values {
			list = append(list, text(v))
		}
		return document.NewList(list...), nil
	case t.Scalar == schema.BooleanScalar:
		return document.NewBool(boolean(values)), nil
	case t.Scalar == schema.IntegerScalar:
		n, err := strconv.ParseInt(values[0], 10, 64)
		return document.NewInt(n), err
	case t.Format == "date-time":
		_, err := time.Parse(time.RFC3339, values[0])
		return text(values[0]), err
	}
	return text(values[0]), nil
}

// portsOf returns the ports in a query, each value of which may have several, separated by commas.
func portsOf(values []string) (document.Value, error) {
	var list []document.Value
	for _, v := range values {
		for port := range strings.SplitSeq(v, ",") {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil {
				return document.Value{}, fmt.Errorf("cannot convert to []int32: %w", err)
			}
			list = append(list, document.NewInt(int64(n)))
		}
	}
	return document.NewList(list...), nil
}
