package admission_test

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
)

// A Lab evaluates an admission policy for each change.
func ExampleConfigure() {
	var c cluster.Config
	if err := admission.Configure(&c, admission.Options{}); err != nil {
		log.Fatal(err)
	}
	lab, err := patchlab.New(patchlab.Options{
		Rules:     c.Rules,
		Admission: c.Admission,
		Policies: patchlab.Bytes(`
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
    message: at most five replicas
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replicas}
spec: {policyName: replicas, validationActions: [Deny]}
`)})
	if err != nil {
		log.Fatal(err)
	}
	_, err = lab.Apply(nil, patchlab.Bytes(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "shop/web:1"}]}
`), patchlab.ApplyOptions{FieldManager: "gitops"})
	fmt.Println(err)
	// Output:
	// 2:1: deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'replicas' denied request: at most five replicas (API server response: 422 Invalid)
}
