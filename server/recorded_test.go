package server

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A recordedAnswer is one line of a file in testdata/recorded: a request, and what
// kube-apiserver 1.36.3 answered.
type recordedAnswer struct {
	Name        string  `json:"name"`
	Method      string  `json:"method"`
	Path        string  `json:"path"`
	Accept      *string `json:"accept"` // nil for none
	ContentType string  `json:"contentType"`
	Body        string  `json:"body"`
	// Headers are further headers of the request.
	Headers map[string]string `json:"headers"`
	Answer  struct {
		Code int `json:"code"`
		// Headers are compared exactly; "" means that there is no such header.
		Headers map[string]string `json:"headers"`
		// JSON, Text or Bytes is the body; none if it is not compared.
		JSON  any     `json:"json"`
		Text  *string `json:"text"`
		Bytes []byte  `json:"bytes"`
	} `json:"answer"`
}

// TestRecordedAnswers sends the requests of each file in testdata/recorded in order to one
// server.
func TestRecordedAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no recordings", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), func(t *testing.T) {
			s := local(t, Options{})
			for _, a := range recordedIn(t, file) {
				a.compare(t, s)
			}
		})
	}
}

func recordedIn(t *testing.T, file string) []recordedAnswer {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []recordedAnswer
	for d := json.NewDecoder(z); d.More(); {
		var a recordedAnswer
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

func (a *recordedAnswer) compare(t *testing.T, s *Server) {
	t.Helper()
	headers := []string{"User-Agent", "lab/1"}
	if a.Accept != nil {
		headers = append(headers, "Accept", *a.Accept)
	}
	if a.ContentType != "" {
		headers = append(headers, "Content-Type", a.ContentType)
	}
	for name, value := range a.Headers {
		headers = append(headers, name, value)
	}
	got := ask(s, a.Method, a.Path, a.Body, headers...)
	about := func() string {
		if a.Accept != nil {
			return a.Name + ": " + a.Method + " " + a.Path + " (Accept: " + *a.Accept + ") " + a.Body
		}
		return a.Name + ": " + a.Method + " " + a.Path + " " + a.Body
	}
	body := got.Body.String()
	if got.Code != a.Answer.Code {
		t.Errorf("%s\ngot  %d %s\nwant %d %v", about(), got.Code, body, a.Answer.Code, a.Answer.JSON)
		return
	}
	for name, want := range a.Answer.Headers {
		if value := strings.Join(got.Result().Header.Values(name), ", "); value != want {
			t.Errorf("%s\n%s is %q, want %q", about(), name, value, want)
		}
	}
	switch {
	case a.Answer.Bytes != nil && body != string(a.Answer.Bytes):
		t.Errorf("%s\ngot  %q\nwant %q", about(), body, a.Answer.Bytes)
	case a.Answer.Text != nil && body != *a.Answer.Text:
		t.Errorf("%s\ngot  %q\nwant %q", about(), body, *a.Answer.Text)
	case a.Answer.JSON != nil:
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil {
			t.Errorf("%s\n%v: %s", about(), err, body)
		} else if was := masked("", a.Answer.JSON, a.Answer.JSON); !reflect.DeepEqual(masked("", value, was), was) {
			want, _ := json.Marshal(a.Answer.JSON)
			t.Errorf("%s\ngot  %s\nwant %s", about(), body, want)
		}
	}
}

// serverTime matches the times that a server sets.
var serverTime = regexp.MustCompile(`20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// ownValues are the fields whose values differ between servers; the recordings have "*".
var ownValues = []string{
	"uid", "controller-uid", "batch.kubernetes.io/controller-uid", "resourceVersion", "creationTimestamp", "deletionTimestamp",
	"time", "continue", "lastTransitionTime", "token",
}

// anyValue is the placeholder in a recording for a value that differs between servers though its
// field does not say so, such as an age in a table.
const anyValue = "<any>"

// age matches an age in a cell of a table.
var age = regexp.MustCompile(`^\d+[smhdy](\d+[smhd])?$`)

// masked returns a value with the recording's placeholders, and without the messages and
// descriptions that the recording leaves out: the messages of causes, and of the refusals that
// consist of them, are this module's own, and the descriptions of columns are not served.
func masked(key string, v, recorded any) any {
	if recorded == anyValue {
		return anyValue
	}
	switch v := v.(type) {
	case map[string]any:
		was, _ := recorded.(map[string]any)
		out := map[string]any{}
		for name, member := range v {
			if _, ok := was[name]; !ok && (name == "message" || name == "description") {
				continue
			}
			out[name] = masked(name, member, was[name])
		}
		return out
	case []any:
		was, _ := recorded.([]any)
		out := make([]any, len(v))
		for i, item := range v {
			var then any
			if i < len(was) {
				then = was[i]
			}
			if text, ok := item.(string); ok && key == "cells" && age.MatchString(text) {
				item = "AGE"
			}
			out[i] = masked("", item, then)
		}
		if key == "managedFields" { // sorted by time, which passed for the recording only
			slices.SortFunc(out, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return out
	case string:
		if slices.Contains(ownValues, key) && v != "" {
			return "*"
		}
		return serverTime.ReplaceAllString(v, "TIME")
	}
	return v
}
