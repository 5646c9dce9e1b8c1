package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// cronJobStrategy is the strategy of batch/v1 CronJob.
var cronJobStrategy = Strategy{
	Group:             "batch",
	Resource:          "cronjobs",
	Name:              subdomainName,
	partMetadataAgain: repeatsNothing,
	Generation:        []string{"spec"},
	Reset:             []string{"status"},
	ResetStatus:       []string{"spec"},
}

// maxCronJobName leaves eleven of the 63 characters of a name for the suffix of Jobs.
const maxCronJobName = names.MaxLabel - 11

func validateCronJob(c *check, object, old field) {
	spec := object.get("spec")
	c.schedule(spec, old.get("spec"))
	c.minimum(spec.get("startingDeadlineSeconds"), 0)
	if zone := spec.get("timeZone"); zone.isSet() && !c.same(zone, old.get("spec.timeZone")) {
		c.timeZone(zone)
	}
	c.needOneOf(spec.get("concurrencyPolicy"), "Allow,Forbid,Replace")
	job := spec.get("jobTemplate.spec")
	c.jobSpec(job)
	if selector := job.get("selector"); selector.isSet() {
		c.invalid(selector, "`selector` will be auto-generated")
	}
	if manual := job.get("manualSelector"); manual.isTrue() {
		c.notSupported(manual, "nil,false")
	}
	c.counts(spec, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
	if name := object.get("metadata.name"); !old.isSet() && len(name.text()) > maxCronJobName {
		c.invalid(name, "must be no more than 52 characters")
	}
}

func (c *check) schedule(spec, old field) {
	schedule := spec.get("schedule")
	if !c.need(schedule) {
		return
	}
	if why := wrongSchedule(schedule.text()); why != "" {
		c.invalid(schedule, why)
	}
	if !strings.Contains(schedule.text(), "TZ") {
		return
	}
	if had := strings.Contains(old.get("schedule").text(), "TZ"); !had {
		c.invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
	} else if spec.get("timeZone").isSet() {
		c.invalid(schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")
	}
}

func (c *check) timeZone(zone field) {
	switch name := zone.text(); {
	case name == "":
		c.invalid(zone, "timeZone must be nil or non-empty string")
	case strings.EqualFold(name, "Local"):
		c.invalid(zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")
		if name != "Local" { // which is the name of the machine's own zone in Go
			c.invalid(zone, "unknown time zone "+name)
		}
	case !isTimeZone(name):
		c.invalid(zone, "unknown time zone "+name)
	}
}

func warnCronJob(a *advice, object, old field) {
	a.podNames(object, old, podsAndHosts)
	if respecified(object, old) {
		a.jobSpec(object.get("spec.jobTemplate.spec"))
	}
	if old.isSet() && strings.Contains(object.get("spec.schedule").text(), "TZ") {
		a.say("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
	}
}
