package server

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestWatchEvents compares the events of watches of two objects with those that kube-apiserver
// 1.36.3 sent.
func TestWatchEvents(t *testing.T) {
	byPath := strings.Replace(configMaps, "/namespaces", "/watch/namespaces", 1)
	for _, c := range []struct{ why, path, accept, want string }{
		{"the initial events end with a bookmark", configMaps + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=2", "", "200 ADDED,ADDED,BOOKMARK"},
		{"a bookmark is sent two seconds before the end", configMaps + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=30", "",
			"200 ADDED,ADDED,BOOKMARK,BOOKMARK"},
		{"and every minute", configMaps + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=150", "",
			"200 ADDED,ADDED,BOOKMARK,BOOKMARK,BOOKMARK,BOOKMARK"},
		{"the options of a watch by its path have the defaults of a list", byPath + "?allowWatchBookmarks=1&timeoutSeconds=2", "", "200 ADDED,ADDED"},
		{"unless the parameter watch is set, too", byPath + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=2", "", "200 ADDED,ADDED,BOOKMARK"},
		{"and are validated as those of a list", byPath + "?resourceVersion=0&resourceVersionMatch=NotOlderThan&timeoutSeconds=2", "", "200 ADDED,ADDED"},
		{"which may not have initial events", byPath + "?sendInitialEvents=true&timeoutSeconds=2", "", "422 "},
		{"the name in a path may be selected with other fields", byPath + "/b?fieldSelector=metadata.name%3Db,metadata.namespace%3Dn&timeoutSeconds=2", "",
			"200 ADDED"},
		{"which need not match", byPath + "/b?fieldSelector=metadata.name%3Db,metadata.namespace%3Dx&timeoutSeconds=2", "", "200 "},
		{"but not without the name", byPath + "/b?fieldSelector=metadata.namespace%3Dn&timeoutSeconds=2", "", "400 "},
		{"an object has no form of a list", configMaps + "?watch=1&timeoutSeconds=2", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "200 "},
		{"a stream has no YAML", configMaps + "?watch=1&timeoutSeconds=2", "application/yaml", "406 "},
		{"which matters after the options", configMaps + "?watch=1&fieldSelector=x&timeoutSeconds=2", "application/yaml", "400 "},
		{"initial events wait for a version", configMaps + "?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&resourceVersion=99999&timeoutSeconds=2", "",
			"200 ERROR 504"},
		{"other watches do not", configMaps + "?watch=1&resourceVersion=99999&timeoutSeconds=2", "", "200 "},
		{"a negative timeout has passed", configMaps + "?watch=1&timeoutSeconds=-5", "", "200 "},
		{"also that of a watch from a version", configMaps + "?watch=1&resourceVersion=0&timeoutSeconds=-1", "", "200 "},
		{"a version beyond 63 bits", configMaps + "?watch=1&resourceVersion=18446744073709551615&timeoutSeconds=2", "", "200 "},
		{"a version beyond 64 bits", configMaps + "?watch=1&resourceVersion=18446744073709551616&timeoutSeconds=2", "", "500 "},
	} {
		synctest.Test(t, func(t *testing.T) {
			store, err := cluster.New(cluster.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			s := New(store, Options{})
			create(t, s, "a", "")
			create(t, s, "b", "")
			w := ask(s, "GET", c.path, "", "Accept", c.accept)
			var events []string
			for line := range strings.Lines(w.Body.String()) {
				var event struct {
					Type   string
					Object struct{ Code json.Number }
				}
				if err := json.Unmarshal([]byte(line), &event); err != nil || w.Code != 200 {
					break
				}
				events = append(events, strings.TrimSuffix(event.Type+" "+event.Object.Code.String(), " "))
			}
			if got := strings.Split(w.Result().Status, " ")[0] + " " + strings.Join(events, ","); got != c.want {
				t.Errorf("%s: got %s, want %s\n%s", c.why, got, c.want, w.Body)
			}
		})
	}
}

// TestTableOfInitialEvents: the bookmark after the initial events has its metadata in a table without objects, as that of
// kube-apiserver 1.36.3.
func TestTableOfInitialEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := cluster.New(cluster.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s := New(store, Options{})
		create(t, s, "a", "")
		w := ask(s, "GET", configMaps+"?watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&includeObject=None&timeoutSeconds=2", "",
			"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
		lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], `"object":null`) || !strings.Contains(lines[1], `"k8s.io/initial-events-end":"true"`) {
			t.Errorf("got %s", w.Body)
		}
	})
}

// TestTableOfFlowSchemas: kubectl shows FlowSchemas in the order in which they are matched.
func TestTableOfFlowSchemas(t *testing.T) {
	s := local(t, Options{})
	const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	for _, c := range [][2]string{{"a", "900"}, {"b", "800"}, {"c", "800"}} {
		w := ask(s, "POST", schemas, `{"metadata":{"name":"`+c[0]+`"},"spec":{"priorityLevelConfiguration":{"name":"x"},"matchingPrecedence":`+c[1]+`}}`)
		if w.Code != 201 {
			t.Fatal(w.Body)
		}
	}
	var names []string
	for _, row := range body(t, ask(s, "GET", schemas, "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")).Get("rows").Items() {
		names = append(names, row.Get("cells").At(0).StringOr(""))
	}
	if got := strings.Join(names, ","); got != "b,c,a" {
		t.Errorf("got %s, want b,c,a", got)
	}
}

// TestErrorsHaveNoForm: the form that a client requests is that of objects. A client that
// accepts no other gets errors in indented JSON.
func TestErrorsHaveNoForm(t *testing.T) {
	s := local(t, Options{})
	for accept, indented := range map[string]bool{
		"application/json;as=Table;v=v1;g=meta.k8s.io":                  true,
		"application/yaml;as=Table;v=v1;g=meta.k8s.io":                  true,
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json": false,
		"application/json": false,
	} {
		w := ask(s, "GET", configMaps+"/none", "", "Accept", accept)
		if w.Code != 404 || strings.Contains(w.Body.String(), "\n  ") != indented {
			t.Errorf("%s: %d %s", accept, w.Code, w.Body)
		}
	}
}
