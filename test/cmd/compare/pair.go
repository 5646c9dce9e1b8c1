package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// pair sends cases to both servers.
type pair struct {
	ours, theirs conformance.Send
	record       io.Writer // may be nil
	words        bool      // whether the wording of refusals is compared
	order        bool      // whether the order of causes is compared
	identities   bool      // whether it is compared which objects keep the values that a server has chosen
	// sleep waits until kube-apiserver observes a configuration; nil means time.Sleep.
	sleep func(time.Duration)
}

// errDropped is the error of a case to which kube-apiserver closed the connection.
var errDropped = errors.New("the connection was closed")

// ask sends a case to both servers and returns it with the responses of each. Values that
// a server chooses are replaced by names in both.
func (p *pair) ask(c conformance.Case) (want, got conformance.Case, err error) {
	if want, err = (conformance.Runner{Sleep: p.sleep}).Record(c, p.theirs); err != nil {
		if errors.Is(err, io.EOF) || strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "stream error") {
			err = errDropped
		}
		return want, got, err
	}
	// patchlab observes a configuration at once.
	if got, err = (conformance.Runner{Sleep: func(time.Duration) {}}).Record(c, p.ours); err != nil {
		return want, got, err
	}
	return want, got, nil
}

// compare sends a case to both servers and counts its responses up to the first that
// differs.
func (p *pair) compare(r *report, group string, c conformance.Case) error {
	return p.compareBy(r, c, func(want, got conformance.Case, i int) (string, string, string) {
		example := fmt.Sprintf("%s (%s) step %d %s", c.Name, c.Note, i, want.Steps[i].Request.Method)
		return group, example, p.responseDifference(want, got, i)
	})
}

// compareBy is compare with a function that judges the responses to a step. A response without a group is
// not counted.
func (p *pair) compareBy(r *report, c conformance.Case, judge func(want, got conformance.Case, step int) (group, example, difference string)) error {
	want, got, err := p.ask(c)
	r.judging.Lock()
	defer r.judging.Unlock()
	if errors.Is(err, errDropped) {
		r.note("cases to which kube-apiserver closed the connection")
		return nil
	}
	if errors.Is(err, errUnready) {
		r.note("cases in which kube-apiserver could not read the objects of a definition into its cache")
		return nil
	}
	if err != nil {
		return err
	}
	cleanWant, cleanGot := want, got
	if p.identities {
		want = resolved(want)
		cleanWant, cleanGot = identify(want), identify(got)
	}
	cleanWant, cleanGot = clean(cleanWant), clean(cleanGot)
	for i, step := range cleanWant.Steps {
		group, example, difference := judge(cleanWant, cleanGot, i)
		if group == "" {
			continue
		}
		r.add(group, step.Response.Code, example, difference)
		if difference != "" {
			want.Steps = want.Steps[:i+1]
			return p.keep(want)
		}
	}
	return nil
}

// responseDifference compares the responses to a step: of a refusal the reason, the causes
// and, with words, the warnings, of an accepted request the object, and the reviews that webhooks received.
func (p *pair) responseDifference(want, got conformance.Case, step int) string {
	want.Steps, got.Steps = want.Steps[step:step+1], got.Steps[step:step+1]
	verdict, why := conformance.Verdict(want, got)
	if !p.agrees(verdict) && !(verdict == conformance.Reworded && unexplained(want.Steps[0].Response)) {
		return verdict + " " + why
	}
	if w, g := want.Steps[0].Response, got.Steps[0].Response; p.words && w.Code >= 400 && !slices.Equal(w.Warnings, g.Warnings) {
		return fmt.Sprintf("warnings of a refusal: want %q, got %q", w.Warnings, g.Warnings)
	}
	if w, g := causesOf(want.Steps[0].Response), causesOf(got.Steps[0].Response); p.order && !slices.Equal(w, g) {
		return fmt.Sprintf("order want %q\ngot  %q", w, g)
	}
	return conformance.HooksDifference(want.Steps[0].Response.Hooks, got.Steps[0].Response.Hooks)
}

