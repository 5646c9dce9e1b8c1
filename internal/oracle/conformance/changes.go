package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Change is one recorded step that writes one object, together with the object as the
// recording last showed it. In Before and Request, names are replaced by values:
// resourceVersion n is 1000+n, uids are UUIDs, and times are ChangeTime.
type Change struct {
	Case    string
	Step    int
	Request Request
	// Before is the object as JSON, in the apiVersion of the response that showed it; nil
	// if it does not exist.
	Before []byte
	Want   Response

	ordered, open bool
	vars          variables
}

// ChangeTime replaces the server's times in Before.
const ChangeTime = "2026-01-02T03:04:05Z"

// After returns the object in the step's response, in the form of Before.
func (c Change) After() []byte {
	seen := &tally{vars: variables{versions: c.vars.versions, uids: c.vars.uids}}
	seen.count(c.Want.Body)
	return seen.concrete(c.Want.Body)
}

// Difference compares an answer like [Runner.Run]. In an open case, differing causes are
// ignored.
func (c Change) Difference(answer Answer) string {
	vars := variables{versions: c.vars.versions, uids: c.vars.uids, sent: c.vars.sent, Now: c.vars.Now}
	d := Difference(c.Want, vars.response(answer), c.ordered)
	if c.open && strings.HasPrefix(d, causesDiffer) {
		return ""
	}
	return d
}

// Changes returns the steps of a case that create, replace or patch one object, its status
// or its scale, except those before which the recording does not show the whole object.
func (c Case) Changes() []Change {
	var out []Change
	objects := map[string][]byte{}
	unknown := map[string]bool{}
	seen := &tally{}
	for i, s := range c.Steps {
		object, subresource := objectPath(s)
		if writes(s.Request) && object != "" && !unknown[object] {
			out = append(out, Change{
				Case: c.Name, Step: i, ordered: c.family() == "order", open: c.Open != "",
				Request: seen.vars.expandRequest(s.Request), Before: objects[object], Want: s.Response, vars: seen.vars,
			})
		}
		seen.count(s.Response.Body)
		for _, e := range s.Response.Events {
			seen.count(e)
		}
		if s.Response.Code >= 300 || strings.Contains(s.Request.Query, "dryRun") {
			continue
		}
		if object == "" {
			if s.Request.Method == "DELETE" { // a collection: the response does not show what is left
				for o := range objects {
					unknown[o] = true
				}
			}
			continue
		}
		switch {
		case s.Request.Method == "DELETE":
			delete(objects, object)
			unknown[object] = false
			if !isStatus(s.Response.Body) && finalizers(s.Response.Body) {
				objects[object] = seen.concrete(s.Response.Body)
			}
		case subresource == "scale":
			unknown[object] = unknown[object] || s.Request.Method != "GET"
		case gone(s.Response.Body):
			delete(objects, object)
		default:
			objects[object], unknown[object] = seen.concrete(s.Response.Body), false
		}
	}
	return out
}

func writes(r Request) bool {
	return r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH"
}

func (v *variables) expandRequest(r Request) Request {
	r.Query, r.Body = v.expand(r.Query), v.expand(r.Body)
	v.sent = append(v.sent, timePattern.FindAllString(r.Body, -1)...)
	return r
}

// objectPath returns the path of the object that a step concerns, without the API version,
// and the subresource; "" for a collection, unless the step creates an object.
func objectPath(s Step) (object, subresource string) {
	parts := strings.Split(strings.Trim(s.Request.Path, "/"), "/")
	group := ""
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = parts[1], parts[3:]
	default:
		return "", ""
	}
	namespace := ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) == 1 && s.Request.Method == "POST" {
		body := s.Response.Body
		if s.Response.Code >= 300 {
			body = decodeBody([]byte(s.Request.Body))
		}
		parts = append(parts, nameIn(body))
	}
	if len(parts) < 2 {
		return "", ""
	}
	return strings.Join([]string{group, namespace, parts[0], parts[1]}, "/"), strings.Join(parts[2:], "/")
}

// nameIn returns an object's name, "?" if it has none.
func nameIn(body any) string {
	m, _ := body.(map[string]any)
	meta, _ := m["metadata"].(map[string]any)
	if name, ok := meta["name"].(string); ok {
		return name
	}
	return "?"
}

func isStatus(body any) bool {
	m, _ := body.(map[string]any)
	return m["kind"] == "Status"
}

func finalizers(body any) bool {
	m, _ := body.(map[string]any)
	meta, _ := m["metadata"].(map[string]any)
	f, _ := meta["finalizers"].([]any)
	return len(f) > 0
}

// gone reports whether the write removed the last finalizer of an object under deletion,
// which deletes it.
func gone(body any) bool {
	m, _ := body.(map[string]any)
	meta, _ := m["metadata"].(map[string]any)
	return meta["deletionTimestamp"] != nil && !finalizers(body)
}

// tally assigns values to the names in recorded responses.
type tally struct{ vars variables }

func (t *tally) count(body any) {
	s := text(body)
	for strings.Contains(s, name("RV", len(t.vars.versions))) {
		t.vars.versions = append(t.vars.versions, fmt.Sprint(1001+len(t.vars.versions)))
	}
	for strings.Contains(s, name("UID", len(t.vars.uids))) {
		t.vars.uids = append(t.vars.uids, fmt.Sprintf("00000000-0000-4000-8000-%012d", 1+len(t.vars.uids)))
	}
}

func (t *tally) concrete(body any) []byte {
	b, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	return []byte(strings.ReplaceAll(t.vars.expand(string(b)), "$TIME$", ChangeTime))
}
