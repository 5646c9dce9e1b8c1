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
// numbers can be malformed, and only those that the verb has are looked at.
func optionsOf(verb cluster.Verb, q url.Values) (cluster.Options, error) {
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
	var err error
	switch verb {
	case cluster.Get:
		err = refuseExport(q["export"])
	case cluster.List, cluster.Watch:
		err = readListNumbers(q, &o)
	case cluster.DeleteCollection:
		if err = readListNumbers(q, &o); err == nil {
			o.Deletion.GracePeriodSeconds, err = optionalNumber(q["gracePeriodSeconds"])
		}
	case cluster.Delete:
		o.Deletion.GracePeriodSeconds, err = optionalNumber(q["gracePeriodSeconds"])
	}
	return o, err
}

// readListNumbers reads the numbers among the options of lists.
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

// refuseExport refuses a parameter that was taken away in Kubernetes 1.18.
func refuseExport(values []string) error {
	if len(values) == 0 {
		return nil
	}
	wanted := true
	if values[0] != "" {
		var err error
		if wanted, err = strconv.ParseBool(values[0]); err != nil {
			return badRequest("invalid value for the parameter export: " + err.Error())
		}
	}
	if wanted {
		return badRequest("the parameter export is no longer supported")
	}
	return nil
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
	if len(values) == 0 {
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