// causesOf returns the reason and the field of each cause of a refusal, in the order in which it lists them.
func causesOf(r conformance.Response) (causes []string) {
	status, _ := r.Body.(map[string]any)
	details, _ := status["details"].(map[string]any)
	list, _ := details["causes"].([]any)
	for _, one := range list {
		cause, _ := one.(map[string]any)
		causes = append(causes, fmt.Sprint(cause["reason"], " ", cause["field"]))
	}
	return causes
}

// unexplained reports whether kube-apiserver does not say why a patch cannot be applied.
func unexplained(r conformance.Response) bool {
	status, _ := r.Body.(map[string]any)
	return status["message"] == "the server rejected our request due to an error in our request"
}

// agrees reports whether a verdict is no difference. Without words, another message is none.
func (p *pair) agrees(verdict string) bool {
	return verdict == conformance.Agrees || verdict == conformance.Reworded && !p.words
}

// keep writes a differing case with the responses of kube-apiserver.
func (p *pair) keep(c conformance.Case) error {
	if p.record == nil {
		return nil
	}
	return json.NewEncoder(p.record).Encode(c)
}

// identify returns the case with names for the values that its server chose.
func identify(c conformance.Case) conformance.Case {
	sent, names := bodies(c), map[string]string{}
	c.Steps = slices.Clone(c.Steps)
	for i := range c.Steps {
		r := &c.Steps[i].Response
		r.Body = identified(r.Body, sent, "", names)
		r.Hooks, _ = identified(r.Hooks, sent, "", names).([]any)
	}
	return c
}

// bodies returns the bodies of all requests of a case.
func bodies(c conformance.Case) (sent string) {
	for _, s := range c.Steps {
		sent += s.Request.Body
	}
	return sent
}

// clean returns the case with the values that its server chose replaced.
func clean(c conformance.Case) conformance.Case {
	sent := bodies(c)
	steps := slices.Clone(c.Steps)
	for i := range steps {
		warnings := slices.Clone(steps[i].Response.Warnings)
		for j := range warnings {
			warnings[j] = ungenerated(warnings[j], sent)
		}
		steps[i].Response.Warnings = withSortedFormats(warnings)
		controlled := isControlled(steps[i].Request.Path)
		steps[i].Response.Body = chosen(steps[i].Response.Body, sent, controlled)
		steps[i].Response.Hooks, _ = chosen(steps[i].Response.Hooks, sent, controlled).([]any)
	}
	c.Steps = steps
	return c
}

// withSortedFormats sorts the warnings about formats among themselves, because kube-apiserver finds the
// formats of a definition in a map.
func withSortedFormats(warnings []string) []string {
	var formats []string
	isFormat := func(text string) bool { return strings.Contains(text, "unrecognized format") }
	for _, text := range warnings {
		if isFormat(text) {
			formats = append(formats, text)
		}
	}
	slices.Sort(formats)
	for i, text := range warnings {
		if isFormat(text) {
			warnings[i], formats = formats[0], formats[1:]
		}
	}
	return warnings
}

// isControlled reports whether kube-apiserver itself changes the status of objects at a
// path after they are written.
func isControlled(path string) bool {
	for _, resource := range []string{"/customresourcedefinitions", "/apiservices", "/flowschemas", "/prioritylevelconfigurations", "/servicecidrs", "/ipaddresses"} {
		if strings.Contains(path, resource) {
			return true
		}
	}
	return false
}

// chosenKeys are the names of fields whose values the server chooses if the client does
// not.
var chosenKeys = map[string]bool{
	"clusterIP": true, "clusterIPs": true, "nodePort": true, "healthCheckNodePort": true,
	"controller-uid": true, "batch.kubernetes.io/controller-uid": true,
}

