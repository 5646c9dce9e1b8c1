package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const recordings = "../../../testdata/conformance"

func read(t *testing.T) []Case {
	t.Helper()
	cases, err := ReadAll(recordings)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestRecordingsAreComplete(t *testing.T) {
	want := map[string]int{
		"bad-input": 32, "builtin-defaults": 26, "builtin-defaults2": 445, "builtin-zero": 6, "csa-to-ssa": 13,
		"fuzz-builtin": 250, "fuzz-crd": 250, "fuzz-mixed": 399, "fuzz-null": 100, "json-patch": 76,
		"list-watch": 28, "merge-patch": 36, "optimistic": 40, "order": 6, "smoke": 3, "ssa-basics": 89,
		"ssa-crd": 89, "ssa-delete": 8, "ssa-lists": 55, "ssa-schema-edges": 26, "ssa-update-tracking": 49, "strategic": 49,
	}
	got := map[string]int{}
	for _, c := range read(t) {
		got[c.family()]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("cases by family:\n got %v\nwant %v", got, want)
	}
}

// recorded returns a Send that replays the recorded responses, modified by change.
func recorded(t *testing.T, c Case, change func(step int, a *Answer)) Send {
	step := -1
	return func(Request) (Answer, error) {
		step++
		r := c.Steps[step].Response
		a := Answer{Code: r.Code, Warnings: r.Warnings}
		if s, ok := r.Body.(string); ok {
			a.Body = []byte(s)
		} else if r.Body != nil {
			a.Body = []byte(text(r.Body))
		}
		for _, e := range r.Events {
			a.Events = append(a.Events, []byte(text(e)))
		}
		change(step, &a)
		return a, nil
	}
}

// TestRecordingReplaysWithoutDifference: the names in recorded responses are numbered as variables
// does, so replaying a recording yields no difference.
func TestRecordingReplaysWithoutDifference(t *testing.T) {
	still := Runner{Sleep: func(time.Duration) {}}
	var report Report
	for _, c := range read(t) {
		c.Open = ""
		agreed, differs := still.Run(c, recorded(t, c, func(int, *Answer) {}))
		if differs != "" {
			t.Errorf("%s: %s", c.Name, differs)
		}
		report.Add(c, agreed)
	}
	if !strings.Contains(report.String(), "2075 of 2075 cases") {
		t.Errorf("report:\n%s", report.String())
	}
}

// TestWrongAnswersAreDifferences: every kind of change to a correct answer is a difference.
func TestWrongAnswersAreDifferences(t *testing.T) {
	object := func(edit func(m map[string]any)) func(*Answer) bool {
		return func(a *Answer) bool {
			m, ok := decodeBody(a.Body).(map[string]any)
			if !ok || m["metadata"] == nil || a.Code >= 300 || m["kind"] == "Status" {
				return false
			}
			edit(m)
			a.Body = []byte(text(m))
			return true
		}
	}
	status := func(reason string, edit func(m map[string]any)) func(*Answer) bool {
		return func(a *Answer) bool {
			m, ok := decodeBody(a.Body).(map[string]any)
			if !ok || a.Code < 400 || reason != "" && m["reason"] != reason {
				return false
			}
			edit(m)
			a.Body = []byte(text(m))
			return true
		}
	}
	cases := read(t)
	meta := func(m map[string]any) map[string]any { return m["metadata"].(map[string]any) }
	for why, change := range map[string]func(*Answer) bool{
		"another code":  func(a *Answer) bool { a.Code++; return true },
		"a member more": object(func(m map[string]any) { m["surplus"] = nil }),
		"a member less": object(func(m map[string]any) { delete(m, "metadata") }),
		"an old resource version": func(a *Answer) bool {
			old := bytes.ReplaceAll(a.Body, []byte(`"resourceVersion":"$RV2$"`), []byte(`"resourceVersion":"$RV1$"`))
			changed := a.Code < 300 && !bytes.Equal(old, a.Body)
			a.Body = old
			return changed
		},
		"no managers":        object(func(m map[string]any) { meta(m)["managedFields"] = []any{nil} }),
		"another reason":     status("", func(m map[string]any) { m["reason"] = "Other" }),
		"no Status":          status("", func(m map[string]any) { m["kind"] = "Other" }),
		"conflict's message": status("Conflict", func(m map[string]any) { m["message"] = "no" }),
		"conflict's causes":  status("Conflict", func(m map[string]any) { m["details"] = map[string]any{"causes": []any{"x"}} }),
		"a cause less": status("Invalid", func(m map[string]any) {
			details := m["details"].(map[string]any)
			if causes, _ := details["causes"].([]any); len(causes) > 0 {
				details["causes"] = causes[1:]
				return
			}
			m["reason"] = "Other"
		}),
		"a cause more": status("Invalid", func(m map[string]any) {
			details := m["details"].(map[string]any)
			causes, _ := details["causes"].([]any)
			details["causes"] = append(causes, map[string]any{"reason": "FieldValueInvalid", "field": "spec.surplus", "message": "surplus"})
		}),
		"missing's message": status("NotFound", func(m map[string]any) { m["message"] = "no" }),
		"a warning more": func(a *Answer) bool {
			a.Warnings = append(a.Warnings, `299 - "unknown field \"x\""`)
			return a.Code < 300
		},
		"an event less": func(a *Answer) bool {
			if len(a.Events) == 0 {
				return false
			}
			a.Events = a.Events[1:]
			return true
		},
	} {
		tried := 0
		for _, c := range cases {
			if tried == 25 || strings.HasPrefix(c.Name, "fuzz-") || strings.HasPrefix(c.Name, "builtin-defaults") {
				continue // these cases are similar
			}
			last := len(c.Steps) - 1
			changed := false
			_, differs := Runner{Sleep: func(time.Duration) {}}.Run(c, recorded(t, c, func(step int, a *Answer) {
				if step == last {
					changed = change(a)
				}
			}))
			if !changed {
				continue
			}
			tried++
			if c.Open == "" && differs == "" {
				t.Errorf("%s: %s is not seen in the last answer", c.Name, why)
				break
			}
		}
		if tried == 0 {
			t.Errorf("%s: no answer could be changed so", why)
		}
	}
}

func TestDifferenceIgnoresVariables(t *testing.T) {
	decode := func(s string) any { return decodeBody([]byte(s)) }
	for _, c := range []struct {
		why, want, got string
		code           int
		ordered, same  bool
	}{
		{"entries of managedFields in another order", `{"managedFields":[{"manager":"a"},{"manager":"b"}]}`, `{"managedFields":[{"manager":"b"},{"manager":"a"}]}`, 200, false, true},
		{"entries of managedFields in another order, in the family order", `{"managedFields":[{"manager":"a"},{"manager":"b"}]}`, `{"managedFields":[{"manager":"b"},{"manager":"a"}]}`, 200, true, false},
		{"another list in another order", `{"f":["a","b"]}`, `{"f":["b","a"]}`, 200, false, false},
		{"numbers keep their spelling", `{"f":2}`, `{"f":2.0}`, 200, false, false},
		{"another message of another refusal", `{"kind":"Status","reason":"Invalid","message":"a"}`, `{"kind":"Status","reason":"Invalid","message":"b"}`, 422, false, true},
		{"another message of a cause", `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a","message":"x"}]}}`, `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a","message":"y"}]}}`, 422, false, true},
		{"another field of a cause", `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a"}]}}`, `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"b"}]}}`, 422, false, false},
		{"another reason of a cause", `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a","reason":"b"}]}}`, `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a","reason":"c"}]}}`, 422, false, false},
		{"a duplicate cause that is reported once", `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a"},{"field":"a"}]}}`, `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a"}]}}`, 422, false, false},
		{"causes in another order", `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a"},{"field":"b"}]}}`, `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"b"},{"field":"a"}]}}`, 422, false, true},
		{"causes of a conflict in another order", `{"kind":"Status","reason":"Conflict","details":{"causes":[{"field":"a"},{"field":"b"}]}}`, `{"kind":"Status","reason":"Conflict","details":{"causes":[{"field":"b"},{"field":"a"}]}}`, 409, false, true},
	} {
		d := Difference(Response{Code: c.code, Body: decode(c.want)}, Response{Code: c.code, Body: decode(c.got)}, c.ordered)
		if (d == "") != c.same {
			t.Errorf("%s: difference %q", c.why, d)
		}
	}
}

// TestOpenCases: an open case must differ in causes and in nothing else.
func TestOpenCases(t *testing.T) {
	answer := func(body string) Send {
		return func(Request) (Answer, error) { return Answer{Code: 422, Body: []byte(body)}, nil }
	}
	const recorded = `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"a"}]}}`
	c := Case{Name: "x/y", Open: "some reason", Steps: []Step{{Response: Response{Code: 422, Body: decodeBody([]byte(recorded))}}}}
	for _, test := range []struct {
		why, answer string
		differs     string
	}{
		{"other causes, which are accepted", `{"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"b"}]}}`, ""},
		{"another reason, which is not accepted", `{"kind":"Status","reason":"BadRequest"}`, "reason"},
		{"the recorded causes, for which the exception should be removed", recorded, "remove the case from open.txt (some reason)"},
	} {
		_, differs := Runner{}.Run(c, answer(test.answer))
		if (differs == "") != (test.differs == "") || !strings.Contains(differs, test.differs) {
			t.Errorf("%s: %q", test.why, differs)
		}
	}
}

func TestOpenFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "open.txt")
	for text, want := range map[string]string{
		"# comment\n\na/b: reason\n": "",
		"a/b\n":                      "open.txt:1",
		"a/b: x\na/b: y\n":           "open.txt:2",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		open, err := readOpen(file)
		if want == "" && (err != nil || len(open) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v", text, open, err)
		}
	}
}

