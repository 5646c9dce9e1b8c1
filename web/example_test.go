package web_test

import (
	"errors"
	"log"
	"net/http"

	"github.com/patchlab-dev/patchlab/web"
)

// The program serves the page if it was built with it.
func ExampleHandler() {
	page, err := web.Handler()
	if errors.Is(err, web.ErrNotBuilt) {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("localhost:8080", page))
}