// chosenInCell matches parts of the cells of a table that depend on the time of the response or that a server
// chooses: how long ago something happened, times, uids, cluster IPs and node ports.
var chosenInCell = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|^\d+s$|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$|\(\d+s ago\)|\b10\.0\.0\.\d+\b|:3\d{4}/`)

// chosenCells replaces parts of the cells of a table that the requests do not contain.
func chosenCells(cells any, sent string) any {
	list, _ := cells.([]any)
	list = slices.Clone(list)
	for i, cell := range list {
		text, ok := cell.(string)
		if !ok {
			continue
		}
		list[i] = chosenInCell.ReplaceAllStringFunc(text, func(part string) string {
			wanted := strings.Trim(part, ":/")
			if part == text {
				wanted = strconv.Quote(part) // 5s is not that of 15s
			}
			if strings.Contains(sent, wanted) {
				return part
			}
			return "$CHOSEN$"
		})
	}
	return list
}

// chosen replaces values that the server chose: addresses, ports, uids in labels and
// generated names that the requests do not contain; and the status of controlled objects.
func chosen(value any, sent string, controlled bool) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			switch {
			case controlled && k == "status" && isStruct(v):
				continue
			case controlled && k == "resourceVersion":
				v = "$CHOSEN$" // the status may have been written in between
			case k == "name" && isUUID(v) && !contains(sent, v):
				v = "$CHOSEN$"
			case controlled && k == "managedFields":
				v = withoutStatus(v)
			case k == "resourceVersion" && value["name"] == nil && value["continue"] != nil:
				v = "$CHOSEN$" // that of a list is the newest of the server, whichever object has it
			case k == "cells":
				v = chosenCells(v, sent)
			case chosenKeys[k] && !contains(sent, v) && !strings.Contains(encode(v), "$CHOICE"):
				v = "$CHOSEN$"
			case k == "name" && value["generateName"] != nil && !contains(sent, v):
				v = "$CHOSEN$"
			}
			out[k] = chosen(v, sent, controlled)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = chosen(v, sent, controlled)
		}
		return out
	case string:
		return ungenerated(withSortedErrors(value), sent)
	}
	return value
}

// withSortedErrors sorts the lines of a message about several values of wrong types, because kube-apiserver finds
// them in maps.
func withSortedErrors(message string) string {
	const separator = "\n  "
	begin, errors, several := strings.Cut(message, "errors:"+separator)
	if !several {
		return message
	}
	lines := strings.Split(errors, separator)
	slices.Sort(lines)
	return begin + "errors:" + separator + strings.Join(lines, separator)
}

// ungenerated replaces the names in a text that the server has generated.
func ungenerated(text, sent string) string {
	return generated.ReplaceAllStringFunc(text, func(name string) string {
		if strings.Contains(sent, name) {
			return name
		}
		return "$CHOSEN$"
	})
}

// generated matches a name that a server generates: that of the volume with the token of a pod's
// service account, of an object with this prefix, or of a type in a message about a CEL rule.
var generated = regexp.MustCompile(`(kube-api-access|generated)-[a-z0-9]{5}|\bselfType\d+`)

func isStruct(v any) bool { _, is := v.(map[string]any); return is }

// contains reports whether the requests contain every scalar of a value.
func contains(sent string, value any) bool {
	if list, ok := value.([]any); ok {
		return !slices.ContainsFunc(list, func(v any) bool { return !contains(sent, v) })
	}
	text, err := json.Marshal(value)
	return err == nil && strings.Contains(sent, strings.Trim(string(text), `"`))
}

// withoutStatus returns the managers of all but the status.
func withoutStatus(managers any) any {
	list, _ := managers.([]any)
	out := []any{}
	for _, m := range list {
		if entry, _ := m.(map[string]any); entry["subresource"] != "status" {
			out = append(out, m)
		}
	}
	return out
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// isUUID reports whether a value is a UUID, which the server chooses as the name of a
// LimitRange.
func isUUID(value any) bool {
	text, _ := value.(string)
	return uuid.MatchString(text)
}
