package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/kinds"
)

// standardFinalizers are the finalizers that need no domain.
var standardFinalizers = []string{kinds.FinalizerOrphan, kinds.FinalizerForeground, "kubernetes"}

// finalizerWarnings returns the API server's warnings about the finalizers that a write adds
// to a custom resource (apiextensions-apiserver, validateKubeFinalizerName). For built-in
// kinds most of these are errors.
func (t *task) finalizerWarnings(live, next document.Value) []string {
	if t.ep.kind.Builtin || t.ep.sub != "" {
		return nil
	}
	had := map[string]bool{}
	for _, name := range finalizers(live) {
		had[name] = true
	}
	added := slices.DeleteFunc(finalizers(next), func(name string) bool { return had[name] })
	slices.Sort(added)
	var out []string
	for _, name := range slices.Compact(added) {
		warn := func(why string) {
			out = append(out, fmt.Sprintf("metadata.finalizers: %s: %s", strconv.Quote(name), why))
		}
		if why := names.QualifiedName(name); why != "" {
			for reason := range strings.SplitSeq(why, "\n") {
				warn(reason)
			}
		}
		if strings.Contains(name, "/") || slices.Contains(standardFinalizers, name) {
			continue
		}
		what := ""
		if strings.Contains(name, ".") {
			what = " including a path (/)"
		}
		warn("prefer a domain-qualified finalizer name" + what + " to avoid accidental conflicts with other finalizer writers")
	}
	return out
}

// strategyWarnings returns the warnings of the kind's strategy about a valid object, which the
// API server collects before admission validates the object. live is the stored object, absent
// for a new one.
func (t *task) strategyWarnings(live, next document.Value) []string {
	return append(t.finalizerWarnings(live, next), t.ep.strategy.Warnings(t.ep.kind, t.ep.sub, next, live)...)
}

// warned adds the deprecation warning of the requested version to the answer to a request.
func (e *endpoint) warned(resp *Response, st *Status) (*Response, *Status) {
	if st != nil {
		return nil, e.deprecated(st)
	}
	if warning := e.deprecation(); warning != "" {
		resp.Warnings = append([]string{warning}, resp.Warnings...)
	}
	return resp, nil
}

// deprecated adds the deprecation warning of the requested version to a failure.
func (e *endpoint) deprecated(st *Status) *Status {
	if warning := e.deprecation(); warning != "" {
		return st.warning([]string{warning})
	}
	return st
}

// deprecation returns the warning for requests to a deprecated version, or "" if the version
// is not deprecated.
func (e *endpoint) deprecation() string {
	switch {
	case e.kind.Builtin:
		return e.strategy.Deprecated
	case e.kind.Deprecated:
		return e.kind.Warning
	}
	return ""
}
