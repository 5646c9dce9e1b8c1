package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admission "k8s.io/api/admission/v1"

	"github.com/patchlab-dev/patchlab"
)

func TestWebhook(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	old, err := lab.Apply(nil, patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "1"}}`), patchlab.ApplyOptions{FieldManager: "owner"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler(lab))
	defer server.Close()
	for _, c := range []struct{ why, manager, patch, want string }{
		{"the owner changes its field", "owner", `{"data":{"k":"2"}}`, ""},
		{"another manager changes an owned field", "other", `{"data":{"k":"2"}}`, `.data.k is owned by "owner"`},
		{"another manager adds a field", "other", `{"data":{"l":"2"}}`, ""},
		{"another manager removes an owned field", "other", `{"data":{"k":null}}`, `.data.k is owned by "owner"`},
	} {
		next, err := lab.Patch(old.After, patchlab.Bytes(c.patch), patchlab.PatchOptions{FieldManager: c.manager})
		if err != nil {
			t.Fatal(err)
		}
		body := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","options":{"fieldManager":"` + c.manager +
			`"},"oldObject":` + old.Object().String() + `,"object":` + next.Object().String() + `}}`
		response, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var review admission.AdmissionReview
		err = json.NewDecoder(response.Body).Decode(&review)
		response.Body.Close()
		if err != nil || review.Response == nil || review.Response.UID != "1" || review.Response.Allowed != (c.want == "") {
			t.Fatalf("%s: %+v (%v)", c.why, review.Response, err)
		}
		if c.want != "" && review.Response.Result.Message != c.want {
			t.Errorf("%s: %q, want %q", c.why, review.Response.Result.Message, c.want)
		}
	}
}
