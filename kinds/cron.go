package kinds

import (
	"strconv"
	"strings"
	"time"
)

// cronField is a field of a schedule: its range and the names of its values.
type cronField struct {
	low, high int
	names     string
}

var cronFields = [...]cronField{
	{0, 59, ""}, // minute
	{0, 23, ""}, // hour
	{1, 31, ""}, // day of the month
	{1, 12, "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec"}, // month
	{0, 6, "sun,mon,tue,wed,thu,fri,sat"},                      // day of the week
}

// wrongSchedule returns why a CronJob's schedule is invalid, "" if it is valid. A schedule has
// five fields or is a word such as @daily (github.com/robfig/cron, ParseStandard). A time zone
// may precede it.
func wrongSchedule(schedule string) string {
	if strings.HasPrefix(schedule, "TZ=") || strings.HasPrefix(schedule, "CRON_TZ=") {
		zone, rest, found := strings.Cut(schedule, " ")
		_, name, _ := strings.Cut(zone, "=")
		if !found { // kube-apiserver reports the panic of its parser
			return "invalid schedule format: runtime error: slice bounds out of range [:-1]"
		}
		switch {
		case isTimeZone(name), among(name, ",UTC,Local"):
		case strings.Contains(name, "..") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`):
			return "provided bad location " + name + ": time: invalid location name" // time.LoadLocation
		default:
			return "provided bad location " + name + ": unknown time zone " + name
		}
		schedule = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(schedule, "@") {
		return wrongDescriptor(schedule)
	}
	fields := strings.Fields(schedule)
	if len(fields) != len(cronFields) {
		return "expected exactly 5 fields, found " + strconv.Itoa(len(fields)) + ": [" + strings.Join(fields, " ") + "]"
	}
	for i, field := range fields {
		for _, part := range strings.Split(field, ",") {
			if part == "" {
				continue
			}
			if why := cronFields[i].wrong(part); why != "" {
				return why
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
		if _, err := time.ParseDuration(text); err != nil {
			return "failed to parse duration " + word + ": " + err.Error()
		}
		return ""
	}
	return "unrecognized descriptor: " + word
}

// wrong returns why a part of a field is invalid, "" if it is valid: a value, a range or a star,
// optionally with a step.
func (f cronField) wrong(text string) string {
	parts := strings.Split(text, "/")
	bounds := strings.Split(parts[0], "-")
	low, high := f.low, f.high
	if bounds[0] != "*" && bounds[0] != "?" {
		var why string
		if low, why = f.value(bounds[0]); why != "" {
			return why
		}
		switch {
		case len(bounds) > 2:
			return "too many hyphens: " + text
		case len(bounds) == 2:
			if high, why = f.value(bounds[1]); why != "" {
				return why
			}
		case len(parts) == 1:
			high = low
		}
	}
	step := 1
	switch {
	case len(parts) > 2:
		return "too many slashes: " + text
	case len(parts) == 2:
		var why string
		if step, why = natural(parts[1]); why != "" {
			return why
		}
	}
	switch {
	case low < f.low:
		return "beginning of range (" + strconv.Itoa(low) + ") below minimum (" + strconv.Itoa(f.low) + "): " + text
	case high > f.high:
		return "end of range (" + strconv.Itoa(high) + ") above maximum (" + strconv.Itoa(f.high) + "): " + text
	case low > high:
		return "beginning of range (" + strconv.Itoa(low) + ") beyond end of range (" + strconv.Itoa(high) + "): " + text
	case step == 0:
		return "step of range should be a positive number: " + text
	}
	return ""
}

// value returns the number of a value or of its name. why is not "" if it is neither.
func (f cronField) value(text string) (n int, why string) {
	for i, name := range strings.Split(f.names, ",") {
		if name != "" && name == strings.ToLower(text) {
			return f.low + i, ""
		}
	}
	return natural(text)
}

// natural returns a number that is not negative.
func natural(text string) (n int, why string) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, "failed to parse int from " + text + ": " + err.Error()
	case n < 0:
		return 0, "negative number (" + strconv.Itoa(n) + ") not allowed: " + text
	}
	return n, ""
}
