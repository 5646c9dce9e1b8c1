package server_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/server"
)

// A Server is an http.Handler, so that tests can use it with net/http/httptest.
func Example() {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	api := httptest.NewServer(server.New(c, server.Options{}))
	defer api.Close()

	apply := func(manager, mode string) {
		body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"mode":"` + mode + `"}}`
		request, err := http.NewRequest("PATCH", api.URL+"/api/v1/namespaces/default/configmaps/settings?fieldManager="+manager, strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/apply-patch+yaml")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		defer response.Body.Close()
		var answer struct{ Kind, Message string }
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s %q\n", response.Status, answer.Kind, answer.Message)
	}
	apply("alice", "fast")
	apply("bob", "safe")
	// Output:
	// 201 Created: ConfigMap ""
	// 409 Conflict: Status "Apply failed with 1 conflict: conflict with \"alice\": .data.mode"
}
