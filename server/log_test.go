package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/server"
)

// TestLogTo checks that each request is logged as one line of JSON with its ID and that
// an internal error has the level ERROR.
func TestLogTo(t *testing.T) {
	var out bytes.Buffer
	log := server.LogTo(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo})))
	log(server.Access{ID: "abc", Method: "PATCH", URL: "/api/v1/namespaces/a", Code: 409, Bytes: 12, Took: time.Millisecond})
	log(server.Access{ID: "def", Method: "GET", URL: "/", Code: 500, Fault: "nil map"})
	var lines []map[string]any
	for d := json.NewDecoder(&out); d.More(); {
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	if l := lines[0]; l["level"] != "INFO" || l["id"] != "abc" || l["method"] != "PATCH" || l["code"] != 409.0 || l["took"] != float64(time.Millisecond) || l["fault"] != nil {
		t.Errorf("a request: %v", l)
	}
	if l := lines[1]; l["level"] != "ERROR" || l["id"] != "def" || l["fault"] != "nil map" {
		t.Errorf("a fault: %v", l)
	}
}
