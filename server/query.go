package server

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// optionsOf reads the parameters of a query. Unknown ones are passed over, and
// of one that is given twice the first counts, as in kube-apiserver. Only
// numbers can be malformed.
func optionsOf(q url.Values) (cluster.Options, error) {
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
		Deletion: cluster.Deletion{
			PropagationPolicy: q.Get("propagationPolicy"),
			OrphanDependents:  optionalBoolean(q["orphanDependents"]),
		},
	}
	limit, err := optionalNumber(q["limit"])
	if err != nil {
		return o, err
	}
	if limit != nil {
		o.Limit = *limit
	}
	if _, err := optionalNumber(q["timeoutSeconds"]); err != nil {
		return o, err
	}
	o.Deletion.GracePeriodSeconds, err = optionalNumber(q["gracePeriodSeconds"])
	return o, err
}

// boolean reads a boolean parameter: false and 0 are false, everything else is
// true, also nothing (apimachinery's Convert_Slice_string_To_bool).
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
	if len(values) == 0 || values[0] == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	return &n, nil
}

// timeFor returns how long a request may take: the parameter timeout, at most
// a minute.
func timeFor(q url.Values) (time.Duration, error) {
	text := q.Get("timeout")
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
