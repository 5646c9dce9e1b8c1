package kinds

import (
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// validateJobStatus validates an update of the status, by the Job controller or by the
// controller in spec.managedBy (KEP-4368), which has been possible since Kubernetes 1.32. Most
// rules apply only to fields that change. The order is kube-apiserver's.
func validateJobStatus(c *check, object, old field) {
	s := jobStatus{check: c, spec: object.get("spec"), status: object.get("status"), was: old.get("status")}
	c.counts(s.status, "active", "succeeded", "failed", "ready", "terminating")
	s.checkUncounted()
	managed := c.kind.Since("1.32")
	if managed {
		s.checkEnd()
		s.checkTerminalConditions()
		s.checkFinished()
		s.checkIndexes()
		s.checkPods()
	}
	s.checkSuccessCriteria()
	if managed {
		s.checkLostConditions()
		s.checkCounters()
		s.checkFixedTimes()
	}
	s.checkKeptCriteria()
}

type jobStatus struct {
	*check
	spec, status, was field
}

func (s *jobStatus) changed(name string) bool { return !s.same(s.status.get(name), s.was.get(name)) }

func (s *jobStatus) is(condition string) bool     { return hasCondition(s.status.Value, condition) }
func (s *jobStatus) wasIs(condition string) bool  { return hasCondition(s.was.Value, condition) }
func (s *jobStatus) turned(condition string) bool { return s.is(condition) != s.wasIs(condition) }

func (s *jobStatus) finished() bool { return s.is("Complete") || s.is("Failed") }
func (s *jobStatus) finishedChanged() bool {
	return s.finished() != (s.wasIs("Complete") || s.wasIs("Failed"))
}

func (s *jobStatus) checkUncounted() {
	seen := seenTexts{}
	for _, name := range [...]string{"uncountedTerminatedPods.succeeded", "uncountedTerminatedPods.failed"} {
		list := s.status.get(name)
		for i := range list.items() {
			if uid := list.item(i); uid.text() == "" {
				s.invalid(uid, "must not be empty")
			} else if seen.add(uid.text()) {
				s.duplicate(uid)
			}
		}
	}
}

// wrong reports an error of the conditions as a whole.
func (s *jobStatus) wrong(is bool, why string) {
	if is {
		s.invalidAlone(s.status.get("conditions"), why)
	}
}

// checkEnd forbids Complete together with the conditions of a failure, and requires the time of
// completion with it.
func (s *jobStatus) checkEnd() {
	complete := s.is("Complete")
	s.wrong(complete && s.is("Failed") && (s.turned("Complete") || s.turned("Failed")), "cannot set Complete=True and Failed=true conditions")
	s.wrong(complete && s.is("FailureTarget") && (s.turned("Complete") || s.turned("FailureTarget")), "cannot set Complete=True and FailureTarget=true conditions")
	start, end := s.status.get("startTime"), s.status.get("completionTime")
	if s.turned("Complete") || s.changed("completionTime") {
		switch {
		case end.isSet() && !complete:
			s.invalid(end, "cannot set completionTime when there is no Complete=True condition")
		case !end.isSet() && complete:
			s.required(end, "completionTime is required for Complete jobs")
		}
	}
	if (s.changed("startTime") || s.changed("completionTime")) && isBefore(end.text(), start.text()) {
		s.invalid(end, "must be equal to or after `startTime`")
	}
}

// checkTerminalConditions requires the conditions that precede those that end a Job.
func (s *jobStatus) checkTerminalConditions() {
	s.wrong(s.is("Failed") && !s.is("FailureTarget") && (s.turned("Failed") || s.changed("failedIndexes")),
		"cannot set Failed=True condition without the FailureTarget=true condition")
	s.wrong(s.is("Complete") && !s.is("SuccessCriteriaMet") && (s.turned("Complete") || s.turned("SuccessCriteriaMet")),
		"cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
}

// checkPods forbids terminating pods in a finished Job, and more ready pods than active ones.
func (s *jobStatus) checkPods() {
	if terminating := s.status.get("terminating"); terminating.number() > 0 && s.finished() && (s.finishedChanged() || s.changed("terminating")) {
		s.invalid(terminating, "terminating>0 is invalid for finished job")
	}
	if ready := s.status.get("ready"); ready.isSet() && ready.number() > s.status.get("active").number() && (s.changed("ready") || s.changed("active")) {
		s.invalid(ready, "cannot set more ready pods than active")
	}
}

// checkSuccessCriteria forbids conditions that contradict SuccessCriteriaMet.
func (s *jobStatus) checkSuccessCriteria() {
	met := s.is("SuccessCriteriaMet")
	if met && !s.kind.Since("1.31") {
		s.wrong(!isIndexed(s.spec), "cannot set SuccessCriteriaMet to NonIndexed Job")
		s.wrong(!s.spec.get("successPolicy").isSet(), "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy")
	}
	s.wrong(met && s.is("Failed"), "cannot set SuccessCriteriaMet=True and Failed=true conditions")
	s.wrong(met && s.is("FailureTarget"), "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
	s.wrong(s.is("Complete") && !met && s.spec.get("successPolicy").isSet(), "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
}

// checkLostConditions forbids removing a condition that ends the Job.
func (s *jobStatus) checkLostConditions() {
	for _, name := range [...]string{"Failed", "Complete", "FailureTarget"} {
		s.wrong(s.wasIs(name) && !s.is(name), "cannot disable the terminal "+name+"=True condition")
	}
}

// checkKeptCriteria forbids removing SuccessCriteriaMet, and adding it to a complete Job.
func (s *jobStatus) checkKeptCriteria() {
	met, was := s.is("SuccessCriteriaMet"), s.wasIs("SuccessCriteriaMet")
	s.wrong(was && !met, "cannot disable the SuccessCriteriaMet=True condition")
	s.wrong(s.wasIs("Complete") && !was && met, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
}

// checkFixedTimes forbids changing the time of completion, and the start time unless the Job is
// suspended or resumed.
func (s *jobStatus) checkFixedTimes() {
	start, end := s.status.get("startTime"), s.status.get("completionTime")
	if before := s.was.get("completionTime"); end.isSet() && before.isSet() && end.text() != before.text() {
		s.invalidChange(end, isImmutable)
	}
	resuming := s.wasIs("Suspended") && conditionIs(s.status.Value, "Suspended", "False")
	if s.was.get("startTime").isSet() && s.changed("startTime") && !resuming && !s.spec.get("suspend").isTrue() {
		if !s.kind.Since("1.36") {
			s.required(start, "startTime cannot be removed for unsuspended job")
			return
		}
		start.Value = orNull(start.Value)
		s.invalidChange(start, "field is immutable for unsuspended job once set")
	}
}

// isBefore reports whether a timestamp is before another; false if either is absent.
func isBefore(a, b string) bool {
	x, wrong := time.Parse(time.RFC3339, a)
	y, alsoWrong := time.Parse(time.RFC3339, b)
	return wrong == nil && alsoWrong == nil && x.Before(y)
}

// checkFinished forbids active pods in a finished Job.
func (s *jobStatus) checkFinished() {
	if !s.finished() {
		return
	}
	finished := s.finishedChanged()
	if active := s.status.get("active"); active.number() > 0 && (finished || s.changed("active")) {
		s.invalid(active, "active>0 is invalid for finished job")
	}
	idle := s.spec.get("suspend").isTrue() && s.spec.get("completions").isSet() && s.spec.get("completions").number() == 0
	if start := s.status.get("startTime"); !start.isSet() && !idle && (finished || s.changed("startTime")) {
		s.required(start, "startTime is required for finished job")
	}
	pods := s.status.get("uncountedTerminatedPods")
	if pods.get("succeeded").items()+pods.get("failed").items() > 0 && (finished || s.changed("uncountedTerminatedPods")) {
		s.invalid(pods, "must be empty for finished job")
	}
}

func (s *jobStatus) checkIndexes() {
	completions, perIndex := s.spec.get("completions"), s.spec.get("backoffLimitPerIndex")
	done, failed := s.status.get("completedIndexes"), s.status.get("failedIndexes")
	doneChanged, failedChanged := done.text() != s.was.get("completedIndexes").text(), s.changed("failedIndexes")
	format := func(list field, changed bool) {
		if _, why := countIndexes(list.text(), completions.number()); changed && completions.isSet() && why != "" {
			s.invalid(list, "error parsing "+list.lastName()+": "+why)
		}
	}
	format(done, doneChanged)
	if perIndex.isSet() && failed.isSet() {
		format(failed, failedChanged)
	}
	if doneChanged && done.text() != "" && !isIndexed(s.spec) {
		s.invalid(done, "cannot set non-empty completedIndexes when non-indexed completion mode")
	}
	if failedChanged && failed.isSet() && !perIndex.isSet() {
		s.invalid(failed, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")
	}
	if (failedChanged || doneChanged) && completions.isSet() && failed.isSet() {
		if at, found := overlap(done.text(), failed.text(), completions.number()); found {
			s.invalid(failed, "failedIndexes and completedIndexes overlap at index: "+strconv.FormatInt(at, 10))
		}
	}
}

// overlap returns the first index that two lists of indexes have in common. Malformed intervals are
// ignored. Both lists are ascending, so that one pass is enough.
func overlap(a, b string, completions int64) (at int64, found bool) {
	if a == "" || b == "" {
		return 0, false
	}
	as, bs := strings.Split(a, ","), strings.Split(b, ",")
	for i, j := 0, 0; i < len(as) && j < len(bs); {
		aFrom, aTo, why := indexInterval(as[i], completions)
		if why != "" {
			i++
			continue
		}
		bFrom, bTo, why := indexInterval(bs[j], completions)
		switch {
		case why != "":
			j++
		case aFrom <= bTo && bFrom <= aTo:
			return max(aFrom, bFrom), true
		case aFrom <= bFrom:
			i++
		default:
			j++
		}
	}
	return 0, false
}

// checkCounters refuses counters of finished pods that have decreased.
func (s *jobStatus) checkCounters() {
	if failed := s.status.get("failed"); failed.number() < s.was.get("failed").number() {
		s.invalidValue(failed, document.NewInt(failed.number()), "cannot decrease the failed counter")
	}
	elastic := isIndexed(s.spec) && s.same(s.spec.get("completions"), s.spec.get("parallelism"))
	if succeeded := s.status.get("succeeded"); !elastic && succeeded.number() < s.was.get("succeeded").number() {
		s.invalidValue(succeeded, document.NewInt(succeeded.number()), "cannot decrease the succeeded counter")
	}
}
