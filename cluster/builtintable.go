package cluster

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// Rules for parts of built-in objects that need no look at other parts stand in
// tables, which weigh less in a page than code. A line is a path, a rule and what
// belongs to it:
//
//	required       must not be empty where what it is a part of is there
//	needed         must not be empty
//	one A,B        a text, one of these
//	among A,B      the same, where another is no unsupported value but an invalid one
//	range A,B      a number from A to B, or of A alone from A on
//	number         the number of a port; it must be there
//	port           the number or name of a port
//	label, subdomain, qualified, variable   a name of that kind
//
// but for the first two a part may be missing. A rule that ends with ^ blames what
// the part is a part of.

// kindRules are those of kinds; the first line and those that begin with # name the
// kinds of what follows.
const kindRules = `apps/Deployment apps/ReplicaSet apps/StatefulSet apps/DaemonSet
spec.selector needed
spec.replicas range 0
spec.minReadySeconds range 0
spec.template.spec.restartPolicy one Always
# apps/Deployment
spec.strategy.type one^ Recreate,RollingUpdate
spec.progressDeadlineSeconds range 0
# apps/Deployment apps/DaemonSet
spec.revisionHistoryLimit range 0
# apps/DaemonSet
spec.updateStrategy.type one^ OnDelete,RollingUpdate
# apps/StatefulSet
spec.updateStrategy.type among^ OnDelete,RollingUpdate
spec.podManagementPolicy among OrderedReady,Parallel
# /ReplicationController
spec.selector needed
spec.template needed
spec.replicas range 0
spec.minReadySeconds range 0
# batch/Job
spec.parallelism range 0
spec.completions range 0
spec.backoffLimit range 0
spec.activeDeadlineSeconds range 0
spec.ttlSecondsAfterFinished range 0
spec.completionMode one Indexed,NonIndexed
# batch/CronJob
spec.schedule needed
spec.concurrencyPolicy one Allow,Forbid,Replace
spec.startingDeadlineSeconds range 0
spec.successfulJobsHistoryLimit range 0
spec.failedJobsHistoryLimit range 0
# autoscaling/HorizontalPodAutoscaler
spec.scaleTargetRef.kind needed
spec.scaleTargetRef.name needed
spec.minReplicas range 1`

// check gathers what is wrong with one object.
type check struct {
	object document.Value
	causes []Cause
}

func (c *check) at(path string) document.Value {
	return c.object.Lookup(strings.Split(path, ".")...)
}

func (c *check) add(cause Cause) { c.causes = append(c.causes, cause) }

// kind judges the object by the rules of its kind.
func (c *check) kind(name string) {
	for section, rest, more := "", kindRules, true; more; {
		section, rest, more = strings.Cut(rest, "\n# ")
		kinds, rules, _ := strings.Cut(section, "\n")
		for kind, others := "", kinds; others != ""; {
			if kind, others, _ = strings.Cut(others, " "); kind == name {
				c.judge(nil, c.object, rules)
			}
		}
	}
}

// A way leads to a part; it is written only for what is wrong. nil is the object.
type way struct {
	above *way
	path  string
	index int // of an item of the list there, -1 for none
}

func (w *way) to(path string) *way { return &way{w, path, -1} }

func (w *way) item(list string, i int) *way { return &way{w, list, i} }

func (w *way) String() string { return string(w.append(nil)) }

// append copies, so that a way is not kept by what is written of it.
func (w *way) append(dst []byte) []byte {
	if w == nil {
		return dst
	}
	if dst = w.above.append(dst); len(dst) > 0 && w.path != "" {
		dst = append(dst, '.')
	}
	dst = append(dst, w.path...)
	if w.index >= 0 {
		dst = append(strconv.AppendInt(append(dst, '['), int64(w.index), 10), ']')
	}
	return dst
}

// judge holds the parts of a value against a table.
func (c *check) judge(at *way, v document.Value, rules string) {
	for rules != "" {
		var line string
		line, rules, _ = strings.Cut(rules, "\n")
		path, rule, _ := strings.Cut(line, " ")
		c.line(at, v, path, rule)
	}
}

