package server

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
)

// The forms in which a client may request objects.
const (
	formObject   = ""
	formTable    = "Table"
	formMetadata = "PartialObjectMetadata"
	formList     = "PartialObjectMetadataList"
)

const metaGroup = "meta.k8s.io"

// answerForm is the form of the response that was negotiated: the media type, and the form of
// the object.
type answerForm struct {
	yaml, protobuf, pretty bool
	// as is one of the forms above, in the given version of meta.k8s.io.
	as, version string
}

// apiVersion returns the apiVersion of the form, unless it is the object itself.
func (a answerForm) apiVersion() string { return metaGroup + "/" + a.version }

func (a answerForm) contentType() string {
	switch {
	case a.yaml:
		return "application/yaml"
	case a.protobuf:
		return protobuf.MediaType
	}
	return "application/json"
}

// clause is one part of an Accept header.
type clause struct {
	kind   string // "application/json"
	params map[string]string
	q      float64
}

// clauses appends the parts of an Accept header to out, the preferred ones first. Invalid parts
// are ignored. The order is that of kube-apiserver's parser (munnerz/goautoneg), in which a
// part before a wildcard stays there whatever its quality is.
func clauses(out []clause, header string) []clause {
	for part := range strings.SplitSeq(header, ",") {
		if c, ok := parseClause(strings.Trim(part, " ")); ok {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b clause) int {
		if a.q > b.q || strings.Count(a.kind, "*") < strings.Count(b.kind, "*") {
			return -1
		}
		return 0
	})
	return out
}

// parseClause parses a part of an Accept header. Media types are compared by case, and
// parameters without a value, or with several "=", are ignored. A supported media type without
// parameters, which is what most clients send, needs no parsing.
func parseClause(part string) (c clause, ok bool) {
	c.q = 1
	if slices.Contains(media[:], part) {
		c.kind = part
		return c, true
	}
	kind, rest, _ := strings.Cut(part, ";")
	kind, sub, _ := strings.Cut(kind, "/")
	kind = strings.Trim(kind, " ")
	sub, more, _ := strings.Cut(sub, "/")
	switch {
	case more != "", sub == "" && kind != "*":
		return c, false
	case sub == "":
		sub = "*"
	}
	c.kind = kind + "/" + strings.Trim(sub, " ")
	for rest != "" {
		var parameter string
		parameter, rest, _ = strings.Cut(rest, ";")
		name, value, _ := strings.Cut(parameter, "=")
		value, more, _ := strings.Cut(value, "=")
		if value == "" || more != "" {
			continue
		}
		if name = strings.Trim(name, " "); name == "q" {
			c.q, _ = strconv.ParseFloat(value, 32) // 0 for a text that is not a number
			continue
		}
		if c.params == nil {
			c.params = map[string]string{}
		}
		c.params[name] = strings.Trim(value, " ")
	}
	return c, true
}

// offer describes the forms in which a request can be answered.
type offer struct {
	// protobuf is true if the objects can be encoded in protobuf, which custom resources
	// cannot. Metadata alone always can.
	protobuf bool
	// tables is true if the objects can be converted to a table.
	tables bool
	// document is true for documents such as discovery lists, which cannot be converted to a
	// table or to metadata. aggregated is true for the aggregated form of discovery alone
	// (apidiscovery.k8s.io).
	document, aggregated bool
	// routed is true for paths whose media types kube-apiserver declares to its router
	// (go-restful): the built-in kinds, their discovery, and /version. The router does not know
	// ranges such as application/*.
	routed bool
	// plain is true for the routes of logs, which declare text/plain, too.
	plain bool
	// streams is true for routes that also serve watches, and declare their media types.
	streams bool
}

// failureOffer is the offer of an error: unlike the object that was requested, it is not
// converted to a table or to metadata.
var failureOffer = offer{protobuf: true, document: true}

// media are the supported media types in order of preference.
var media = [...]string{"application/json", "application/yaml", protobuf.MediaType}