func TestValuesThatDifferBetweenRunsBecomeVariables(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	v := &variables{Now: func() time.Time { return now }}
	got := text(v.Normalize(decodeBody([]byte(`{
		"a": {"resourceVersion":"17","uid":"u-1"}, "b": {"resourceVersion":"0","uid":""},
		"c": [{"resourceVersion":"19"},{"resourceVersion":"17"}], "continue":"t+",
		"creationTimestamp":"2026-05-01T12:00:00Z", "time":null, "deletionTimestamp":"soon",
		"lastTransitionTime":"2026-05-01T11:00:00Z", "timeAdded":"2020-01-01T00:00:00Z",
		"message":"uid u-1, resourceVersion 19, not 18", "note":"17"}`))))
	want := `{"a":{"resourceVersion":"$RV1$","uid":"$UID1$"},"b":{"resourceVersion":"0","uid":""},` +
		`"c":[{"resourceVersion":"$RV2$"},{"resourceVersion":"$RV1$"}],"continue":"$CONT1$",` +
		`"creationTimestamp":"$TIME$","deletionTimestamp":"soon","lastTransitionTime":"$TIME$",` +
		`"message":"uid $UID1$, resourceVersion $RV2$, not $N$","note":"17","time":null,"timeAdded":"2020-01-01T00:00:00Z"}`
	if got != want {
		t.Errorf("normalized:\n got %s\nwant %s", got, want)
	}
	if got, want := v.expand("x=$RV2$&y=$UID1$&continue=$CONT1$&z=$RV3$"), "x=19&y=u-1&continue=t%2B&z=$RV3$"; got != want {
		t.Errorf("expanded: got %s, want %s", got, want)
	}
}

