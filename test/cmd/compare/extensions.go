package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareExtensions compares the aggregation layers while APIServices, their Services and CustomResourceDefinitions of the same
// groups come, change and go: the conditions of the APIServices, discovery, and the responses to requests that may reach
// an extension API server.
func compareExtensions(o *options, p *pair) (*report, error) {
	extension, err := startExtension()
	if err != nil {
		return nil, err
	}
	defer extension.server.Close()
	r := newReport()
	for i := range o.cases {
		e := &extensions{definer: newDefiner(o, i), pair: p, extension: extension, title: fmt.Sprintf("extensions/%d-%d", o.seed, i)}
		e.namespace = fmt.Sprintf("ext-%d-%d", o.seed, i)
		e.groups = []string{fmt.Sprintf("a%d.e%d.example.com", i, o.seed), fmt.Sprintf("b%d.e%d.example.com", i, o.seed)}
		if err := e.run(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// extension is an extension API server for both servers. It runs on this machine, so that both have to as well.
type extension struct {
	server *httptest.Server
	port   int
	bundle string
}

// startExtension starts an extension API server that serves every group.
func startExtension() (*extension, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(0, 0, 1), IsCA: true, BasicConstraintsValid: true}
	template.DNSNames = []string{"ext.extensions.svc"}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	e := &extension{server: httptest.NewUnstartedServer(http.HandlerFunc(serveExtension))}
	e.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	e.server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	e.server.StartTLS()
	e.port = e.server.Listener.Addr().(*net.TCPAddr).Port
	e.bundle = base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	return e, nil
}

// serveExtension answers with discovery documents of the versions of a group, and with what it has received.
func serveExtension(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) == 3 && parts[0] == "apis" && strings.HasPrefix(parts[1], "a") { // those of the other group have no document
		_, _ = fmt.Fprintf(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"%s/%s","resources":[{"name":"things","singularName":"thing",`+
			`"namespaced":true,"kind":"Thing","verbs":["get","list"]},{"name":"things/status","singularName":"","namespaced":true,"kind":"Thing","verbs":["get"]}]}`, parts[1], parts[2])
		return
	}
	switch parts[len(parts)-1] {
	case "redirect":
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
		return
	case "created":
		w.Header().Set("Location", r.URL.Path+"/x")
		w.WriteHeader(http.StatusCreated)
	case "openapi", "v2", "v3", "apis":
		w.WriteHeader(http.StatusNotFound)
		return
	}
	r.Header.Del("Audit-Id")
	r.Header.Del("Via") // which only patchlab sends
	body, _ := io.ReadAll(r.Body)
	_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "uri": r.RequestURI, "header": r.Header, "body": string(body)})
}

// extensions is a case: the objects in it are written at random, and read after each write.
type extensions struct {
	*definer
	pair             *pair
	extension        *extension
	title, namespace string
	groups           []string
	registered       []string // the names of APIServices
	services         []string
	defined          []string // the groups of definitions
}

const registrations = "/apis/apiregistration.k8s.io/v1/apiservices"

// run writes and reads until the responses differ, and then deletes what is left.
func (e *extensions) run(r *report) error {
	write := func(c conformance.Request) error {
		for _, server := range []conformance.Send{e.pair.theirs, e.pair.ours} {
			if _, err := server(c); err != nil {
				return err
			}
		}
		return nil
	}
	defer func() {
		for _, path := range e.paths() {
			_ = write(request(http.MethodDelete, path, "", "", ""))
		}
	}()
	if err := write(request(http.MethodPost, "/api/v1/namespaces", "", "application/json", encode(object{"metadata": object{"name": e.namespace}}))); err != nil {
		return err
	}
	const writes = 8
	for step := range writes {
		c := e.write()
		if step == 0 && !e.chance(4) { // so that there is something to forward requests to
			e.services = append(e.services, "ext")
			c = request(http.MethodPost, "/api/v1/namespaces/"+e.namespace+"/services", "", "application/json",
				encode(object{"metadata": object{"name": "ext"}, "spec": object{"type": "ExternalName", "externalName": "localhost"}}))
		}
		if err := write(c); err != nil {
			return err
		}
		same, err := e.read(r, fmt.Sprintf("%s step %d after %s %s %s", e.title, step, c.Method, c.Path, c.Body))
		if err != nil || !same {
			return err
		}
	}
	return nil
}

// paths returns the paths of the objects of the case.
func (e *extensions) paths() []string {
	paths := []string{"/api/v1/namespaces/" + e.namespace}
	for _, name := range e.registered {
		paths = append(paths, registrations+"/"+name)
	}
	for _, group := range e.defined {
		paths = append(paths, definitions+"/gadgets."+group)
	}
	return paths
}

// write returns the next request.
func (e *extensions) write() conformance.Request {
	services := "/api/v1/namespaces/" + e.namespace + "/services"
	switch n := e.random.IntN(12); {
	case n < 2 && len(e.registered) > 0:
		name := e.registered[e.random.IntN(len(e.registered))]
		if e.chance(3) {
			e.registered = slices.DeleteFunc(e.registered, func(o string) bool { return o == name })
			return request(http.MethodDelete, registrations+"/"+name, "", "", "")
		}
		return request(http.MethodPatch, registrations+"/"+name, "", mergePatchType, encode(object{"spec": e.registration()}))
	case n == 2 && len(e.services) > 0:
		name := e.services[e.random.IntN(len(e.services))]
		e.services = slices.DeleteFunc(e.services, func(o string) bool { return o == name })
		return request(http.MethodDelete, services+"/"+name, "", "", "")
	case n < 5:
		name := []string{"ext", "other"}[e.random.IntN(2)]
		if !slices.Contains(e.services, name) {
			e.services = append(e.services, name)
		}
		return request(http.MethodPost, services, "", "application/json", encode(object{"metadata": object{"name": name}, "spec": e.service()}))
	case n == 5:
		group := e.groups[e.random.IntN(2)]
		if slices.Contains(e.defined, group) {
			e.defined = slices.DeleteFunc(e.defined, func(o string) bool { return o == group })
			return request(http.MethodDelete, definitions+"/gadgets."+group, "", "", "")
		}
		e.defined = append(e.defined, group)
		version := func(name string) object {
			return object{"name": name, "served": true, "storage": name == "v1", "schema": object{"openAPIV3Schema": object{"type": "object"}}}
		}
		return request(http.MethodPost, definitions, "", "application/json", encode(object{"metadata": object{"name": "gadgets." + group}, "spec": object{
			"group": group, "scope": "Namespaced", "names": object{"plural": "gadgets", "kind": "Gadget"}, "versions": []any{version("v1"), version("v1beta1")},
		}}))
	}
	group, version := e.groups[e.random.IntN(2)], []string{"v1", "v2", "v1beta1"}[e.random.IntN(3)]
	name := version + "." + group
	if !slices.Contains(e.registered, name) {
		e.registered = append(e.registered, name)
	}
	spec := e.registration()
	spec["group"], spec["version"] = group, version
	return request(http.MethodPost, registrations, "", "application/json", encode(object{"metadata": object{"name": name}, "spec": spec}))
}

// registration returns the spec of an APIService without its version. Most lead to the extension API server.
func (e *extensions) registration() object {
	spec := object{
		"groupPriorityMinimum": []int{100, 1000, 1000, 2000}[e.random.IntN(4)], "versionPriority": 1 + e.random.IntN(200),
		"insecureSkipTLSVerify": true, "caBundle": nil,
	}
	service := object{"namespace": e.namespace, "name": []string{"ext", "ext", "other"}[e.random.IntN(3)], "port": e.extension.port}
	switch e.random.IntN(8) {
	case 0:
		service["port"] = 1 // where nobody listens
	case 1:
		spec["insecureSkipTLSVerify"], spec["caBundle"] = false, e.extension.bundle // of another name
	case 2:
		spec["insecureSkipTLSVerify"] = false
	}
	spec["service"] = service
	if e.chance(10) {
		spec["service"], spec["insecureSkipTLSVerify"] = nil, false
	}
	return spec
}

// service returns the spec of a Service. No machine has its cluster IP, to which therefore nothing is sent.
func (e *extensions) service() object {
	switch e.random.IntN(6) {
	case 0:
		return object{"ports": []any{object{"port": 1}}}
	case 1:
		return object{"ports": []any{object{"port": e.extension.port}}}
	case 2:
		return object{"clusterIP": "None", "ports": []any{object{"port": e.extension.port}}}
	}
	return object{"type": "ExternalName", "externalName": "localhost"}
}

// read compares what both servers show once it does not change any more.
func (e *extensions) read(r *report, title string) (same bool, err error) {
	reads := []conformance.Request{{Path: registrations}, {Path: "/apis"}, {Path: "/apis", Accept: aggregatedType}}
	for _, group := range e.groups {
		reads = append(reads, conformance.Request{Path: "/apis/" + group})
		for _, version := range []string{"v1", "v2", "v1beta1"} {
			path := "/apis/" + group + "/" + version
			reads = append(reads, conformance.Request{Path: path}, conformance.Request{Path: path + "/x", Query: "b=1&a=%2F"},
				conformance.Request{Path: path + "/redirect"}, request(http.MethodPost, path+"/namespaces/n/created", "", "application/json", "{}"))
		}
	}
	const settled, tries = 1500 * time.Millisecond, 16
	var shown [2][]string
	var codes []int
	for try := range tries {
		e.pair.wait(settled)
		for i, server := range []conformance.Send{e.pair.theirs, e.pair.ours} {
			shown[i], codes = nil, nil
			for _, c := range reads {
				if c.Method == "" {
					c.Method = http.MethodGet
				}
				answer, err := server(c)
				if err != nil {
					return false, err
				}
				shown[i] = append(shown[i], e.text(c, answer))
				codes = append(codes, answer.Code)
			}
		}
		if same = slices.Equal(shown[0], shown[1]); same && try > 0 {
			break
		}
	}
	for i, c := range reads {
		group, difference := "requests", ""
		if i < 3 {
			group = []string{"conditions", "discovery", "aggregated discovery"}[i]
		}
		if shown[0][i] != shown[1][i] {
			difference = fmt.Sprintf("want %s, got %s", shown[0][i], shown[1][i])
		}
		r.add(group, codes[i], fmt.Sprintf("%s %s\n%s", group, title, brief(c)), difference)
	}
	return same, nil
}

// text returns what is compared of an answer.
func (e *extensions) text(c conformance.Request, answer conformance.Answer) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d ", answer.Code)
	body, _ := decode(answer.Body).(map[string]any)
	items, _ := body["items"].([]any)
	if groups, ok := body["groups"].([]any); ok {
		items = groups
	}
	if c.Path != registrations && c.Path != "/apis" {
		text := strings.TrimSpace(string(answer.Body))
		if answer.Code == http.StatusTooManyRequests || strings.Contains(text, `"GadgetList"`) {
			text = "" // of a definition, whose storage kube-apiserver may still prepare
		}
		return out.String() + text
	}
	for _, item := range items {
		one := item.(map[string]any)
		metadata, _ := one["metadata"].(map[string]any)
		name := fmt.Sprint(metadata["name"])
		if c.Path == "/apis" && c.Accept == "" {
			name = fmt.Sprint(one["name"])
		}
		if !slices.ContainsFunc(e.groups, func(group string) bool { return strings.HasSuffix(name, group) }) {
			continue
		}
		shown := one["versions"]
		if status, ok := one["status"].(map[string]any); ok {
			shown = withoutTimes(status["conditions"])
		}
		fmt.Fprintf(&out, "%s %s\n", name, encode(shown))
	}
	return out.String()
}

// withoutTimes removes the times of conditions.
func withoutTimes(conditions any) any {
	list, _ := conditions.([]any)
	for _, c := range list {
		delete(c.(map[string]any), "lastTransitionTime")
	}
	return list
}