// negotiate chooses the form of the response. If it returns an error, the returned form is the
// one for the error: indented JSON if the client accepts none of the media types.
func negotiate(r *http.Request, o offer) (answerForm, error) {
	form := answerForm{pretty: pretty(r)}
	header := r.Header.Get("Accept")
	if header == "" {
		return form, nil
	}
	if o.routed {
		types := media[:]
		if o.streams {
			types = append(types, "application/json;stream=watch", protobuf.MediaType+";stream=watch")
		}
		if o.plain {
			types = append([]string{"text/plain"}, types...)
		}
		if err := checkRoute(header, types); err != nil {
			failed, _ := negotiate(r, failureOffer)
			return failed, err
		}
	}
	var few [4]clause
	for _, c := range clauses(few[:0], header) {
		for _, kind := range media {
			if c.kind != kind && c.kind != "application/*" && c.kind != "*/*" || !o.accepts(kind, c.params) {
				continue
			}
			form.yaml, form.protobuf = kind == "application/yaml", kind == protobuf.MediaType
			form.as, form.version = c.params["as"], c.params["v"]
			form.pretty = (form.pretty || c.params["pretty"] == "1") && !form.protobuf
			return form, nil
		}
	}
	return answerForm{pretty: true}, notAcceptable(strings.Join(media[:], ", "))
}

// errNoRoute is the cause of refusals by kube-apiserver's router, which precede the handler and its warnings.
var errNoRoute = errors.New("no route")

// checkRoute returns the error of kube-apiserver's router if an Accept header names none of
// the media types of a route.
func checkRoute(header string, types []string) error {
	for part := range strings.SplitSeq(header, ",") {
		kind, _, _ := strings.Cut(part, ";")
		if kind = strings.TrimSpace(kind); kind == "*/*" || slices.Contains(types, kind) {
			return nil
		}
	}
	return &cluster.Status{
		Code: http.StatusNotAcceptable, Reason: "NotAcceptable", Details: &cluster.StatusDetails{}, Err: errNoRoute,
		Message: "406: Not Acceptable\n\nAvailable representations: " + strings.Join(types, ", "),
	}
}

// accepts reports whether the parameters of a media type can be satisfied
// (apiserver/pkg/endpoints/handlers, AllowsMediaTypeTransform).
func (o offer) accepts(kind string, params map[string]string) bool {
	if stream := params["stream"]; stream != "" && (stream != "watch" || kind == "application/yaml") {
		return false
	}
	as, version, group := params["as"], params["v"], params["g"]
	if o.aggregated {
		return as == discoveryListKind && group == discoveryGroupName && version == "v2"
	}
	if as+version+group == "" {
		return kind != protobuf.MediaType || o.protobuf
	}
	return !o.document && transforms(as, version, group) && (as != formTable || o.tables && kind != protobuf.MediaType)
}

func notAcceptable(types string) *cluster.Status {
	return &cluster.Status{
		Code: http.StatusNotAcceptable, Reason: "NotAcceptable",
		Message: "only the following media types are accepted: " + types,
	}
}

// transforms reports whether an object can be converted to that form.
func transforms(as, version, group string) bool {
	if group != metaGroup || version != "v1" && version != "v1beta1" {
		return false
	}
	return as == formTable || as == formMetadata || as == formList
}

// pretty reports whether to indent the response: if the query parameter pretty is set, or by
// default for curl, wget and browsers.
func pretty(r *http.Request) bool {
	if strings.Contains(r.URL.RawQuery, "pretty") {
		if p := r.URL.Query().Get("pretty"); p != "" {
			yes, err := strconv.ParseBool(p)
			return yes && err == nil
		}
	}
	agent := r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// bodyFormat parses the Content-Type of a request. For a patch it must match exactly, as in
// kube-apiserver.
func bodyFormat(r *http.Request) cluster.Format {
	header := r.Header.Get("Content-Type")
	if r.Method == http.MethodPatch {
		kind, _, _ := strings.Cut(header, ";")
		switch kind {
		case "application/json-patch+json":
			return cluster.JSONPatch
		case "application/merge-patch+json":
			return cluster.MergePatch
		case "application/strategic-merge-patch+json":
			return cluster.StrategicPatch
		case "application/apply-patch+yaml":
			return cluster.ApplyPatch
		}
		return cluster.UnknownFormat
	}
	if header == "" {
		return cluster.JSON
	}
	switch kind, err := mediaType(header); {
	case err != nil:
		return cluster.UnknownFormat
	case kind == "application/json":
		return cluster.JSON
	case kind == "application/yaml":
		return cluster.YAML
	}
	return cluster.UnknownFormat
}

// mediaType returns the media type of a Content-Type header without its parameters.
func mediaType(header string) (string, error) {
	if slices.Contains(media[:], header) {
		return header, nil
	}
	kind, _, err := mime.ParseMediaType(header)
	return kind, err
}
