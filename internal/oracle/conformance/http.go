package conformance

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// requestTime is the timeout of an HTTP request, so that a hanging server fails one case
// and not the whole run. On a machine that is busy with other work, the most expensive CEL
// rules of the recordings take more than 20 seconds.
const requestTime = 2 * time.Minute

// HTTP returns a Send to a server at a base URL. It sends the recorded headers, and a
// bearer token unless token is "".
func HTTP(base, token string, client *http.Client) Send {
	base = strings.TrimRight(base, "/")
	return func(r Request) (Answer, error) {
		ctx, cancel := context.WithTimeout(context.Background(), requestTime)
		defer cancel()
		url := base + r.Path
		if r.Query != "" {
			url += "?" + r.Query
		}
		req, err := http.NewRequestWithContext(ctx, r.Method, url, strings.NewReader(r.Body))
		if err != nil {
			return Answer{}, err
		}
		req.Header.Set("Accept", cmp.Or(r.Accept, "application/json"))
		req.Header.Set("User-Agent", "oracle/v1")
		if r.ContentType != "" {
			req.Header.Set("Content-Type", r.ContentType)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(req)
		if err != nil {
			return Answer{}, err
		}
		defer resp.Body.Close()
		answer := Answer{Code: resp.StatusCode, Warnings: resp.Header.Values("Warning")}
		if r.Events > 0 && resp.StatusCode == http.StatusOK {
			timer := time.AfterFunc(watchTime, cancel)
			defer timer.Stop()
			answer.Events, err = readEvents(resp.Body, r.Events)
			return answer, err
		}
		answer.Body, err = io.ReadAll(resp.Body)
		return answer, err
	}
}

// readEvents reads lines until there are enough, the stream ends, or the time is over.
func readEvents(stream io.Reader, enough int) ([][]byte, error) {
	var events [][]byte
	lines := bufio.NewReader(stream)
	for len(events) < enough {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			events = append(events, line)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
	}
	return events, nil
}
