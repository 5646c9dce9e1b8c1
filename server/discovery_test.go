package server

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/schema"
)

// recorded returns the lines of a recording.
func recorded(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	var out []string
	for lines.Scan() {
		out = append(out, lines.Text())
	}
	return out
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return v
}

const wantAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func TestAggregatedDiscoveryIsThatOfTheAPIServer(t *testing.T) {
	s := New(newFake(t), Options{})
	for i, path := range []string{"/api", "/apis"} {
		want := decode[discoveryList](t, recorded(t, "discovery.jsonl.gz")[i])
		w := ask(s, "GET", path, "", "Accept", wantAggregated)
		if got := w.Header().Get("Content-Type"); got != wantAggregated {
			t.Errorf("%s: content type %s", path, got)
		}
		got := decode[discoveryList](t, w.Body.String())
		compareGroups(t, got.Items, want.Items)
	}
}

func compareGroups(t *testing.T, got, want []discoveryGroup) {
	t.Helper()
	for _, g := range want {
		i := slices.IndexFunc(got, func(o discoveryGroup) bool { return o.Metadata == g.Metadata })
		if i < 0 {
			t.Errorf("group %q is missing", g.Metadata.Name)
			continue
		}
		for _, v := range g.Versions {
			j := slices.IndexFunc(got[i].Versions, func(o discoveryVersion) bool { return o.Version == v.Version })
			if j < 0 {
				continue // not every version served by default is in the catalog
			}
			for _, r := range v.Resources {
				k := slices.IndexFunc(got[i].Versions[j].Resources, func(o aggregation.Resource) bool { return o.Resource == r.Resource })
				if k < 0 || !reflect.DeepEqual(got[i].Versions[j].Resources[k], r) {
					t.Errorf("%s/%s %s: differs from %+v", g.Metadata.Name, v.Version, r.Resource, r)
				}
			}
		}
	}
}

func TestResourceListsAreThoseOfTheAPIServer(t *testing.T) {
	s := New(newFake(t), Options{})
	lines := recorded(t, "resources.jsonl.gz")
	for _, line := range lines {
		want := decode[apiResourceList](t, line)
		path := "/apis/" + want.GroupVersion
		if !strings.Contains(want.GroupVersion, "/") {
			path = "/api/" + want.GroupVersion
		}
		w := ask(s, "GET", path, "", "Accept", "application/json")
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
			continue
		}
		got := decode[apiResourceList](t, w.Body.String())
		for i := range want.Resources {
			r := want.Resources[i]
			j := slices.IndexFunc(got.Resources, func(o apiResource) bool { return o.Name == r.Name })
			if j < 0 {
				t.Errorf("%s: %s is missing", path, r.Name)
				continue
			}
			if !reflect.DeepEqual(got.Resources[j], r) {
				t.Errorf("%s: %+v is not %+v", path, got.Resources[j], r)
			}
		}
	}
	if len(lines) < 20 {
		t.Errorf("only %d group versions were compared", len(lines))
	}
}

func TestDiscoveryOfCustomResources(t *testing.T) {
	f := newFake(t)
	s := New(f, Options{})
	got := ask(s, "GET", "/apis/lab.example.com/v1", "").Body.String()
	list := decode[apiResourceList](t, got)
	if len(list.Resources) != 2 || list.Resources[0].Name != "gadgets" || list.Resources[1].Name != "gadgets/status" {
		t.Errorf("resources: %s", got)
	}
	if w := ask(s, "GET", "/apis/lab.example.com", ""); body(t, w).Get("preferredVersion").Get("version").StringOr("") != "v1" {
		t.Errorf("group: %s", w.Body)
	}
	before := ask(s, "GET", "/apis", "", "Accept", wantAggregated).Header().Get("ETag")
	if w := ask(s, "GET", "/apis", "", "Accept", wantAggregated, "If-None-Match", before); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("second request: %d with %d bytes", w.Code, w.Body.Len())
	}
	thing := schema.NewKind(schema.GroupVersionKind{Group: "a.example.com", Version: "v1", Kind: "Thing"}, schema.Deduced())
	thing.Resource, thing.Verbs = "things", []string{"get"}
	f.registry.Add(thing)
	if w := ask(s, "GET", "/apis", "", "Accept", wantAggregated, "If-None-Match", before); w.Code != http.StatusOK {
		t.Errorf("after a new kind: %d", w.Code)
	}
}

// TestDiscoveryOfStoredCustomResources compares the discovery documents of the
// recordings' CRDs, whose storage version is v1, with those of the API server.
func TestDiscoveryOfStoredCustomResources(t *testing.T) {
	s := live(t, nil)
	for version, want := range map[string]string{
		"v1": "widgets pqwnaemERYg=, widgets/status , widgets/scale , ", "v1beta1": "widgets pqwnaemERYg=, widgets/status , widgets/scale , ",
	} {
		resp, err := s.Client().Get(s.URL + "/apis/lab.example.com/" + version)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var list apiResourceList
		if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range list.Resources {
			if strings.HasPrefix(r.Name, "widgets") {
				got += r.Name + " " + r.Hash + ", "
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}
