package main

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// relatedForms are the generators of cases whose objects depend on one another.
var relatedForms = []struct {
	name     string
	generate func(*world)
}{
	{"services", (*world).services},
	{"families", (*world).families},
	{"deletions", (*world).deletions},
	{"settings", (*world).settings},
	{"subresources", (*world).subresources},
}

// compareRelated compares sequences of writes to several objects that depend on one another.
func compareRelated(o *options, p *pair) (*report, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	remembering := *p
	remembering.identities = true
	r := newReport()
	for i := range o.cases {
		w := newWorld(o.seed, i)
		form := relatedForms[i%len(relatedForms)]
		if !only.MatchString(form.name) {
			continue
		}
		form.generate(w)
		remembering.ours, remembering.theirs = remember(p.ours), remember(p.theirs)
		c := conformance.Case{Name: fmt.Sprintf("related-%s/%d-%d", form.name, o.seed, i), Steps: w.steps}
		if err := remembering.compareSteps(r, everything, c); err != nil {
			return nil, err
		}
		if err := remembering.remove(w.shared); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// remove deletes the objects of a case that others would meet, also if the case has ended with a closed connection.
func (p *pair) remove(paths []string) error {
	for _, path := range slices.Backward(paths) {
		for _, send := range []conformance.Send{p.theirs, p.ours} {
			if _, err := send(conformance.Request{Method: http.MethodDelete, Path: path}); err != nil {
				return err
			}
		}
	}
	return nil
}

var everything = regexp.MustCompile("")

// reference matches a value of an earlier response in a request: the uid, the resourceVersion or the token of the object at
// a path, as in $UID(/api/v1/namespaces/a)$.
var reference = regexp.MustCompile(`\$(UID|RV|TOKEN)\(([^)]*)\)\$`)

// memory has the values to which requests refer, by the text of the reference.
type memory map[string]string

// expand replaces the references in a text. An object that has never existed has a uid that none has.
func (m memory) expand(text string) string {
	return reference.ReplaceAllStringFunc(text, func(name string) string {
		if value := m[name]; value != "" {
			return value
		}
		if strings.HasPrefix(name, "$UID") {
			return "00000000-0000-4000-8000-000000000000"
		}
		return "1"
	})
}

// add adds the values of the response to a request.
func (m memory) add(r conformance.Request, body any) {
	out, _ := body.(object)
	meta, _ := out["metadata"].(object)
	name, _ := meta["name"].(string)
	path := r.Path
	if r.Method == http.MethodPost && !strings.HasSuffix(path, "/token") {
		path += "/" + name
	}
	status, _ := out["status"].(object)
	for key, value := range map[string]any{"UID": meta["uid"], "RV": meta["resourceVersion"], "TOKEN": status["token"]} {
		if text, ok := value.(string); ok && name != "" && !strings.Contains(r.Query, "dryRun") {
			m["$"+key+"("+path+")$"] = text
		}
	}
}

// remember returns a Send that replaces the references in requests, and the uids in responses, which managedFields have in
// their keys.
func remember(send conformance.Send) conformance.Send {
	m := memory{}
	var uids []string // in pairs: that of an object, and one by the number of objects before it
	return func(r conformance.Request) (conformance.Answer, error) {
		r.Body = m.expand(r.Body)
		answer, err := send(r)
		body, _ := decode(answer.Body).(object)
		m.add(r, body)
		items, isList := body["items"].([]any)
		for _, item := range append(items, body) {
			o, _ := item.(object)
			meta, _ := o["metadata"].(object)
			if uid, _ := meta["uid"].(string); uid != "" && !slices.Contains(uids, uid) {
				uids = append(uids, uid, fmt.Sprintf("00000000-0000-4000-9000-%012d", len(uids)/2))
			}
		}
		if meta, _ := body["metadata"].(object); isList && meta != nil {
			delete(meta, "resourceVersion") // that of a list depends on other cases
		}
		if body != nil {
			named := strings.NewReplacer(uids...)
			answer.Body = []byte(named.Replace(encode(body)))
			for i, warning := range answer.Warnings {
				answer.Warnings[i] = named.Replace(warning)
			}
			for i, review := range answer.Hooks {
				answer.Hooks[i] = []byte(named.Replace(string(review)))
			}
		}
		return answer, err
	}
}

// resolved returns a recorded case with the names of values in place of references, so that it can be sent again.
func resolved(c conformance.Case) conformance.Case {
	m := memory{}
	c.Steps = slices.Clone(c.Steps)
	for i := range c.Steps {
		step := &c.Steps[i]
		step.Request.Body = m.expand(step.Request.Body)
		m.add(step.Request, step.Response.Body)
	}
	return c
}

// identified returns a body in which the addresses, ports and tokens that a server chose have a name each: the same one
// in all responses about an object, as long as the object keeps the value.
func identified(value any, sent, uid string, names map[string]string) any {
	switch value := value.(type) {
	case object:
		if meta, ok := value["metadata"].(object); ok {
			if text, ok := meta["uid"].(string); ok {
				uid = text
			}
		}
		out := object{}
		for _, k := range slices.Sorted(maps.Keys(value)) {
			v := value[k]
			switch text, _ := v.(string); k {
			case "authentication.kubernetes.io/credential-id":
				v = "$ID$"
			case "token", "expirationTimestamp":
				v = "$" + strings.ToUpper(k) + "$"
			case "message":
				v = choice.ReplaceAllStringFunc(text, func(part string) string {
					switch {
					case strings.Contains(sent, part):
						return part
					case strings.ContainsAny(part, ".:"):
						return "$CHOICE$"
					}
					return "0" // the port may be in a value in JSON
				})
			}
			if list, ok := v.([]any); ok && k == "clusterIPs" {
				list = slices.Clone(list)
				for i, item := range list {
					list[i] = nameOf(item, sent, uid, names)
				}
				v = list
			} else if chosenKeys[k] && !isStruct(v) {
				v = nameOf(v, sent, uid, names)
			}
			out[k] = identified(v, sent, uid, names)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = identified(v, sent, uid, names)
		}
		return out
	}
	return value
}

// choice matches an address or a port in a message that a server may have chosen.
var choice = regexp.MustCompile(`\b10\.0\.0\.\d+\b|\bfd00:10::[0-9a-f]*|\b3\d{4}\b`)

// nameOf returns the name of a value that an object has, or the value if the requests contain it.
func nameOf(value any, sent, uid string, names map[string]string) any {
	if text := encode(value); strings.HasPrefix(text, `"`) && strings.Contains(sent, text) || !strings.HasPrefix(text, `"`) && contains(sent, value) {
		return value
	}
	key := fmt.Sprint(uid, " ", value)
	if names[key] == "" {
		names[key] = fmt.Sprintf("$CHOICE%d$", len(names)+1)
	}
	return names[key]
}

// refer returns a reference to a value of the object at a path.
func refer(key, path string) string { return "$" + key + "(" + path + ")$" }
