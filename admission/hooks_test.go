package admission_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hookServer responds to admission and conversion reviews over TLS. The URL path
// selects the response: /v/NAME validates, /m/NAME/ARGUMENTS mutates, /c/NAME converts.
type hookServer struct {
	*httptest.Server
	ca string // base64-encoded PEM

	mu      sync.Mutex
	reviews []receivedReview // since the last call of take
}

type receivedReview struct {
	Path   string         `json:"path"`
	Review map[string]any `json:"review"`
}

func startHookServer(t *testing.T) *hookServer {
	h := &hookServer{}
	h.Server = httptest.NewUnstartedServer(h)
	h.Config.ErrorLog = discardLog
	h.StartTLS()
	t.Cleanup(h.Close)
	h.ca = caBundle(h.Server)
	return h
}

// fill replaces the placeholders of the server's address and CA with their values; name
// does the reverse.
func (h *hookServer) fill(s string) string {
	return strings.NewReplacer("$HOOK$", h.URL, "$CA$", h.ca).Replace(s)
}

func (h *hookServer) name(s string) string {
	return strings.NewReplacer(h.URL, "$HOOK$", h.ca, "$CA$", strings.TrimPrefix(h.URL, "https://"), "$HOOKADDR$").Replace(s)
}

// take returns the admission reviews received since the last call: mutating reviews in
// order of arrival, then validating reviews, which are sent concurrently, sorted by
// path.
func (h *hookServer) take() []receivedReview {
	h.mu.Lock()
	defer h.mu.Unlock()
	reviews := h.reviews
	h.reviews = nil
	slices.SortStableFunc(reviews, func(a, b receivedReview) int {
		first, second := strings.HasPrefix(a.Path, "/m/"), strings.HasPrefix(b.Path, "/m/")
		switch {
		case first && second:
			return 0
		case first:
			return -1
		case second:
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
	return reviews
}

func (h *hookServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review map[string]any
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	if decoder.Decode(&review) != nil {
		review = map[string]any{} // a redirected request has no body
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 2 {
		http.NotFound(w, r)
		return
	}
	request, _ := review["request"].(map[string]any)
	if parts[0] == "c" {
		answerConversion(w, parts[1], request)
		return
	}
	h.mu.Lock()
	h.reviews = append(h.reviews, receivedReview{r.URL.RequestURI(), review})
	h.mu.Unlock()
	a := &hookAnswer{request: request, arguments: parts[2:], envelope: map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"response": map[string]any{"uid": request["uid"], "allowed": true},
	}}
	if broken, ok := brokenAnswers[parts[1]]; ok {
		broken(w, r)
		return
	}
	give, ok := hookAnswers[parts[1]]
	if !ok {
		http.NotFound(w, r)
		return
	}
	give(a)
	contentType := "application/json"
	if parts[1] == "text-type" {
		contentType = "text/plain"
	}
	w.Header().Set("Content-Type", contentType)
	_ = json.NewEncoder(w).Encode(a.envelope)
}

// brokenAnswers are handlers whose response is not an AdmissionReview, by name.
var brokenAnswers = map[string]http.HandlerFunc{
	"500":      failWith(http.StatusInternalServerError, "boom"),
	"503":      failWith(http.StatusServiceUnavailable, "away"),
	"400":      failWith(http.StatusBadRequest, "your request is bad"),
	"404":      http.NotFound,
	"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v/allow", http.StatusFound) },
	"empty":    func(http.ResponseWriter, *http.Request) {},
	"garbage":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "this is not JSON") },
	"close":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
}

func failWith(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, code) }
}

// hookAnswer is an admission response. It allows the request unless modified.
type hookAnswer struct {
	request   map[string]any
	arguments []string
	envelope  map[string]any
}

func (a *hookAnswer) response() map[string]any { return a.envelope["response"].(map[string]any) }

// argument returns the i-th argument of the path, or "" if there are fewer.
func (a *hookAnswer) argument(i int) string {
	if i < len(a.arguments) {
		return a.arguments[i]
	}
	return ""
}

