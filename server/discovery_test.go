package server

import (
	"encoding/json"
	"os"
	"testing"
)

func TestDumpDiscovery(t *testing.T) {
	s := newServer(newFake(t), Options{})
	for _, p := range []string{"/api", "/apis", "/api/v1", "/apis/apps/v1", "/apis/lab.example.com/v1", "/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1", "/openapi/v3", "/openapi/v2", "/version"} {
		w := ask(s, "GET", p, "", "Accept", "application/json")
		t.Log(p, w.Code, len(w.Body.Bytes()), json.Valid(w.Body.Bytes()))
		_ = os.WriteFile("/tmp/orc/our"+string([]byte(p)[1:2])+pathFile(p), w.Body.Bytes(), 0o644)
	}
}

func pathFile(p string) string {
	b := []byte(p)
	for i := range b {
		if b[i] == '/' {
			b[i] = '_'
		}
	}
	return string(b)
}
