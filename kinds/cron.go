package kinds

import (
	"strconv"
	"strings"
	"time"
)

// cronField is a field of a schedule: its range and the names of its values.
type cronField struct {
	name      string
	low, high int
	names     string
}

var cronFields = [...]cronField{
	{"minute", 0, 59, ""},
	{"hour", 0, 23, ""},
	{"day of the month", 1, 31, ""},
	{"month", 1, 12, "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec"},
	{"day of the week", 0, 6, "sun,mon,tue,wed,thu,fri,sat"},
}

// wrongSchedule returns why a CronJob's schedule is invalid, "" if it is valid. A schedule has
// five fields or is a word such as @daily (github.com/robfig/cron, ParseStandard). A time zone
// may precede it.
func wrongSchedule(schedule string) string {
	if strings.HasPrefix(schedule, "TZ=") || strings.HasPrefix(schedule, "CRON_TZ=") {
		zone, rest, found := strings.Cut(schedule, " ")
		_, name, _ := strings.Cut(zone, "=")
		if !found || !isTimeZone(name) && !among(name, ",UTC,Local") {
			return "unknown time zone " + name
		}
		schedule = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(schedule, "@") {
		return wrongDescriptor(schedule)
	}
	fields := strings.Fields(schedule)
	if len(fields) != len(cronFields) {
		return "expected exactly 5 fields, found " + strconv.Itoa(len(fields))
	}
	for i, field := range fields {
		for part := range strings.SplitSeq(field, ",") {
			if part != "" && !cronFields[i].accepts(part) {
				return "the " + cronFields[i].name + " " + strconv.Quote(part) + " is not within " +
					strconv.Itoa(cronFields[i].low) + " to " + strconv.Itoa(cronFields[i].high) + ", a range, or either with a step"
			}
		}
	}
	return ""
}

func wrongDescriptor(word string) string {
	if among(word, "@yearly,@annually,@monthly,@weekly,@daily,@midnight,@hourly") {
		return ""
	}
	if text, ok := strings.CutPrefix(word, "@every "); ok {
		if _, err := time.ParseDuration(text); err == nil {
			return ""
		}
	}
	return "unrecognized descriptor: " + word
}

// accepts reports whether a field is valid: a value, a range or a star, optionally with a
// step.
func (f cronField) accepts(text string) bool {
	values, step, stepped := strings.Cut(text, "/")
	from, to, ranged := strings.Cut(values, "-")
	if stepped {
		if n, err := strconv.Atoi(step); err != nil || n <= 0 {
			return false
		}
	}
	if from == "*" || from == "?" {
		return true
	}
	low, ok := f.value(from)
	if !ok {
		return false
	}
	high := low
	switch {
	case ranged:
		if high, ok = f.value(to); !ok {
			return false
		}
	case stepped:
		high = f.high
	}
	return low >= f.low && high <= f.high && low <= high
}

func (f cronField) value(text string) (int, bool) {
	i := f.low
	if f.names != "" {
		for name := range strings.SplitSeq(f.names, ",") {
			if name == strings.ToLower(text) {
				return i, true
			}
			i++
		}
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0
}
