package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Case is one sequence of requests, independent of all others.
type Case struct {
	Name  string `json:"name"`
	Note  string `json:"note,omitempty"`
	Steps []Step `json:"steps"`
	// Open is why the causes of a refusal in the case are not yet the recorded ones,
	// "" for a case that must agree in everything (see ReadAll).
	Open string `json:"-"`
}

// family is the part of the case's name before the slash.
func (c Case) family() string {
	family, _, _ := strings.Cut(c.Name, "/")
	return family
}

// Step is one request and its recorded answer.
type Step struct {
	Request  Request  `json:"request"`
	Response Response `json:"response"`
}

// Request is what is sent. Query and Body may hold the names $RVn$, $UIDn$ and
// $CONTn$ of values from earlier answers (see variables).
type Request struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	Query       string `json:"query,omitempty"`
	ContentType string `json:"contentType,omitempty"` // "" sends none
	Body        string `json:"body,omitempty"`
	// Events makes the request a watch of which that many events are read, or
	// those that come within watchTime.
	Events int `json:"events,omitempty"`
	// SleepMS is how long to wait before sending, in milliseconds.
	SleepMS int `json:"sleepMS,omitempty"`
}

// Response is an answer whose changing values have been replaced by names.
type Response struct {
	Code     int      `json:"code"`
	Warnings []string `json:"warnings,omitempty"`
	// Body is the decoded JSON, or a string where the answer is not JSON.
	Body any `json:"body,omitempty"`
	// Events are the decoded events of a watch.
	Events []any `json:"events,omitempty"`
	// Hooks are the AdmissionReviews that webhooks were sent meanwhile: {path,
	// review}, those of mutating webhooks in order, then the others by path.
	Hooks []any `json:"hooks,omitempty"`
}

// Read returns the cases of one file, gzip or plain, one JSON object a line.
func Read(path string) ([]Case, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var in io.Reader = bufio.NewReaderSize(file, 1<<18)
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	var cases []Case
	for {
		var c Case
		err := decoder.Decode(&c)
		if errors.Is(err, io.EOF) {
			return cases, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", path, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
}

// ReadAll returns the cases of every recording in a folder, in the order of the
// files' names. It is an error when there is none, or a case without a name of
// its own or without steps: such a case would pass without a comparison.
//
// A file open.txt in the folder lists cases with refusals whose causes (reason and
// field) are not yet the recorded ones, one "case: reason" a line. It is an error if
// it names a case that does not exist.
func ReadAll(folder string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no recordings (*.jsonl.gz) in %s", folder)
	}
	open, err := readOpen(filepath.Join(folder, "open.txt"))
	if err != nil {
		return nil, err
	}
	var all []Case
	seen := map[string]bool{}
	for _, file := range files {
		cases, err := Read(file)
		if err != nil {
			return nil, err
		}
		for i, c := range cases {
			if c.Name == "" || len(c.Steps) == 0 || seen[c.Name] {
				return nil, fmt.Errorf("%s: case %q has no steps, no name or one that is taken", file, c.Name)
			}
			seen[c.Name] = true
			cases[i].Open = open[c.Name]
		}
		all = append(all, cases...)
	}
	for name := range open {
		if !seen[name] {
			return nil, fmt.Errorf("%s: open.txt names case %q, which does not exist", folder, name)
		}
	}
	return all, nil
}

// readOpen reads the reasons of open.txt by case. The file may be missing.
func readOpen(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	open := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, found := strings.Cut(line, ": ")
		if !found || reason == "" || open[name] != "" {
			return nil, fmt.Errorf("%s:%d: want a case that is not listed yet, a colon and the reason, got %q", file, i+1, line)
		}
		open[name] = reason
	}
	return open, nil
}

// Sample returns every n-th case, for runs that are to be short, such as those
// with the race detector.
func Sample(cases []Case, n int) []Case {
	var some []Case
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// decodeBody decodes one JSON value, keeping the spelling of numbers; what is
// not one JSON value is returned as text.
func decodeBody(body []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(body)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return string(body)
	}
	return value
}
