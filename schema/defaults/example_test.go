package defaults_test

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

func secret() (*schema.Kind, document.Value) {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		log.Fatal(err)
	}
	kind, _ := catalog.Resource("", "v1", "secrets")
	doc, err := document.Parse([]byte(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"password":"x"},"imutable":true}`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return kind, doc.Root
}

func ExampleDecode() {
	kind, sent := secret()
	object, problems, err := defaults.Decode(kind, sent, defaults.FromJSON)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(object)
	for _, p := range problems {
		fmt.Println(p.Message)
	}
	// Output:
	// {"apiVersion":"v1","data":{"password":"eA=="},"kind":"Secret","metadata":{"name":"s"}}
	// unknown field "imutable"
}

func ExampleRules_Apply() {
	kind, sent := secret()
	object, _, err := defaults.Decode(kind, sent, defaults.FromJSON)
	if err != nil {
		log.Fatal(err)
	}
	rules, err := defaults.For("1.36")
	if err != nil {
		log.Fatal(err)
	}
	rules.Apply(kind, object, defaults.Options{Observe: func(f defaults.Filled) {
		fmt.Println(f.Path, f.Value, "by", f.Rule)
	}})
	// Output:
	// .type "Opaque" by type = "Opaque" when empty
}

func ExampleRules_Minimize() {
	catalog, err := schema.Builtin("")
	if err != nil {
		log.Fatal(err)
	}
	kind, _ := catalog.Resource("", "v1", "services")
	doc, err := document.Parse([]byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"5e","resourceVersion":"7"},
		"spec":{"clusterIP":"None","clusterIPs":["None"],"internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
		"ports":[{"port":80,"protocol":"TCP","targetPort":80}],"selector":{"app":"web"},"sessionAffinity":"None","type":"ClusterIP"},"status":{"loadBalancer":{}}}`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	rules, err := defaults.For("")
	if err != nil {
		log.Fatal(err)
	}
	least, err := rules.Minimize(kind, doc.Root)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(least)
	// Output:
	// {"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"clusterIP":"None","ports":[{"port":80}],"selector":{"app":"web"}}}
}

func ExampleRules_Fill() {
	kind, manifest := secret()
	rules, err := defaults.For("1.36")
	if err != nil {
		log.Fatal(err)
	}
	object, err := rules.Fill(kind, manifest, defaults.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(object)
	// Output:
	// {"apiVersion":"v1","data":{"password":"eA=="},"kind":"Secret","metadata":{"name":"s"},"type":"Opaque"}
}

func ExampleConvert() {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		log.Fatal(err)
	}
	v2, _ := catalog.Resource("autoscaling", "v2", "horizontalpodautoscalers")
	doc, err := document.ParseYAML([]byte(`
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 9
  scaleTargetRef: {kind: Deployment, name: web}
  targetCPUUtilizationPercentage: 80
`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(defaults.Convert(doc.Root, v2).YAML()))
	// Output:
	// apiVersion: autoscaling/v2
	// kind: HorizontalPodAutoscaler
	// metadata:
	//   name: web
	// spec:
	//   maxReplicas: 9
	//   metrics:
	//   - resource:
	//       name: cpu
	//       target:
	//         averageUtilization: 80
	//         type: Utilization
	//     type: Resource
	//   scaleTargetRef:
	//     kind: Deployment
	//     name: web
	// status:
	//   currentMetrics: null
	//   desiredReplicas: 0
}