func (c *check) line(at *way, v document.Value, path, rule string) {
	list, below, each := strings.Cut(path, "[].")
	if !each {
		c.blame(at, v, path, rule, "", -1)
		return
	}
	_, items := partAt(v, list)
	if items.Kind() != document.List {
		return
	}
	deeper := strings.Contains(below, "[].")
	for i := range items.Len() {
		if deeper {
			c.line(at.item(list, i), items.At(i), below, rule)
		} else {
			c.blame(at, items.At(i), below, rule, list, i)
		}
	}
}

// blame judges the part of a value that a path leads to, which is that of an item
// where index is not negative. Its way is made only where it is wrong.
func (c *check) blame(at *way, v document.Value, path, rule, list string, index int) {
	whole, part := partAt(v, path)
	rule, of, _ := strings.Cut(rule, " ")
	if path != "" && whole.Kind() != document.Object && rule != "needed" {
		return
	}
	rule, above := strings.CutSuffix(rule, "^")
	wrong := judged(part, rule, of)
	if wrong == nil {
		return
	}
	if above {
		path = path[:strings.LastIndexByte(path, '.')]
	}
	if index >= 0 {
		at = at.item(list, index)
	}
	wrong.Field = at.to(path).String()
	c.add(*wrong)
}

// partAt follows dotted keys to a part and what it is a part of.
func partAt(v document.Value, path string) (whole, part document.Value) {
	whole, part = v, v
	for more := path != ""; more; {
		var key string
		key, path, more = strings.Cut(path, ".")
		whole, part = part, part.Get(key)
	}
	return whole, part
}

// judged says what is wrong with a part, nil for nothing.
func judged(v document.Value, rule, of string) *Cause {
	text, isText := v.Text()
	n, isInt := v.Int()
	missing := v.Kind() <= document.Null || isText && text == "" || v.Kind() >= document.List && v.Len() == 0
	var why string
	switch {
	case missing && (rule == "required" || rule == "needed"), rule == "number" && n == 0:
		cause := required("", "")
		return &cause
	case missing && !(rule == "port" && isText && of != ""):
	case rule == "one":
		if isText && !among(text, of) {
			cause := notSupported("", strconv.Quote(text), strings.Split(of, ",")...)
			return &cause
		}
	case isInt && (rule == "range" || rule == "port" || rule == "number"):
		if rule != "range" {
			of = "1,65535"
		}
		least, most, bounded := strings.Cut(of, ",")
		low, _ := strconv.ParseInt(least, 10, 64)
		high, _ := strconv.ParseInt(most, 10, 64)
		switch {
		case bounded && (n < low || n > high):
			why = "must be between " + least + " and " + most + ", inclusive"
		case n < low:
			why = "must be " + least + " or more"
		}
	case !isText:
	case rule == "among" && !among(text, of):
		why = "must be one of " + of
	case rule == "label":
		why = names.DNSLabel(text)
	case rule == "subdomain":
		why = names.DNSSubdomain(text)
	case rule == "qualified":
		why = names.QualifiedName(text)
	case rule == "port":
		why = portName(text)
	case rule == "variable" && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '=' }):
		why = "must consist of printable ASCII characters other than '='"
	}
	if why == "" {
		return nil
	}
	cause := invalidValue("", v.String(), why)
	return &cause
}

// among reports whether a text is one of those that commas part.
func among(text, known string) bool {
	for one := ""; known != ""; {
		if one, known, _ = strings.Cut(known, ","); one == text {
			return true
		}
	}
	return false
}

// portName wants a service's name (RFC 6335, 5.1).
func portName(s string) string {
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	if len(s) > 15 || !strings.ContainsAny(s, letters) || strings.Trim(s, letters+digits+"-") != "" ||
		strings.Contains(s, "--") || s[0] == '-' || s[len(s)-1] == '-' {
		return "must have at most 15 lower case letters, digits and single '-' between them, and a letter among them"
	}
	return ""
}