// TestTimesOfRequestsAreNotTheServers: a time that a request set stays as it is, so that a recording does not
// depend on the day on which it is made or replayed.
func TestTimesOfRequestsAreNotTheServers(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	v := &variables{Now: func() time.Time { return now }}
	v.expandRequest(Request{Body: `{"lastTransitionTime":"2026-05-01T11:00:00Z"}`})
	got := text(v.Normalize(decodeBody([]byte(`[{"lastTransitionTime":"2026-05-01T11:00:00Z"},{"lastTransitionTime":"2026-05-01T12:00:00Z"}]`))))
	if want := `[{"lastTransitionTime":"2026-05-01T11:00:00Z"},{"lastTransitionTime":"$TIME$"}]`; got != want {
		t.Errorf("normalized: got %s, want %s", got, want)
	}
}

func TestHTTPReadsLimitedWatchEvents(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Warning", `299 - "a"`)
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, r.Header.Get("Content-Type"), r.Header.Get("User-Agent"), r.Header.Get("Authorization"))
			return
		}
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(w, "{\"type\":\"ADDED\",\"object\":%d}\n", i); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			if i == 5 {
				<-r.Context().Done()
				return
			}
		}
	}))
	defer server.Close()
	send := HTTP(server.URL+"/", "secret", server.Client())
	a, err := send(Request{Method: "GET", Path: "/x", Query: "watch=1", Events: 2})
	if err != nil || len(a.Events) != 2 || len(a.Warnings) != 1 {
		t.Errorf("watch: %v %q %q", err, a.Events, a.Warnings)
	}
	a, err = send(Request{Method: "PUT", Path: "/x", ContentType: "text/plain"})
	if err != nil || string(a.Body) != "text/plainoracle/v1Bearer secret" {
		t.Errorf("put: %v %q", err, a.Body)
	}
}

func TestChangesHaveObjectBefore(t *testing.T) {
	changes, creates := 0, 0
	for _, c := range read(t) {
		for _, ch := range c.Changes() {
			changes++
			if ch.Before == nil {
				creates++
			} else if !json.Valid(ch.Before) || strings.Contains(string(ch.Before), "$RV") || strings.Contains(string(ch.Before), "$TIME$") {
				t.Fatalf("%s step %d: before is %s", ch.Case, ch.Step, ch.Before)
			}
			if strings.Contains(ch.Request.Body+ch.Request.Query, "$RV") {
				t.Fatalf("%s step %d: request holds a name: %s", ch.Case, ch.Step, ch.Request.Body)
			}
			if c.Steps[ch.Step].Response.Code == 201 && ch.Request.Method == "POST" && ch.Before != nil {
				t.Errorf("%s step %d: created over %s", ch.Case, ch.Step, ch.Before)
			}
		}
	}
	if changes < 10000 || creates < 2000 {
		t.Errorf("only %d changes, %d of them without an object before", changes, creates)
	}
	t.Logf("%d changes, %d of them without an object before", changes, creates)
}
