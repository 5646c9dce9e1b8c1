package cluster_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
)

// TestChangesOfVersions: what changed from Kubernetes 1.36 to 1.37, and what did not. The
// answers in testdata/versions.jsonl are those of kube-apiserver 1.36.3 and 1.37.2, without
// admission plugins, to the same requests in this order: the generation of the object, the
// pod-level resources of a pod and those that the client owns, and warnings; or the code and
// the causes of the refusal.
func TestChangesOfVersions(t *testing.T) {
	for _, version := range [...]string{"1.36", "1.37"} {
		q := newRequests(t, cluster.Config{Version: version})
		for _, c := range changedAnswers(t) {
			verb := cluster.Create
			if c.Method == "PATCH" {
				verb = cluster.Patch
			}
			body := string(c.Body)
			if c.Text != "" {
				body = c.Text
			}
			var got string
			if response, st := q.do(verb, c.Path, body); st != nil {
				got = refusalText(st)
			} else {
				got = acceptanceText(response)
			}
			if want := c.Want[version]; got != want {
				t.Errorf("%s, %s: %s, want %s", version, c.Reason, got, want)
			}
		}
	}
}

func acceptanceText(response *cluster.Response) string {
	generation, _ := response.Object.Lookup("metadata", "generation").Int()
	text := "generation " + strconv.FormatInt(generation, 10)
	if resources := response.Object.Lookup("spec", "resources"); resources.Exists() {
		owned := response.Object.Lookup("metadata", "managedFields").At(0).Lookup("fieldsV1", "f:spec", "f:resources")
		if !owned.Exists() {
			owned = document.NewNull()
		}
		text += " resources " + resources.String() + " owned " + owned.String()
	}
	for _, warning := range response.Warnings {
		text += " warning " + warning
	}
	return text
}

func refusalText(st *cluster.Status) string {
	causes := causesOf(st)
	slices.Sort(causes)
	return strings.Join(append([]string{strconv.Itoa(st.Code)}, causes...), " ")
}

// causesOf returns the causes of a refusal as the recordings have them, such as Invalid:spec.a.
func causesOf(st *cluster.Status) (causes []string) {
	if st.Details != nil {
		for _, cause := range st.Details.Causes {
			causes = append(causes, strings.TrimPrefix(cause.Type, "FieldValue")+":"+cause.Field)
		}
	}
	return causes
}

// A changedAnswer is a request and what each version answers.
type changedAnswer struct {
	Reason, Method, Path string
	Body                 json.RawMessage
	Text                 string // the body if it is not JSON
	Want                 map[string]string
}

func changedAnswers(t *testing.T) (all []changedAnswer) {
	t.Helper()
	file, err := os.Open("testdata/versions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c changedAnswer
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// TestUntrackedUpdate: an object that a write leaves without the key of a list item keeps its
// managers from Kubernetes 1.37 on, and loses them before. So do kube-apiserver 1.36.3 and
// 1.37.2. Nothing is kept of a new object, which has none.
func TestUntrackedUpdate(t *testing.T) {
	const accounts = "/api/v1/namespaces/n/serviceaccounts"
	for version, want := range map[string]int{"1.36": 0, "1.37": 1} {
		q := newRequests(t, cluster.Config{Version: version})
		if _, st := q.do(cluster.Create, accounts, `{"metadata":{"name":"a"},"automountServiceAccountToken":false}`); st != nil {
			t.Fatal(st)
		}
		response, st := q.do(cluster.Patch, accounts+"/a", `{"secrets":[null,{"name":"s"}]}`)
		if st != nil {
			t.Fatal(st)
		}
		if managers := response.Object.Lookup("metadata", "managedFields"); managers.Len() != want {
			t.Errorf("%s: the managers are %s, want %d", version, managers, want)
		}
		response, st = q.do(cluster.Create, accounts, `{"metadata":{"name":"b"},"secrets":[null,{"name":"s"}]}`)
		if st != nil {
			t.Fatal(st)
		}
		if managers := response.Object.Lookup("metadata", "managedFields"); managers.Len() != 0 {
			t.Errorf("%s: a new object has the managers %s", version, managers)
		}
	}
}

// TestKindsOfLaterVersions replays requests for the kinds that Kubernetes 1.37 is the first to
// serve by default, and the recorded answers of kube-apiserver 1.37.2, without admission plugins
// and with every request authorized.
func TestKindsOfLaterVersions(t *testing.T) { replayIn(t, "1.37", "testdata/kinds-1.37.jsonl.gz") }

// TestAnswersOfEarlierVersions replays requests that Kubernetes 1.36 answers in another way than
// 1.30 to 1.35, and the recorded answers of kube-apiserver 1.30.14 to 1.35.4: the fields of
// features that are off there, what is refused, the causes of it and warnings.
func TestAnswersOfEarlierVersions(t *testing.T) {
	for _, version := range [...]string{"1.30", "1.31", "1.32", "1.33", "1.34", "1.35"} {
		replayIn(t, version, "testdata/version-"+version+".jsonl.gz")
	}
}

// replayIn replays recorded cases, each in an empty cluster of a Kubernetes version.
func replayIn(t *testing.T, version, file string) {
	t.Helper()
	cases, err := conformance.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range cases {
		at := &clock{now: time.Now().Truncate(time.Second)}
		c, err := cluster.New(cluster.Config{Version: version, Now: at.Now})
		if err != nil {
			t.Fatal(err)
		}
		runner := conformance.Runner{Now: at.Now, Sleep: at.Sleep, AllWarnings: true}
		if _, differs := runner.Run(one, inprocess.Send(c)); differs != "" {
			t.Errorf("%s, %s (%s): %s", version, one.Name, one.Note, differs)
		}
		c.Close()
	}
}

// TestSlicesOfAPool: ResourceSlices can be selected by the name of their pool from Kubernetes 1.37 on. The answers are those of
// kube-apiserver 1.36.3 and 1.37.2.
func TestSlicesOfAPool(t *testing.T) {
	const slices = "/apis/resource.k8s.io/v1/resourceslices"
	for version, answers := range map[string]map[string]string{
		"1.36": {
			"spec.pool.name=pool-1":  "400 field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool.name",
			"spec.pool.name!=pool-1": "400 field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool.name",
			"spec.pool=x":            "400 field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool",
		},
		"1.37": {
			"spec.pool.name=pool-1":  "s1",
			"spec.pool.name!=pool-1": "s2",
			"spec.pool=x":            "400 field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool",
		},
	} {
		q := newRequests(t, cluster.Config{Version: version})
		for _, i := range []string{"1", "2"} {
			q.must(cluster.Create, slices, `{"metadata":{"name":"s`+i+`"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"pool-`+i+`","generation":1,"resourceSliceCount":1}}}`)
		}
		for selector, want := range answers {
			got := ""
			response, st := q.do(cluster.List, slices, "", func(r *cluster.Request) { r.FieldSelector = selector })
			if st != nil {
				got = strconv.Itoa(st.Code) + " " + st.Message
			} else {
				for _, item := range response.Items() {
					got += item.Lookup("metadata", "name").StringOr("")
				}
			}
			if got != want {
				t.Errorf("%s, %s: %s, want %s", version, selector, got, want)
			}
		}
	}
}