// refuse denies the request with the given fields of a Status.
func (a *hookAnswer) refuse(status map[string]any) {
	a.response()["allowed"], a.response()["status"] = false, status
}

func (a *hookAnswer) warn(texts ...string) { a.response()["warnings"] = texts }

// patch appends JSON patch operations to the response.
func (a *hookAnswer) patch(operations ...map[string]any) {
	if operations == nil {
		operations = []map[string]any{}
	}
	data, _ := json.Marshal(operations)
	a.patchText(data)
}

func (a *hookAnswer) patchText(data []byte) {
	a.response()["patchType"], a.response()["patch"] = "JSONPatch", base64.StdEncoding.EncodeToString(data)
}

func setAt(path string, value any) map[string]any {
	return map[string]any{"op": "add", "path": path, "value": value}
}

// object returns the value at a path of the object under review, or nil if it is
// absent.
func (a *hookAnswer) object(path ...string) any {
	var v any = a.request["object"]
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// setIn sets a key of the map at path. It creates the map if it is absent.
func (a *hookAnswer) setIn(key string, value any, path ...string) {
	pointer := "/" + strings.Join(path, "/")
	if a.object(path...) == nil {
		a.patch(setAt(pointer, map[string]any{key: value}))
		return
	}
	a.patch(setAt(pointer+"/"+strings.ReplaceAll(key, "/", "~1"), value))
}

func (a *hookAnswer) lengthen(text string, once bool) {
	order, _ := a.object("data", "order").(string)
	if !once || !strings.Contains(order, text) {
		a.setIn("order", order+text, "data")
	}
}

// hookAnswers are the admission responses, by name.
var hookAnswers = map[string]func(*hookAnswer){
	"allow": func(*hookAnswer) {}, "noop": func(*hookAnswer) {}, "text-type": func(*hookAnswer) {},
	"slow": func(*hookAnswer) { time.Sleep(2500 * time.Millisecond) },

	"deny":         func(a *hookAnswer) { a.response()["allowed"] = false },
	"deny-message": func(a *hookAnswer) { a.refuse(map[string]any{"message": "the hook says no"}) },
	"deny-code": func(a *hookAnswer) {
		a.refuse(map[string]any{"code": 409, "reason": "Conflict", "message": "the hook says conflict"})
	},
	"deny-invalid": func(a *hookAnswer) {
		cause := map[string]any{"reason": "FieldValueInvalid", "message": "bad value", "field": "spec.x"}
		a.refuse(map[string]any{"code": 422, "reason": "Invalid", "message": "the hook says invalid",
			"details": map[string]any{"name": "n", "kind": "k", "causes": []any{cause}}})
	},
	"deny-code-only": func(a *hookAnswer) { a.refuse(map[string]any{"code": 418}) },
	"deny-code-200":  func(a *hookAnswer) { a.refuse(map[string]any{"code": 200, "message": "a code of success"}) },
	"deny-reason":    func(a *hookAnswer) { a.refuse(map[string]any{"reason": "TooManyRequests"}) },
	"deny-status-full": func(a *hookAnswer) {
		a.refuse(map[string]any{"code": 429, "reason": "TooManyRequests", "message": "slow down", "status": "Failure",
			"metadata": map[string]any{}, "details": map[string]any{"retryAfterSeconds": 7}})
	},
	"deny-warn": func(a *hookAnswer) {
		a.refuse(map[string]any{"message": "no, and warned"})
		a.warn("first warning", "second warning")
	},
	"allow-warn": func(a *hookAnswer) { a.warn("first warning", "second warning", "first warning") },
	"warn-odd": func(a *hookAnswer) {
		a.warn(`with "quotes" and \ backslash`, "line\nbreak", "", "ünï", strings.Repeat("x", 300))
	},
	"warn-many": func(a *hookAnswer) {
		var texts []string
		for i := range 40 {
			texts = append(texts, fmt.Sprintf("w%02d %s", i, strings.Repeat("y", 150)))
		}
		a.warn(texts...)
	},
	"allow-status": func(a *hookAnswer) {
		a.refuse(map[string]any{"code": 200, "message": "all well"})
		a.response()["allowed"] = true
	},
	"audit": func(a *hookAnswer) {
		a.response()["auditAnnotations"] = map[string]string{"k": "v", "bad key!": "v"}
	},

	"no-response": func(a *hookAnswer) { delete(a.envelope, "response") },
	"wrong-uid":   func(a *hookAnswer) { a.response()["uid"] = "other" },
	"no-uid":      func(a *hookAnswer) { delete(a.response(), "uid") },
	"v1beta1":     func(a *hookAnswer) { a.envelope["apiVersion"] = "admission.k8s.io/v1beta1" },
	"no-kind":     func(a *hookAnswer) { delete(a.envelope, "apiVersion"); delete(a.envelope, "kind") },
	"wrong-kind":  func(a *hookAnswer) { a.envelope["kind"] = "ConversionReview" },

	"patch":    func(a *hookAnswer) { a.setIn("hook", "yes", "metadata", "labels") },
	"label":    func(a *hookAnswer) { a.setIn(a.argument(0), "yes", "metadata", "labels") },
	"annotate": func(a *hookAnswer) { a.setIn(a.argument(0), "yes", "metadata", "annotations") },
	"op": func(a *hookAnswer) {
		seen := fmt.Sprint(a.request["operation"], " ", a.request["subResource"], " dryRun=", a.request["dryRun"])
		a.setIn("seen", seen, "metadata", "annotations")
	},
	"data":        func(a *hookAnswer) { a.setIn(a.argument(0), a.argument(1), "data") },
	"append":      func(a *hookAnswer) { a.lengthen(a.argument(0), false) },
	"append-once": func(a *hookAnswer) { a.lengthen(a.argument(0), true) },
	"set": func(a *hookAnswer) {
		last := len(a.arguments) - 1
		var value any = a.arguments[last]
		_ = json.Unmarshal([]byte(a.arguments[last]), &value) // an argument that is not JSON is a string
		a.patch(setAt("/"+strings.Join(a.arguments[:last], "/"), value))
	},
	"remove": func(a *hookAnswer) {
		a.patch(map[string]any{"op": "remove", "path": "/" + strings.Join(a.arguments, "/")})
	},
	"rename": func(a *hookAnswer) {
		a.patch(map[string]any{"op": "replace", "path": "/metadata/name", "value": "renamed"})
	},

	"bad-patch": func(a *hookAnswer) {
		a.patch(map[string]any{"op": "test", "path": "/metadata/name", "value": "not-this"}, setAt("/data", map[string]any{}))
	},
	"patch-missing-path": func(a *hookAnswer) {
		a.patch(map[string]any{"op": "replace", "path": "/data/none/deeper", "value": "x"})
	},
	"patch-garbage":    func(a *hookAnswer) { a.patchText([]byte("not a patch")) },
	"patch-no-type":    func(a *hookAnswer) { a.patch(setAt("/data/x", "y")); delete(a.response(), "patchType") },
	"patch-merge-type": func(a *hookAnswer) { a.patch(setAt("/data/x", "y")); a.response()["patchType"] = "MergePatch" },
	"type-no-patch":    func(a *hookAnswer) { a.response()["patchType"] = "JSONPatch" },
	"patch-empty":      func(a *hookAnswer) { a.patch() },
	"patch-deny": func(a *hookAnswer) {
		a.setIn("hook", "yes", "metadata", "labels")
		a.refuse(map[string]any{"message": "patched and refused"})
	},

	"strip-managers": func(a *hookAnswer) { a.patch(setAt("/metadata/managedFields", []any{})) },
	"drop-managers": func(a *hookAnswer) {
		a.patch(map[string]any{"op": "remove", "path": "/metadata/managedFields"})
	},
	"own-managers": func(a *hookAnswer) {
		none := map[string]any{}
		a.patch(setAt("/metadata/managedFields", []any{map[string]any{
			"manager": "hook", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:data": map[string]any{"f:mine": none}},
		}}))
	},
}

// answerConversion converts between v1, which has spec.color, and v1beta1, which has
// spec.colour. Every name except "rename" introduces one error into the response.
func answerConversion(w http.ResponseWriter, name string, request map[string]any) {
	if broken, ok := brokenAnswers[name]; ok {
		broken(w, nil)
		return
	}
	version, _ := request["desiredAPIVersion"].(string)
	objects, _ := request["objects"].([]any)
	failure := ""
	converted := []any{}
	for _, each := range objects {
		object, why := convertColor(each.(map[string]any), version)
		if why != "" {
			failure = why
		}
		if spoil, ok := invalidConversions[name]; ok {
			spoil(object, each.(map[string]any), version)
		}
		converted = append(converted, object)
	}
	response := map[string]any{"uid": request["uid"], "convertedObjects": converted, "result": map[string]any{"status": "Success"}}
	switch name {
	case "fail":
		failure = "the hook refuses to convert"
	case "fail-nothing":
		response = map[string]any{"uid": request["uid"], "result": map[string]any{"status": "Failure"}}
	case "no-result":
		delete(response, "result")
	case "fewer":
		response["convertedObjects"] = []any{}
	case "wrong-uid":
		response["uid"] = "other"
	}
	if failure != "" {
		response = map[string]any{"uid": request["uid"], "result": map[string]any{"status": "Failure", "message": failure}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": response})
}

func convertColor(from map[string]any, version string) (object map[string]any, failure string) {
	object = maps.Clone(from)
	object["apiVersion"] = version
	object["metadata"] = maps.Clone(from["metadata"].(map[string]any))
	old, wanted := "colour", "color"
	if strings.HasSuffix(version, "/v1beta1") {
		old, wanted = wanted, old
	}
	spec, ok := from["spec"].(map[string]any)
	if !ok {
		return object, ""
	}
	spec = maps.Clone(spec)
	object["spec"] = spec
	if color, ok := spec[old]; ok {
		spec[wanted] = color
		delete(spec, old)
	}
	if spec[wanted] == "unconvertible" {
		failure = "this colour cannot be converted"
	}
	return object, failure
}

// invalidConversions are functions that modify a converted object in ways that the API server must reject.
var invalidConversions = map[string]func(object, from map[string]any, version string){
	"wrong-version": func(o, from map[string]any, _ string) { o["apiVersion"] = from["apiVersion"] },
	"name":          func(o, _ map[string]any, _ string) { metadataOf(o)["name"] = "renamed" },
	"uid":           func(o, _ map[string]any, _ string) { metadataOf(o)["uid"] = "00000000-0000-0000-0000-000000000000" },
	"namespace":     func(o, _ map[string]any, _ string) { metadataOf(o)["namespace"] = "elsewhere" },
	"labels": func(o, _ map[string]any, version string) {
		metadataOf(o)["labels"] = map[string]any{"converted-to": version[strings.LastIndex(version, "/")+1:]}
	},
	"managers":   func(o, _ map[string]any, _ string) { delete(metadataOf(o), "managedFields") },
	"finalizers": func(o, _ map[string]any, _ string) { metadataOf(o)["finalizers"] = []any{"lab.example.com/added"} },
	"rv":         func(o, _ map[string]any, _ string) { metadataOf(o)["resourceVersion"] = "1" },
	"unknown":    func(o, _ map[string]any, _ string) { o["spec"].(map[string]any)["surprise"] = true },
	"badtype": func(o, _ map[string]any, version string) {
		field := "color"
		if strings.HasSuffix(version, "/v1beta1") {
			field = "colour"
		}
		o["spec"].(map[string]any)[field] = 5
	},
}

func metadataOf(object map[string]any) map[string]any { return object["metadata"].(map[string]any) }

// caBundle returns the server's certificate in the form of a webhook's caBundle field.
func caBundle(s *httptest.Server) string {
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}
