package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// queryOf parses the query of a request. It is nil if there is none, as in most requests.
func queryOf(r *http.Request) url.Values {
	if r.URL.RawQuery == "" {
		return nil
	}
	return r.URL.Query()
}

// optionsOf parses query parameters. As in kube-apiserver, unknown parameters are ignored, and
// only the first value of a repeated one is used. Only numbers can be invalid, and only those
// that apply to the verb are parsed. The options of a deletion are taken from the query only
// if the request has no body.
func optionsOf(verb cluster.Verb, q url.Values, hasBody bool) (cluster.Options, error) {
	o := cluster.Options{
		FieldManager:         q.Get("fieldManager"),
		FieldValidation:      q.Get("fieldValidation"),
		DryRun:               q["dryRun"],
		ResourceVersion:      q.Get("resourceVersion"),
		ResourceVersionMatch: q.Get("resourceVersionMatch"),
		LabelSelector:        q.Get("labelSelector"),
		FieldSelector:        q.Get("fieldSelector"),
		Continue:             q.Get("continue"),
		Force:                optionalBoolean(q["force"]),
		InitialEvents:        optionalBoolean(q["sendInitialEvents"]),
		Bookmarks:            len(q["allowWatchBookmarks"]) > 0 && boolean(q["allowWatchBookmarks"]),
	}
	var err error
	switch verb {
	case cluster.Get:
		err = refuseExport(q["export"])
	case cluster.List, cluster.Watch:
		err = readListNumbers(q, &o)
	case cluster.DeleteCollection:
		if err = readListNumbers(q, &o); err == nil && !hasBody {
			o.Deletion, err = deletionOf(q)
		}
	case cluster.Delete:
		if !hasBody {
			o.Deletion, err = deletionOf(q)
		}
	}
	return o, err
}

// deletionOf parses the options of a deletion. Preconditions are separate parameters
// (apimachinery's Convert_url_Values_To_v1_DeleteOptions).
func deletionOf(q url.Values) (cluster.Deletion, error) {
	given := func(key string) *string {
		if values := q[key]; len(values) > 0 {
			return &values[0]
		}
		return nil
	}
	d := cluster.Deletion{
		PropagationPolicy: given("propagationPolicy"), OrphanDependents: optionalBoolean(q["orphanDependents"]),
		UID: given("uid"), ResourceVersion: given("resourceVersion"),
	}
	for _, precondition := range []**string{&d.UID, &d.ResourceVersion} {
		if *precondition != nil && **precondition == "" {
			*precondition = nil
		}
	}
	var err error
	d.GracePeriodSeconds, err = optionalNumber(q["gracePeriodSeconds"])
	return d, err
}

// readListNumbers parses the numeric options of lists.
func readListNumbers(q url.Values, o *cluster.Options) error {
	limit, err := optionalNumber(q["limit"])
	if err != nil {
		return err
	}
	if limit != nil {
		o.Limit = *limit
	}
	_, err = optionalNumber(q["timeoutSeconds"])
	return err
}

// refuseExport refuses the parameter export, which was removed in Kubernetes 1.18.
func refuseExport(values []string) error {
	if len(values) == 0 || !boolean(values) {
		return nil
	}
	return badRequest("the export parameter, deprecated since v1.14, is no longer supported")
}

// boolean parses a boolean parameter: "false" and "0" are false, everything else is true,
// including the empty string (apimachinery's Convert_Slice_string_To_bool).
func boolean(values []string) bool {
	return len(values) == 0 || !strings.EqualFold(values[0], "false") && values[0] != "0"
}

func optionalBoolean(values []string) *bool {
	if len(values) == 0 {
		return nil
	}
	b := boolean(values)
	return &b
}

func optionalNumber(values []string) (*int64, error) {
	if len(values) == 0 {
		return nil, nil
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	return &n, nil
}

// timeFor returns the time limit of a request: the parameter timeout, at most a minute. As in
// kube-apiserver, every path has one, and an invalid one is refused before the client is
// authenticated. Watches have timeoutSeconds instead, and requests that run long, such as those for
// logs and connections, have none.
func timeFor(r *http.Request) (time.Duration, error) {
	if !strings.Contains(r.URL.RawQuery, "timeout") || isWatch(r) || runsLong(r) {
		return requestTime, nil
	}
	text := queryOf(r).Get("timeout")
	if text == "" {
		return requestTime, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, badRequest("invalid timeout specified in the request URL - " + err.Error())
	}
	if d <= 0 || d > requestTime {
		d = requestTime
	}
	return d, nil
}

// runsLong reports whether a request is for a subresource that may take as long as its client wants. kube-apiserver
// decides that by the path alone, whatever the kind.
func runsLong(r *http.Request) bool {
	_, _, rest := ofObjects(split(r.URL.Path))
	if len(rest) == 0 {
		return false
	}
	p := placeOf("", "", rest)
	return p.proxy || p.hasLongSubresource()
}
