// A validating webhook that refuses changes to fields of other managers.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"slices"

	admission "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

func main() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServeTLS("127.0.0.1:8443", "tls.crt", "tls.key", handler(lab)))
}

func handler(lab *patchlab.Lab) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var review admission.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "expected an AdmissionReview", http.StatusBadRequest)
			return
		}
		review.Response = answer(lab, review.Request)
		_ = json.NewEncoder(w).Encode(&review)
	}
}

// answer allows changes to fields without an owner and to the requesting manager's own
// fields.
func answer(lab *patchlab.Lab, r *admission.AdmissionRequest) *admission.AdmissionResponse {
	var options metav1.UpdateOptions
	_ = json.Unmarshal(r.Options.Raw, &options)
	response := &admission.AdmissionResponse{UID: r.UID, Allowed: true}
	changes, err := lab.Changes(patchlab.Bytes(r.OldObject.Raw), patchlab.Bytes(r.Object.Raw))
	if err != nil {
		response.Allowed, response.Result = false, &metav1.Status{Message: err.Error()}
	}
	for _, c := range changes {
		others := slices.DeleteFunc(c.OwnersBefore, func(o fieldmanager.Owner) bool { return o.Manager == options.FieldManager })
		if len(others) > 0 && c.Before.String() != c.After.String() {
			response.Allowed = false
			response.Result = &metav1.Status{Code: 403, Message: c.Path.String() + " is owned by " + others[0].String()}
		}
	}
	return response
}
