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

// Case is a sequence of requests, independent of all other cases.
type Case struct {
	Name  string `json:"name"`
	Note  string `json:"note,omitempty"`
	Steps []Step `json:"steps"`
	// Open is the reason why the causes in the case are known to differ from the recorded
	// ones, "" if everything must be equal (see ReadAll).
	Open string `json:"-"`
}

// family returns the part of the case's name before the slash.
func (c Case) family() string {
	family, _, _ := strings.Cut(c.Name, "/")
	return family
}

// Step is a request and its recorded response.
type Step struct {
	Request  Request  `json:"request"`
	Response Response `json:"response"`
}

// Request is a recorded request. Query and Body may contain the names $RVn$, $UIDn$ and
// $CONTn$ of values from earlier responses (see variables).
type Request struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	Query       string `json:"query,omitempty"`
	ContentType string `json:"contentType,omitempty"` // "" for no Content-Type header
	Accept      string `json:"accept,omitempty"`      // "" for application/json
	Body        string `json:"body,omitempty"`
	// Events makes the request a watch from which this number of events is read, or as many
	// as arrive within watchTime.
	Events int `json:"events,omitempty"`
	// SleepMS is the delay before the request in milliseconds.
	SleepMS int `json:"sleepMS,omitempty"`
}

// Response is a response in which values that change between runs are replaced by names.
type Response struct {
	Code     int      `json:"code"`
	Warnings []string `json:"warnings,omitempty"`
	// Body is the decoded JSON, or a string if the response is not JSON.
	Body any `json:"body,omitempty"`
	// Events holds the decoded events of a watch.
	Events []any `json:"events,omitempty"`
	// Hooks holds the AdmissionReviews sent to webhooks during the request: {path, review},
	// first those of mutating webhooks in order, then the others by path.
	Hooks []any `json:"hooks,omitempty"`
}

// Read reads the cases in a file of JSON lines, which may be compressed with gzip.
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

// ReadAll reads the cases of every recording in a directory, in the order of file names. It
// is an error if there are none, or if a case has no unique name or no steps, because it
// would pass without a comparison.
//
// The file open.txt in the directory lists cases in which the causes (reason and field) of
// a refusal are known to differ from the recorded ones, as lines "case: reason". It is an
// error if a listed case does not exist.
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

// readOpen reads open.txt, which may be missing, and returns the reasons by case.
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

// Sample returns every n-th case for short runs, for example with the race detector.
func Sample(cases []Case, n int) []Case {
	var some []Case
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// decodeBody decodes one JSON value and keeps the spelling of numbers; anything else is
// returned as text.
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
